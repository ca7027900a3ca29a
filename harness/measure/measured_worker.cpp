#include "harness/measure/measured_worker.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "harness/base/text.h"
#include "harness/verify/check.h"

namespace gdbench::measure {

namespace {

constexpr int kMaxAttempts = 8;

// Interruptions only make a block longer, by two to five times: one clean try is enough, and cheats have none.
constexpr int kTries = 8;
// A virtual machine may be slowed down to less than half its speed for tenths of a second, all its cells alike, while a
// step is held against blocks from before: a second in all, where each wait is twice the one before.
constexpr std::chrono::milliseconds kFirstWait{8};
// A step of another length of block may take this much longer: caches and clocks differ, a remembered answer or work
// that is left behind is off by far more.
constexpr double kLongerStep = 2.5;
constexpr double kMinGrowth = 1.5;  // of the time, from n steps to 2n
// A block from a new state takes at most so many times as long as one that the worker might know: caches and
// interruptions explain that much.
constexpr double kForesight = 1.5;
// Threads may add in another order from run to run.
constexpr double kReplayTolerance = 1e-4;

struct Times {
  double once_ns = 0;   // n steps
  double twice_ns = 0;  // 2n
};

std::string reason_of(const Times& times, double steps, double sampled_step_ns) {
  const double step_ns = times.once_ns / steps;
  if (step_ns > kLongerStep * sampled_step_ns) {
    return formatted("a step takes %.3g ns in a block of a length that it had not seen, %.3g ns in the timed blocks",
                     step_ns, sampled_step_ns);
  }
  const double growth = times.twice_ns / times.once_ns;
  if (growth >= kMinGrowth) return {};
  return formatted("twice as many steps take only %.2f times as long", growth);
}

double typical_step_ns(const std::vector<report::Sample>& samples) {
  std::vector<double> times;
  for (const report::Sample& sample : samples) {
    if (!sample.cold) times.push_back(sample.real_ns);
  }
  return stats::median(std::move(times));
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
                               const std::optional<ExpectedDisplacement>& expected, DisplacementFrom expected_from,
                               std::uint64_t seed)
    : worker_(std::move(worker)),
      planned_(planned),
      block_(block),
      expected_(expected),
      expected_from_(std::move(expected_from)),
      copy_ns_(worker_.copy_ns()),
      generator_(seed) {}

void MeasuredWorker::vary_start() {
  if (is_verified()) worker_.vary_start(expected_ ? kShareOfDisplacement * expected_->value : 0, generator_);
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
  std::vector<std::string> reasons = {untrusted_reason(claim), processor_.judge(claim)};
  // Work that a calibration adds is the host's alone.
  if (block_.added_iterations.value_or(0) == 0) reasons.push_back(device_.judge(claim));
  // A framework's pools are its own business; what they use of the processor is judged above.
  if (planned_.entry->hosted()) reasons.push_back(untrusted_for_threads(claim, client().process()));
  if (is_verified() && expected_) {
    reasons.push_back(untrusted_reason(sample.displacement, *expected_,
                                       [this] { return expected_from_(worker_.state(kStartImage, 0)); }));
  }
  const auto reason = std::find_if(reasons.begin(), reasons.end(), [](const auto& text) { return !text.empty(); });
  return reason == reasons.end() ? "" : *reason;
}

Result<MeasuredWorker::JudgedBlock> MeasuredWorker::run_block(const RunOptions& options) {
  for (int attempt = 1;; ++attempt) {
    vary_start();
    const protocol::BlockAnswer answer =
        TRY(worker_.run_block(block_.steps, block_.warm_up_steps, 0, block_.added_iterations.value_or(0)));
    const bool told = planned_.entry->hosted() && answer.host_tells_outside;
    const std::size_t device_tensors = planned_.on_device() ? worker_.tensor_count() : 0;
    std::string outside = untrusted_for_outside_work(
        answer.outside, outside_limit_ns(told, planned_.compute_threads(), copy_ns_, device_tensors));
    if (!outside.empty() && attempt < kMaxAttempts && !options.cancelled()) {
      ++repeated_blocks_;
      continue;
    }
    JudgedBlock block;
    block.sample = sample_of(answer, block_.steps, worker_.displacement());
    block.distrust = judge(answer, block.sample);
    if (!outside.empty()) block.distrust = outside + ", " + std::to_string(kMaxAttempts) + " blocks in a row";
    block.traces = answer.traces.value_or(0);
    return block;
  }
}

Result<std::string> MeasuredWorker::check_other_blocks(const std::vector<report::Sample>& samples) {
  if (!is_verified() || samples.empty()) return std::string();
  std::string reason = TRY(untrusted_for_lengths(samples));
  return reason.empty() ? untrusted_for_foresight() : reason;
}

Result<std::string> MeasuredWorker::untrusted_for_lengths(const std::vector<report::Sample>& samples) {
  if (block_.steps < 2) return std::string();
  const double sampled_step_ns = typical_step_ns(samples);
  std::string reason;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(kFirstWait * (1 << (attempt - 1)));
    const std::uint64_t steps = block_.steps / 2 + generator_() % (block_.steps - block_.steps / 2);
    const protocol::BlockAnswer once = TRY(worker_.run_block(steps, block_.warm_up_steps));
    const double displacement = worker_.displacement();
    const protocol::BlockAnswer twice = TRY(worker_.run_block(2 * steps, block_.warm_up_steps));
    reason = reason_of({once.real_ns - block_.empty_block_ns, twice.real_ns - block_.empty_block_ns},
                       static_cast<double>(steps), sampled_step_ns);
    if (!reason.empty()) continue;
    if (steps < 2) return std::string();
    const std::uint64_t first = 1 + generator_() % (steps - 1);
    const double expected =
        verify::displacement(worker_.state(kStartImage, 0), TRY(worker_.run_in_two_parts(first, steps - first)));
    return untrusted_reason(displacement, {expected, expected * kReplayTolerance});
  }
  return reason;
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
      vary_start();
      const double fresh_ns = TRY(block_ns());
      if (known == Known::evaluated) {
        vary_start();
        TRY(client().set_state(kStartImage, 0));
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
