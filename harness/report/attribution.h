// What the differences of a run are made of, and what they are worth. Computed by summarise() from samples, launches
// and profiles; shown by the renderers and put into words by explain.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/report/profile.h"
#include "harness/stats/break_even.h"
#include "harness/stats/estimate.h"

namespace gdbench::report {

// Arms: which build a cell was measured with, or that it is an A/A control, another cell again. Every run has this one;
// the others are there where gdbench run --against asks for them.
constexpr const char* kNewArm = "new";
constexpr const char* kBaseArm = "base";
// The same sources once more, their code at other addresses: where these differ, the layout does it.
constexpr const char* kNewPaddedArm = "new-padded";
constexpr const char* kBasePaddedArm = "base-padded";
constexpr const char* kControlArm = "control";

// The A/A control, which bounds what verdicts are worth: one cell measured twice under two names. What the two differ
// by is the machine's doing.
struct Control {
  std::string scenario;          // its key
  std::string cell;              // in the arm kControlArm
  std::string twin;              // the same cell in the arm that it repeats
  stats::Comparison comparison;  // of the control to its twin, paired by launch and round
};

// One op of two profiles, per step; times are self times with the clock readings that profiling adds. An op that only
// one of them has counts nothing in the other.
struct OpDifference {
  Phase phase = Phase::other;
  std::string op;
  double calls = 0;
  double base_calls = 0;
  double time_ns = 0;
  double base_time_ns = 0;
};

// What a strategy costs: "tape/eigen" against "hand/eigen", in the same scenario, with the same threads and arm. The
// base is of the baseline's strategy or, where that shares its backends with none (loop/plain), of "hand".
struct FrameworkTax {
  std::string cell;
  std::string base;
  stats::Estimate difference_ns;  // per step, paired by launch and round; negative where the strategy wins
  stats::Comparison ratio;        // of the cell's time to the base's, paired alike
  double calls_per_step = 0;      // of the cell (calls_per_step of report.h)
  double difference_per_call_ns = 0;
  std::vector<OpDifference> ops;  // largest difference first; empty where one of the two has no profile
};

// From how many steps on `cell` is done before `other`, loading, preparing and the first step counted. Only of cells
// whose steps are distinguished: `cell` is faster by the verdict that every table gives.
struct BreakEvenRecord {
  std::string cell;
  std::string other;
  stats::BreakEven result;
};

// time of a step = step_ns + call_ns * kernel calls + operation_ns * floating-point operations, fitted over the
// scenarios of one implementation (of one dtype, thread count and arm) by relative least squares. A coefficient that
// took no part has no launches: calls that do not vary, operations of an implementation that does none.
struct CostFit {
  std::string implementation;
  std::string dtype;
  int threads = 1;
  std::string arm = kNewArm;
  int scenarios = 0;
  stats::Estimate step_ns;
  stats::Estimate call_ns;
  stats::Estimate operation_ns;
  double largest_relative_residual = 0;
  // Since 1.6: which of the three are 0 or not distinguished from it, by their names. Their intervals are one-sided:
  // from 0 to what they are at most. Where that is 0 too, they are in every resample, and no limit is known.
  std::optional<std::vector<std::string>> at_bound{};
};

struct Attribution {
  std::vector<FrameworkTax> taxes;
  std::vector<BreakEvenRecord> break_evens;
  std::vector<CostFit> fits;
};

}  // namespace gdbench::report
