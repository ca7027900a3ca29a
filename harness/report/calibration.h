// What comparisons on this machine are worth: how often they alarm without a cause, and which slowdown they find.
#pragma once

#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/report/comparison.h"
#include "harness/stats/estimate.h"

namespace gdbench::report {

// One comparison of an implementation with itself, slowed down by a known share.
struct CalibrationOutcome {
  int number = 0;        // in the order of the plan
  std::string workload;  // "mlp-10-50-1/hand/eigen"
  double slowdown = 0;   // that was added, as a share of the step
  Change change = Change::inconclusive;
  double ratio = 0;  // slowed over plain, with its interval; 0: nothing was measured
  stats::Interval interval;
  double seconds = 0;
};

// All comparisons at one slowdown. Limits are exact (Clopper and Pearson), one-sided, at 95%.
struct CalibrationLevel {
  double slowdown = 0;
  int comparisons = 0;
  int regressed = 0;  // without a slowdown: false alarms
  int improved = 0;   // always wrong
  double share = 0;   // of the regressed, and, without a slowdown, of the improved too
  double lower_limit = 0;
  double upper_limit = 0;
  double median_ratio = 0;
  double seconds = 0;  // median of a comparison
};

struct Calibration {
  int launches = 0;  // of either side in a comparison, before a confirmation
  double margin = 0;
  double confidence = 0;
  int planned = 0;  // comparisons, fixed beforehand
  std::vector<CalibrationOutcome> outcomes;
};

// By slowdown, in ascending order.
std::vector<CalibrationLevel> levels_of(const Calibration& calibration);

// The slowdown that four in five comparisons find, on the straight line between the levels around it; 0 where no level
// reaches that.
double smallest_detectable_slowdown(const std::vector<CalibrationLevel>& levels);

OrderedJson to_json(const Calibration& calibration);

}  // namespace gdbench::report
