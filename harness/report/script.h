// What steps of a framework take in a process that nothing was done for, as a script's is.
#pragma once

#include <optional>

#include "harness/stats/estimate.h"

namespace gdbench::report {

// A step in a process that keeps no freed memory and collects garbage as it likes, as scripts do.
struct ScriptStep {
  double step_ns = 0;                      // the least of some blocks
  std::optional<double> page_faults = {};  // of a step in that one
};

// What the steps of a cell take in a process as a script's.
struct ScriptTime {
  stats::Estimate ratio;                   // to the samples, of the same launches
  std::optional<double> page_faults = {};  // of a step, median over launches
};

// Beyond this, in either direction, a reader has to know of it.
constexpr double kNamedScriptRatio = 1.1;

// Whether all of a ratio's interval lies there.
inline bool is_named(const ScriptTime& script) {
  const stats::Interval& interval = script.ratio.interval;
  return interval.low > kNamedScriptRatio || interval.high < 1 / kNamedScriptRatio;
}

}  // namespace gdbench::report
