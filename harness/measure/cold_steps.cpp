// Steps alone in their block, some of them after the caches were filled with what is none of theirs.
#include <algorithm>

#include "harness/measure/measured_worker.h"
#include "harness/stats/estimate.h"

namespace gdbench::measure {

namespace {

constexpr std::size_t kPairs = 15;
constexpr std::size_t kLeastPairs = 5;
constexpr double kMostSeconds = 4.0;
// What a block without steps reads is this share of a steady step at the most, or a step cannot be timed alone.
constexpr double kMostOfEmptyBlock = 0.05;

}  // namespace

Result<std::optional<report::ColdSteps>> MeasuredWorker::time_cold_steps(const std::function<Status()>& fill_caches) {
  using Found = std::optional<report::ColdSteps>;
  if (block_.empty_block_ns > kMostOfEmptyBlock * stats::median(step_times_ns_)) return Found();
  std::vector<double> warm_ns;
  std::vector<double> cold_ns;
  double spent_seconds = 0;
  const std::uint64_t warm_up = std::max<std::uint64_t>(1, block_.warm_up_steps);
  while (warm_ns.size() < kPairs && (warm_ns.size() < kLeastPairs || spent_seconds < kMostSeconds)) {
    vary_starts();
    const protocol::BlockAnswer warm = TRY(worker_.run_block(1, warm_up));
    vary_starts();
    const protocol::BlockAnswer cold = TRY(worker_.run_block_after(fill_caches, 1, warm_up));
    warm_ns.push_back(warm.real_ns - block_.empty_block_ns);
    cold_ns.push_back(cold.real_ns - block_.empty_block_ns);
    spent_seconds += 1e-9 * (warm.real_ns + warm.warm_up_ns + cold.real_ns + cold.warm_up_ns);
  }
  return Found(report::ColdSteps{.steps = static_cast<std::int64_t>(cold_ns.size()),
                                 .cold_ns = stats::median(std::move(cold_ns)),
                                 .warm_ns = stats::median(std::move(warm_ns))});
}

}  // namespace gdbench::measure
