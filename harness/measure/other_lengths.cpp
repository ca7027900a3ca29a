#include "harness/measure/other_lengths.h"

#include <algorithm>
#include <limits>

#include "harness/base/text.h"
#include "harness/measure/trust.h"
#include "harness/verify/yardstick.h"

namespace gdbench::measure {

namespace {

// Interruptions only make a block longer, by two to five times: one clean try is enough, and cheats have none.
constexpr int kTries = 8;
// A step of another length of block may take this much longer: caches and clocks differ, a remembered answer or work
// that is left behind is off by far more.
constexpr double kLongerStep = 2.5;
constexpr double kLeastGrowth = 1.5;  // of the time, from n steps to 2n
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
  if (growth >= kLeastGrowth) return {};
  return formatted("twice as many steps take only %.2f times as long", growth);
}

double typical_step_ns(const std::vector<result::Sample>& samples) {
  std::vector<double> times;
  for (const result::Sample& sample : samples) {
    if (!sample.cold) times.push_back(sample.real_ns);
  }
  return stats::median(std::move(times));
}

}  // namespace

Result<std::string> reason_for_distrust_of_lengths(CellWorker& worker, const result::Block& block,
                                                   const std::vector<result::Sample>& samples,
                                                   const scenario::State& start, std::mt19937_64& generator) {
  if (block.steps < 2) return std::string();
  const double sampled_step_ns = typical_step_ns(samples);
  std::string reason;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const std::uint64_t steps = block.steps / 2 + generator() % (block.steps - block.steps / 2);
    const Result<worker::BlockAnswer> once = worker.run_block(steps, block.warm_up_steps);
    if (!once.ok()) return once.error();
    const double displacement = verify::displacement(start, worker.state(kEndImage, once.value().end_step));
    const Result<worker::BlockAnswer> twice = worker.run_block(2 * steps, block.warm_up_steps);
    if (!twice.ok()) return twice.error();
    reason = reason_of({once.value().real_ns - block.empty_block_ns, twice.value().real_ns - block.empty_block_ns},
                       static_cast<double>(steps), sampled_step_ns);
    if (!reason.empty()) continue;
    if (steps < 2) return std::string();
    const std::uint64_t first = 1 + generator() % (steps - 1);
    const Result<scenario::State> replayed = worker.run_in_two_parts(first, steps - first);
    if (!replayed.ok()) return replayed.error();
    const double expected = verify::displacement(start, replayed.value());
    return reason_for_distrust(displacement, {expected, expected * kReplayTolerance});
  }
  return reason;
}

}  // namespace gdbench::measure
