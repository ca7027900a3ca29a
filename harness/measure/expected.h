// Where a timed block must end, by the reference.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "harness/data/dataset.h"
#include "harness/measure/block_starts.h"
#include "harness/scenario/problem.h"

namespace gdbench::measure {

// How far the parameters must have moved after a block that begins at the scenario's start or at a variation of it, and
// within what.
struct ExpectedDisplacement {
  double value = 0;
  double tolerance = 0;
  double rounding = 0;  // how far from there the same reference ends in the cell's own type, 2-norm
  std::shared_ptr<const Parameters> way = {};  // from the scenario's start to the end; null where nothing is varied
};

// By the reference, where a block of `steps` steps is affordable (nothing otherwise; a single step always is, as
// verification has made one). `problem` has the learning rate of timed blocks.
std::optional<ExpectedDisplacement> expected_displacement(const scenario::Problem& problem,
                                                          const data::Dataset& dataset, const scenario::State& start,
                                                          std::uint64_t steps);

// Empty where `displacement` is what was expected.
std::string untrusted_reason(double displacement, const ExpectedDisplacement& expected);

// Where only a single step is affordable, which moves the parameters by `step`: empty where `steps` of this optimizer
// can move them by `displacement`, 2-norms all.
std::string untrusted_for_steps(double displacement, double step, std::uint64_t steps,
                                const catalogue::Optimizer& optimizer);

// Where a block from one particular start must end. `tolerance` is on the 2-norm of the difference in all parameters.
// Up to `forgivable` a right end may be off now and then, where units of a ReLU change sides; other blocks then decide.
struct ExpectedEnd {
  scenario::State state;
  double displacement = 0;
  double tolerance = 0;
  double forgivable = 0;
  bool shares_rounding = false;  // what is forgivable is rounding alone: the same steps in short parts end there, too
};

// Likewise, where it is affordable. `rounding`: of as many steps from the scenario's start.
std::optional<ExpectedEnd> expected_end(const scenario::Problem& problem, const data::Dataset& dataset,
                                        const scenario::State& start, std::uint64_t steps, double rounding);

// Whether units of a ReLU that change sides for good, or a mixed dtype's operands, explain an end that is beyond the
// tolerance: it is within what comes of starts, and of states on the way, that are off by some roundings: up to 32
// trainings more, or six where they take long. One block in some fifty of a small network has such a start.
bool comes_of_rounding(const scenario::Problem& problem, const data::Dataset& dataset, const scenario::State& start,
                       std::uint64_t steps, const scenario::State& end, const ExpectedEnd& expected);

// Whether an end that is beyond the tolerance may be right all the same: within what is forgivable, or of what comes of
// rounding; others then decide.
bool is_forgivable(const scenario::Problem& problem, const data::Dataset& dataset, const scenario::State& start,
                   std::uint64_t steps, const scenario::State& end, const ExpectedEnd& expected);

// About how many seconds either takes; 0 where it is not affordable.
double replay_seconds(const scenario::Problem& problem, std::uint64_t steps);

// Empty where `end` is within the tolerance.
std::string untrusted_reason(const scenario::State& end, const ExpectedEnd& expected);

// How much of the displacement two ends of the same steps may differ by where neither is the reference's: threads may
// add in another order from run to run, and a unit of a ReLU change sides.
double replay_tolerance(const scenario::Problem& problem);

// Whether expected_end takes so little time, some hundredths of a second, that it may be asked in every launch.
bool is_quickly_checked(const scenario::Problem& problem, std::uint64_t steps);

}  // namespace gdbench::measure
