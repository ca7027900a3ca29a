#include "harness/measure/measured_worker.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/stats/estimate.h"
#include "harness/verify/check.h"

namespace gdbench::measure {

namespace {

constexpr int kMaxAttempts = 8;
constexpr double kMostRepeatingNs = 2e9;

// Interruptions only make a block longer, by two to five times: one clean try is enough, and cheats have none.
constexpr int kTries = 8;
// Where what is measured scatters by more than this from try to try, the machine is at work, and there are more tries.
constexpr int kTriesOnANoisyMachine = 16;
constexpr double kScatter = 1.3;
// A virtual machine may be slowed down to less than half its speed for tenths of a second, all its cells alike, while a
// step is held against blocks from before: half a second in all, where each wait is twice the one before.
constexpr std::chrono::milliseconds kFirstWait{8};
constexpr std::chrono::milliseconds kLongestWait{128};
// A step of another length of block may take this much longer: caches and clocks differ.
constexpr double kLongerStep = 1.5;
// Of the time, from n steps to 2n. The first step after a request takes up to twice as long as the next one, whose data
// are in the caches, so a few steps grow by less.
constexpr double kMinGrowth = 1.5;
constexpr double kMinGrowthOfFewSteps = 1.15;
constexpr double kFewSteps = 8;
// A block from a new state takes at most so many times as long as one that the worker might know: caches and
// interruptions explain that much.
constexpr double kForesight = 1.5;
// A warm-up's few steps run through cold caches, and a team of threads has to be woken.
constexpr double kLongerWarmUp = 3;
constexpr double kWakingNs = 100'000;  // for each compute thread
// Where a right end may be off now and then.
constexpr int kEndTries = 4;
constexpr int kOverheadTries = 16;  // of which so many are made at once, and the others where those took too long
constexpr int kQuickTries = 5;
constexpr int kOverheadTriesOfAdapters = 2;  // beside the first step, as a lead-in may be long
// Later launches are checked like the first one with this chance.
constexpr unsigned kOneLaunchIn = 4;
// A block of n steps moves the parameters by at most n times what a step does, at least by a small part of that: both
// with room for an optimizer that gathers speed, and for one that approaches its goal.
constexpr double kMostOfSteps = 3;
constexpr double kLeastOfAStep = 0.05;

// Of a step, in blocks next to each other.
struct Times {
  double timed_ns = 0;  // in a block of the length that is timed
  double once_ns = 0;   // in a block of another length n
  double twice_ns = 0;  // in one of 2n, for both of which n steps count
};

std::string reason_of(const Times& times, double min_growth) {
  if (times.once_ns > kLongerStep * times.timed_ns) {
    return formatted("a step takes %.3g ns in a block of a length that it had not seen, %.3g ns in the timed blocks",
                     times.once_ns, times.timed_ns);
  }
  const double growth = times.twice_ns / times.once_ns;
  if (growth >= min_growth) return {};
  return formatted("twice as many steps take only %.2f times as long", growth);
}

// Between two tries.
void wait_before(int attempt) {
  if (attempt == 0) return;
  std::this_thread::sleep_for(std::min(kLongestWait, kFirstWait * (1 << std::min(attempt - 1, 10))));
}

bool scatters(const std::vector<double>& times) {
  const auto [least, most] = std::ranges::minmax(times);
  return most > kScatter * least;
}

std::string with_scatter(const std::string& reason, const std::vector<double>& times) {
  const auto [least, most] = std::ranges::minmax(times);
  return reason + formatted(", in the best of %zu tries, which differ by up to %.1f times", times.size(), most / least);
}

report::Sample sample_of(const protocol::BlockAnswer& answer, std::uint64_t steps, double displacement) {
  report::Sample sample;
  sample.steps = steps;
  sample.real_ns = answer.real_ns / static_cast<double>(steps);
  sample.cpu_ns = answer.cpu_ns / static_cast<double>(steps);
  sample.request_ns = static_cast<double>(answer.received_ns - answer.sent_ns);
  sample.outside_ns = std::max(answer.outside.cpu_ns, answer.outside.real_ns);
  sample.displacement = displacement;
  if (answer.device_ns) sample.device_ns = *answer.device_ns / static_cast<double>(steps);
  if (answer.exchange_ns) sample.exchange_ns = *answer.exchange_ns / static_cast<double>(steps);
  return sample;
}

}  // namespace

MeasuredWorker::MeasuredWorker(CellWorker worker, const PlannedCell& planned, const report::Block& block,
                               Expectation expectation, int rounds, bool is_first, std::uint64_t seed)
    : worker_(std::move(worker)),
      planned_(planned),
      block_(block),
      expectation_(std::move(expectation)),
      copy_ns_(worker_.copy_ns()),
      generator_(seed) {
  const auto any_block = [&](int first) {
    return first + static_cast<int>(generator_() % static_cast<unsigned>(rounds + 1 - first));
  };
  if (!is_verified()) return;
  checks_end_ = is_first || generator_() % kOneLaunchIn == 0 || is_quickly_checked(expectation_.problem, block_.steps);
  if (!expectation_.block) replayed_in_ = any_block(0);
  // Times are compared with those of samples: not before there are some.
  if (is_first || generator_() % kOneLaunchIn == 0) others_checked_in_ = any_block(std::min(2, rounds));
}

void MeasuredWorker::vary_starts() {
  if (!is_verified()) return;
  worker_.shuffle_images(generator_);
  const bool known = expectation_.block && expectation_.block->way != nullptr;
  const double distance = known ? expectation_.block->value : 0;
  const Parameters& way = known ? *expectation_.block->way : Parameters();
  for (const std::size_t image : {kStartImage, kWarmUpImage}) {
    worker_.vary_start(image, way,
                       measure::vary_start(worker_.scenario_start(), worker_.dtype(), distance, generator_));
  }
}

Status MeasuredWorker::measure_overhead() {
  double least_ns = std::numeric_limits<double>::infinity();
  for (int i = 0; i < (is_hosted() ? kOverheadTries : kOverheadTriesOfAdapters); ++i) {
    wait_before(std::max(0, i - kQuickTries));
    least_ns = std::min(least_ns, unclaimed_ns(TRY(worker_.run_block(is_hosted() ? 0 : 1, 0))));
    if (i + 1 >= kQuickTries && untrusted_for_overhead(is_hosted(), least_ns, 0).empty()) break;
  }
  overhead_ns_ = std::max(0.0, least_ns);
  return {};
}

double MeasuredWorker::outside_limit_ns(const protocol::BlockAnswer& answer) const {
  return measure::outside_limit_ns({.told = planned_.entry->hosted() && answer.host_tells_outside,
                                    .compute_threads = planned_.compute_threads(),
                                    .copy_ns = copy_ns_,
                                    .block_ns = answer.real_ns,
                                    .overhead_ns = overhead_ns_,
                                    .tensors = worker_.tensor_count(),
                                    .on_device = planned_.on_device()});
}

std::string MeasuredWorker::reason_to_repeat(const protocol::BlockAnswer& answer) const {
  const double limit_ns = outside_limit_ns(answer);
  std::string reason = untrusted_for_outside_work(answer.outside, limit_ns);
  if (!reason.empty()) return reason;
  reason = untrusted_for_request(
      answer, unclaimed_limit_ns(is_hosted(), planned_.compute_threads(), overhead_ns_, answer.real_ns));
  if (!reason.empty() || !is_hosted()) return reason;
  // What the coordinator saw of the other requests, in each of which its host has something to do.
  constexpr int kOtherRequests = 4;
  constexpr double kOtherSlackNs = 300'000;
  const double most_ns = limit_ns + kOtherRequests * overhead_ns_ + kOtherSlackNs;
  return untrusted_for_outside_work({.cpu_ns = 0, .real_ns = answer.other_requests_ns}, most_ns);
}

// The first reason of all.
std::string MeasuredWorker::judge(const protocol::BlockAnswer& answer, const report::Sample& sample) {
  // A worker may say that it has fewer helper threads than its implementation declares, not more.
  const int declared = planned_.entry->implementation.helper_threads;
  const int in_use = client().preparation().helper_threads.value_or(declared);
  const BlockClaim claim{.answer = answer,
                         .steps = block_.steps,
                         .compute_threads = planned_.compute_threads(),
                         .helper_threads = std::clamp(in_use, 0, declared)};
  std::vector<std::string> reasons = {untrusted_reason(claim),
                                      untrusted_for_overhead(is_hosted(), overhead_ns_, answer.real_ns),
                                      processor_.judge(claim)};
  // Work that a calibration adds is the host's alone.
  if (block_.added_iterations.value_or(0) == 0) reasons.push_back(device_.judge(claim));
  // A framework's pools are its own business; what they use of the processor is judged above.
  if (planned_.entry->hosted()) reasons.push_back(untrusted_for_threads(claim, client().process()));
  if (is_hosted()) reasons.push_back(untrusted_for_children(answer));
  if (is_verified() && expectation_.block) {
    std::string reason = untrusted_reason(sample.displacement, *expectation_.block);
    // The starts of blocks differ; what follows from this one decides.
    if (!reason.empty()) {
      auto own = expected_end(expectation_.problem, *expectation_.dataset, worker_.state(kStartImage, 0), block_.steps,
                              expectation_.block->rounding);
      if (own) own->tolerance = std::max(own->tolerance, own->forgivable);
      if (own) reason = untrusted_reason(worker_.state(kEndImage, 0), *own);
    }
    reasons.push_back(std::move(reason));
  }
  if (is_verified() && expectation_.step) {
    const double step = expectation_.step->value;
    const bool plausible = sample.displacement >= kLeastOfAStep * step &&
                           sample.displacement <= kMostOfSteps * static_cast<double>(block_.steps) * step;
    if (!plausible) {
      reasons.push_back(formatted("a timed block of %llu steps moved the parameters by %.3g, a single step by %.3g",
                                  static_cast<unsigned long long>(block_.steps), sample.displacement, step));
    }
  }
  const auto reason = std::find_if(reasons.begin(), reasons.end(), [](const auto& text) { return !text.empty(); });
  return reason == reasons.end() ? "" : *reason;
}

Result<MeasuredWorker::JudgedBlock> MeasuredWorker::run_block(const RunOptions& options) {
  const std::int64_t began_ns = monotonic_ns();
  for (int attempt = 1;; ++attempt) {
    vary_starts();
    const protocol::BlockAnswer answer =
        TRY(worker_.run_block(block_.steps, block_.warm_up_steps, 0, block_.added_iterations.value_or(0)));
    const std::string to_repeat = reason_to_repeat(answer);
    // A worker may not keep others waiting: one that takes long has fewer attempts.
    const bool has_time = static_cast<double>(monotonic_ns() - began_ns) < kMostRepeatingNs + 2 * answer.real_ns;
    if (!to_repeat.empty() && attempt < kMaxAttempts && has_time && !options.cancelled()) {
      ++repeated_blocks_;
      continue;
    }
    JudgedBlock block;
    block.sample = sample_of(answer, block_.steps, worker_.displacement());
    block.distrust = judge(answer, block.sample);
    if (!to_repeat.empty()) block.distrust = to_repeat + ", " + std::to_string(attempt) + " blocks in a row";
    block.traces = answer.traces.value_or(0);
    if (blocks_ > 0) step_times_ns_.push_back(block.sample.real_ns);
    least_warm_up_ns_ = std::min(least_warm_up_ns_, answer.warm_up_ns);
    const int index = blocks_++;
    keep_if_quickest(block.sample);
    if (block.distrust.empty() && index == replayed_in_) block.distrust = TRY(untrusted_for_end(block_.steps));
    if (block.distrust.empty() && index == others_checked_in_) block.distrust = TRY(check_other_blocks());
    return block;
  }
}

Result<std::string> MeasuredWorker::finish_checks() {
  if (step_times_ns_.empty()) return std::string();
  std::string reason = is_verified() ? untrusted_for_warm_up() : "";
  if (reason.empty()) reason = TRY(untrusted_for_quickest());
  if (!reason.empty() || others_checked_in_ < blocks_) return reason;
  return check_other_blocks();
}

Result<std::string> MeasuredWorker::check_other_blocks() {
  std::string reason = TRY(untrusted_for_lengths());
  if (reason.empty()) reason = TRY(untrusted_for_foresight());
  return reason.empty() ? untrusted_for_step() : reason;
}

void MeasuredWorker::keep_if_quickest(const report::Sample& sample) {
  if (!checks_end_ || !expectation_.block || blocks_ <= 1 || (quickest_ && quickest_->ns <= sample.real_ns)) return;
  quickest_ = {sample.real_ns, worker_.state(kStartImage, 0), worker_.state(kEndImage, 0)};
}

Result<std::string> MeasuredWorker::untrusted_for_quickest() {
  if (!quickest_) return std::string();
  const auto expected = expected_end(expectation_.problem, *expectation_.dataset, quickest_->start, block_.steps,
                                     expectation_.block->rounding);
  if (!expected) return std::string();
  std::string reason = untrusted_reason(quickest_->end, *expected);
  if (reason.empty() || verify::displacement(quickest_->end, expected->state) > expected->forgivable) return reason;
  vary_starts();
  TRY(worker_.run_block(block_.steps, block_.warm_up_steps));
  return untrusted_for_end(block_.steps);
}

Result<std::string> MeasuredWorker::untrusted_for_end(std::uint64_t steps) {
  // Of another length only where that takes no time.
  const bool known = expectation_.block && (steps == block_.steps || is_quickly_checked(expectation_.problem, steps));
  std::string reason;
  for (int attempt = 0; attempt < kEndTries; ++attempt) {
    if (attempt > 0) {
      vary_starts();
      TRY(worker_.run_block(steps, block_.warm_up_steps));
    }
    const auto expected = known ? expected_end(expectation_.problem, *expectation_.dataset,
                                               worker_.state(kStartImage, 0), steps, expectation_.block->rounding)
                                : std::nullopt;
    if (!expected) return steps < 2 ? std::string() : untrusted_for_replay(steps);
    const scenario::State end = worker_.state(kEndImage, 0);
    reason = untrusted_reason(end, *expected);
    if (reason.empty() || verify::displacement(end, expected->state) > expected->forgivable) break;
  }
  return reason;
}

Result<std::string> MeasuredWorker::untrusted_for_replay(std::uint64_t steps) {
  const std::uint64_t first = 1 + generator_() % (steps - 1);
  TRY(worker_.run_in_two_parts(first, steps - first));
  const double moved = worker_.displacement();
  const double apart = worker_.distance(kEndImage, kReplayImage);
  // Written so that NaN fails.
  if (apart <= replay_tolerance(expectation_.problem) * moved) return std::string();
  return formatted(
      "a timed block of %llu steps ended %.3g away from where the same steps in two parts lead, which is "
      "%.3g from its start",
      static_cast<unsigned long long>(steps), apart, worker_.distance(kStartImage, kReplayImage));
}

Result<std::string> MeasuredWorker::untrusted_for_step() {
  if (!expectation_.step) return std::string();
  vary_starts();
  TRY(worker_.run_block(1, 0));
  return untrusted_reason(worker_.displacement(), *expectation_.step);
}

std::string MeasuredWorker::untrusted_for_warm_up() const {
  const auto steps = static_cast<double>(block_.warm_up_steps);
  const double limit_ns = kLongerWarmUp * steps * stats::median(step_times_ns_) + block_.empty_block_ns +
                          planned_.compute_threads() * kWakingNs;
  if (block_.warm_up_steps == 0 || least_warm_up_ns_ <= limit_ns) return {};
  return formatted("%.0f untimed step(s) before a block take at least %.3g ms, a timed one %.3g ms", steps,
                   least_warm_up_ns_ * 1e-6, stats::median(step_times_ns_) * 1e-6);
}

Result<std::string> MeasuredWorker::untrusted_for_lengths() {
  const double min_growth = static_cast<double>(block_.steps) < kFewSteps ? kMinGrowthOfFewSteps : kMinGrowth;
  const std::uint64_t shortest = std::max<std::uint64_t>(1, block_.steps / 2);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Times least{kInfinity, kInfinity, kInfinity};
  std::vector<double> step_times;
  const auto block_ns = [&](std::uint64_t steps) -> Result<double> {
    vary_starts();
    return TRY(worker_.run_block(steps, block_.warm_up_steps)).real_ns - block_.empty_block_ns;
  };
  for (int attempt = 0; attempt < kTriesOnANoisyMachine; ++attempt) {
    if (attempt >= kTries && !scatters(step_times)) break;
    wait_before(attempt);
    const std::uint64_t steps = shortest + generator_() % std::max<std::uint64_t>(1, block_.steps - shortest);
    const auto count = static_cast<double>(steps);
    Times times;
    // One after the other, as the machine's speed may have changed since the samples.
    times.timed_ns = TRY(block_ns(block_.steps)) / static_cast<double>(block_.steps);
    times.once_ns = TRY(block_ns(steps)) / count;
    std::string reason = attempt == 0 ? TRY(untrusted_for_end(steps)) : std::string();
    times.twice_ns = TRY(block_ns(2 * steps)) / count;
    if (attempt == 0 && reason.empty() && steps == 1) reason = TRY(untrusted_for_end(2));
    if (!reason.empty()) return reason;
    step_times.push_back(times.once_ns);
    least = {std::min(least.timed_ns, times.timed_ns), std::min(least.once_ns, times.once_ns),
             std::min(least.twice_ns, times.twice_ns)};
    // In this try, or in the best of all: each time by itself is interrupted now and then.
    if (reason_of(times, min_growth).empty() || reason_of(least, min_growth).empty()) return std::string();
  }
  return with_scatter(reason_of(least, min_growth), step_times);
}

Result<std::string> MeasuredWorker::untrusted_for_foresight() {
  enum class Known { seen, evaluated };
  const auto block_ns = [&]() -> Result<double> {
    const protocol::BlockAnswer answer = TRY(worker_.run_block(block_.steps, 0));
    return answer.real_ns - block_.empty_block_ns;
  };
  for (const Known known : {Known::seen, Known::evaluated}) {
    std::string reason;
    for (int attempt = 0; attempt < kTries; ++attempt) {
      vary_starts();
      const double fresh_ns = TRY(block_ns());
      if (known == Known::evaluated) {
        vary_starts();
        TRY(worker_.set_start_state());
        const Result<protocol::EvaluateAnswer> loss = client().evaluate();
        if (!loss.ok() && loss.error().kind == ErrorKind::unsupported) break;
        if (!loss.ok()) return loss.error();
      }
      const double known_ns = TRY(block_ns());
      reason.clear();
      if (known_ns * kForesight >= fresh_ns) break;
      reason = formatted("a block takes %.3g ms from a state that is new, %.3g ms %s", fresh_ns * 1e-6, known_ns * 1e-6,
                         known == Known::seen ? "from one where a block began before" : "after an evaluation of it");
    }
    if (!reason.empty()) return reason;
  }
  return std::string();
}

}  // namespace gdbench::measure
