// What is asked of a worker beside its samples: is a timed block's time the time of its steps, and its end theirs?
#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "harness/base/text.h"
#include "harness/measure/measured_worker.h"
#include "harness/stats/estimate.h"
#include "harness/verify/check.h"

namespace gdbench::measure {

namespace {

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
// Where a right end may be off now and then: of a mixed dtype at up to half of all starts.
constexpr int kEndTries = 12;
constexpr int kOverheadTries = 16;  // of which so many are made at once, and the others where those took too long
constexpr int kQuickTries = 5;
constexpr int kOverheadTriesOfAdapters = 3;  // beside the first step, as a lead-in may be long
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

}  // namespace

Status MeasuredWorker::measure_overhead() {
  double least_ns = std::numeric_limits<double>::infinity();
  const auto is_late = [&] { return !untrusted_for_overhead(is_hosted(), least_ns, 0).empty(); };
  for (int i = 0; i < (is_hosted() ? kOverheadTries : kOverheadTriesOfAdapters); ++i) {
    wait_before(std::max(0, i - kQuickTries));
    const protocol::BlockAnswer answer = TRY(worker_.run_block(is_hosted() ? 0 : 1, 0));
    least_ns = std::min(least_ns, unclaimed_ns(answer));
    if ((is_hosted() ? is_late() : threads() <= 1) && shows_work_by_cpu_time()) {
      least_ns = std::min(least_ns, unclaimed_cpu_ns(answer));
    }
    if (i + 1 >= kQuickTries && !is_late()) break;
  }
  constexpr double kMostGrowth = 2;
  const double overhead_ns = std::max(0.0, least_ns);
  least_overhead_ns_ = std::min(least_overhead_ns_, overhead_ns);
  overhead_ns_ = std::min(std::max(overhead_ns_, overhead_ns), kMostGrowth * least_overhead_ns_);
  return {};
}

Result<std::string> MeasuredWorker::finish_checks() {
  if (step_times_ns_.empty()) return std::string();
  std::string reason = is_verified() ? TRY(untrusted_for_warm_up()) : "";
  if (reason.empty()) reason = TRY(untrusted_for_quickest());
  if (!reason.empty() || others_checked_in_ < blocks_) return reason;
  return check_other_blocks();
}

Result<std::string> MeasuredWorker::check_other_blocks() {
  std::string reason = TRY(untrusted_for_lengths());
  if (reason.empty()) reason = TRY(untrusted_for_foresight());
  return reason.empty() ? untrusted_for_step() : reason;
}

Result<std::string> MeasuredWorker::untrusted_for_quickest() {
  if (!quickest_) return std::string();
  const auto expected = expected_end(expectation_.problem, *expectation_.dataset, quickest_->start, block_.steps,
                                     expectation_.block->rounding);
  if (!expected) return std::string();
  std::string reason = untrusted_reason(quickest_->end, *expected);
  if (reason.empty() || !is_forgivable(quickest_->start, block_.steps, quickest_->end, *expected)) return reason;
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
    if (reason.empty()) break;
    const scenario::State start = worker_.state(kStartImage, 0);
    // Where every end is off by a little, that may be what rounding makes of this scenario.
    const bool is_last = attempt + 1 == kEndTries;
    if (is_last && comes_of_rounding(expectation_.problem, *expectation_.dataset, start, steps, end, *expected))
      return std::string();
    if (!is_forgivable(start, steps, end, *expected)) break;
    if (expected->shares_rounding) return untrusted_for_short_parts(steps, expected->tolerance);
  }
  return reason;
}

bool MeasuredWorker::is_forgivable(const scenario::State& start, std::uint64_t steps, const scenario::State& end,
                                   const ExpectedEnd& expected) const {
  return measure::is_forgivable(expectation_.problem, *expectation_.dataset, start, steps, end, expected);
}

Result<std::string> MeasuredWorker::untrusted_for_short_parts(std::uint64_t steps, double tolerance) {
  constexpr std::uint64_t kParts = 256;
  constexpr std::uint64_t kPartsOfAdapters = 16;  // each with a lead-in
  const std::uint64_t longest = 1 + steps / (is_hosted() ? kParts : kPartsOfAdapters);
  std::vector<std::uint64_t> parts;
  for (std::uint64_t left = steps; left > 0; left -= parts.back()) {
    parts.push_back(std::min(left, 1 + generator_() % longest));
  }
  TRY(worker_.run_in_parts(parts));
  const double apart = worker_.distance(kEndImage, kReplayImage);
  if (apart <= tolerance) return std::string();
  return formatted(
      "a timed block of %llu steps ended %.3g away from where the same steps in short parts lead; expected at most "
      "%.1g",
      static_cast<unsigned long long>(steps), apart, tolerance);
}

Result<std::string> MeasuredWorker::untrusted_for_replay(std::uint64_t steps) {
  const std::uint64_t first = 1 + generator_() % (steps - 1);
  TRY(worker_.run_in_parts({first, steps - first}));
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

Result<std::string> MeasuredWorker::untrusted_for_warm_up() {
  const auto steps = static_cast<double>(block_.warm_up_steps);
  const double step_ns = stats::median(step_times_ns_);
  const double limit_ns =
      kLongerWarmUp * steps * step_ns + block_.empty_block_ns + planned_.compute_threads() * kWakingNs;
  // A short warm-up counts only before a quick block. Where none is, a neighbour may slow the machine down.
  std::vector<double> step_times{step_ns};
  for (int attempt = 1; block_.warm_up_steps > 0 && least_warm_up_ns_ > limit_ns; ++attempt) {
    if (attempt > kTriesOnANoisyMachine || (attempt > kTries && !scatters(step_times))) {
      return with_scatter(formatted("%.0f untimed step(s) before a block take at least %.3g ms, a timed one %.3g ms",
                                    steps, least_warm_up_ns_ * 1e-6, step_ns * 1e-6),
                          {step_times.begin() + 1, step_times.end()});
    }
    wait_before(attempt);
    // Two in a row, as a wait leaves the caches to others: the second one's warm-up finds its data there.
    for (int block = 0; block < 2; ++block) {
      vary_starts();
      const protocol::BlockAnswer answer = TRY(worker_.run_block(block_.steps, block_.warm_up_steps));
      step_times.push_back((answer.real_ns - block_.empty_block_ns) / static_cast<double>(block_.steps));
      if (step_times.back() > kLongerStep * step_ns) continue;
      least_warm_up_ns_ = std::min(least_warm_up_ns_, answer.warm_up_ns);
    }
  }
  return std::string();
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
