// Steps that are timed one by one, in blocks next to blocks as always.
#include <algorithm>

#include "harness/measure/measured_worker.h"
#include "harness/stats/estimate.h"
#include "harness/stats/resampling.h"

namespace gdbench::measure {

namespace {

constexpr int kLeastBlocks = 5;
constexpr std::size_t kLeastSteps = 100;  // fewer have no p99
constexpr std::size_t kSteps = 1000;
// Of which half are blocks as always.
constexpr double kSeconds = 0.5;      // where there are the least steps by then
constexpr double kMostSeconds = 4.0;  // for the least steps

}  // namespace

Result<std::optional<report::SingleSteps>> MeasuredWorker::time_single_steps() {
  using Found = std::optional<report::SingleSteps>;
  std::vector<double> step_ns;
  std::vector<double> costs;
  double spent_seconds = 0;
  const auto is_done = [&] {
    if (costs.size() < kLeastBlocks) return false;
    return step_ns.size() >= kSteps || (step_ns.size() >= kLeastSteps && spent_seconds > kSeconds);
  };
  while (!is_done()) {
    vary_starts();
    const protocol::BlockAnswer usual = TRY(worker_.run_block(block_.steps, block_.warm_up_steps));
    vary_starts();
    const protocol::BlockAnswer timed = TRY(worker_.run_block_by_step(block_.steps, block_.warm_up_steps));
    if (!timed.step_ns) return Found();
    step_ns.insert(step_ns.end(), timed.step_ns->begin(), timed.step_ns->end());
    costs.push_back((timed.real_ns - block_.empty_block_ns) / (usual.real_ns - block_.empty_block_ns) - 1);
    spent_seconds += 1e-9 * (usual.real_ns + timed.real_ns);
    if (spent_seconds > kMostSeconds) return Found();
  }
  std::ranges::sort(step_ns);
  return Found(report::SingleSteps{.steps = static_cast<std::int64_t>(step_ns.size()),
                                   .p50_ns = stats::quantile(step_ns, 0.5),
                                   .p95_ns = stats::quantile(step_ns, 0.95),
                                   .p99_ns = stats::quantile(step_ns, 0.99),
                                   .max_ns = step_ns.back(),
                                   .cost = stats::median(costs)});
}

}  // namespace gdbench::measure
