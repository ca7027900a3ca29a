#include "harness/measure/other_blocks.h"

#include <algorithm>
#include <limits>

#include "harness/base/text.h"
#include "harness/measure/trust.h"
#include "harness/verify/reference_trajectory.h"

namespace gdbench::measure {

namespace {

// Interruptions only make a block longer, by two to five times: one clean try is enough, and cheats have none.
constexpr int kTries = 8;
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

}  // namespace

Result<std::string> untrusted_for_lengths(CellWorker& worker, const report::Block& block,
                                          const std::vector<report::Sample>& samples, std::mt19937_64& generator) {
  if (block.steps < 2) return std::string();
  const double sampled_step_ns = typical_step_ns(samples);
  std::string reason;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const std::uint64_t steps = block.steps / 2 + generator() % (block.steps - block.steps / 2);
    const protocol::BlockAnswer once = TRY(worker.run_block(steps, block.warm_up_steps));
    const double displacement = worker.displacement();
    const protocol::BlockAnswer twice = TRY(worker.run_block(2 * steps, block.warm_up_steps));
    reason = reason_of({once.real_ns - block.empty_block_ns, twice.real_ns - block.empty_block_ns},
                       static_cast<double>(steps), sampled_step_ns);
    if (!reason.empty()) continue;
    if (steps < 2) return std::string();
    const std::uint64_t first = 1 + generator() % (steps - 1);
    const double expected =
        verify::displacement(worker.state(kStartImage, 0), TRY(worker.run_in_two_parts(first, steps - first)));
    return untrusted_reason(displacement, {expected, expected * kReplayTolerance});
  }
  return reason;
}

Result<std::string> untrusted_for_foresight(CellWorker& worker, const report::Block& block,
                                            const std::function<void()>& vary_start) {
  enum class Known { seen, evaluated };
  const auto block_ns = [&]() -> Result<double> {
    const protocol::BlockAnswer answer = TRY(worker.run_block(block.steps, 0));
    return answer.real_ns - block.empty_block_ns;
  };
  for (const Known known : {Known::seen, Known::evaluated}) {
    std::string reason;
    for (int attempt = 0; attempt < kTries; ++attempt) {
      vary_start();
      const double fresh_ns = TRY(block_ns());
      if (known == Known::evaluated) {
        vary_start();
        TRY(worker.client().set_state(kStartImage, 0));
        const Result<protocol::EvaluateAnswer> loss = worker.client().evaluate();
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
