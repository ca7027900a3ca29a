#include "harness/measure/time_needed.h"

#include <algorithm>
#include <cmath>

#include "harness/verify/reference_trajectory.h"

namespace gdbench::measure {

namespace {

// On one quiet processor of 2024, in seconds: from the start of a worker until it is prepared, and what verifying and
// calibrating wait for besides. Slower machines show in what the first scenarios take.
constexpr double kStart = 0.04;
constexpr double kAdapterStart = 3;
constexpr double kPauses = 0.06;
// Operations per second of a step, between plain loops and a vendor's library.
constexpr double kStepRate = 3e10;
// Blocks' worth of steps: to calibrate and to profile; in a launch that also looks at other lengths.
constexpr double kBlocksToVerify = 10;
constexpr double kBlocksOfLaunch = 14;

double block_seconds(const scenario::Problem& problem, bool hosted, const RunOptions& options) {
  const double step = scenario::operations_per_step(problem) / kStepRate;
  const double block = hosted ? options.block_seconds + options.warm_up_seconds
                              : options.adapter_block_seconds + options.adapter_warm_up_seconds;
  return std::max(block, 2 * step);  // at least one step, and one to warm up
}

}  // namespace

TimeNeeded::TimeNeeded(const Plan& plan, const RunOptions& options) {
  for (const auto& planned : plan.scenarios) {
    if (planned->cells.empty()) continue;
    Estimate estimate;
    estimate.verification = verify::reference_seconds(planned->problem, {});
    for (const PlannedCell& cell : planned->cells) {
      const bool hosted = cell.entry->hosted();
      const double block = block_seconds(planned->problem, hosted, options);
      const double start = hosted ? kStart : kAdapterStart;
      estimate.verification += (options.profiles && hosted ? 2 : 1) * start + kPauses + kBlocksToVerify * block;
      estimate.launch += start + kBlocksOfLaunch * block;
    }
    launches_ += estimate.launch;
    open_[planned.get()] = estimate;
  }
}

void TimeNeeded::verified(const PlannedScenario& planned, double seconds) {
  const auto found = open_.find(&planned);
  if (found == open_.end()) return;
  done_ += found->second.verification;
  took_ += seconds;
  open_.erase(found);
}

double TimeNeeded::rest(const PlannedScenario* under_way) const {
  double rest = launches_;
  for (const auto& [planned, estimate] : open_) rest += planned == under_way ? 0 : estimate.verification;
  return done_ > 0 ? rest * took_ / done_ : rest;
}

}  // namespace gdbench::measure
