// How far an implementation's result may be from the reference; check.h compares.
//
// The expected trajectory is computed in the next wider type than the cell's (double for f32, long double for f64). The
// same reference in the cell's own type shows what rounding alone does; an implementation may be off by a stated factor
// of that, per tensor by 2-norm, with a floor for where the own type's errors happen to cancel:
// c * epsilon * (sqrt(steps (1 + rows / 4)) * norm of the tensor + way that it moved + what the optimizer makes of
// sqrt(k) * size of the summed terms), where k is the longest sum that the tensor depends on (rounding.h says how that
// is estimated, update.h what becomes of it), plus what ties of a ReLU allow. The constants and their reasons are in
// reference_trajectory.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/data/dataset.h"
#include "harness/scenario/problem.h"

namespace gdbench::verify {

struct ReferenceOptions {
  std::int64_t steps = 5;  // length of the trajectory, at least; longer, or later, where an optimizer begins otherwise
  // With mini-batches the trajectory goes on into the second epoch, up to this many steps; where an epoch has more, it
  // starts late enough in the first one. So the smaller last batch is always among its steps.
  std::int64_t max_steps = 64;
  // Above this many operations for the whole trajectory only one step is taken. Every entry that it updates is still
  // compared: a sample of steps, not of entries. For an f64 problem, whose reference has no vectors, a tenth.
  double trajectory_operations = 4e9;
  // Above this many operations the loss over all rows is not evaluated, neither by the reference nor by a cell.
  double evaluation_operations = 1e10;
};

struct ExpectedTensor {
  std::string name;       // "w0"
  std::int64_t rows = 0;  // of the whole tensor; a bias has one row
  std::int64_t columns = 0;
  std::vector<long double> values;  // after the last step
  double tolerance = 0;             // on the 2-norm of the difference
  // Of a sample: on each entry's difference. The 2-norm of millions of entries hides a wrong one, and most of what ties
  // allow concerns few of them.
  std::vector<float> entry_tolerances;
  double scale = 0;  // 2-norm of the values; relative errors are difference / scale
};

struct ReferenceTrajectory {
  std::int64_t steps = 0;
  bool sampled = false;        // a single step, because of what more would cost
  bool evaluated = true;       // there is a loss over all rows, for evaluate() to be compared with
  scenario::State start = {};  // set_state this, run `steps` steps, get_state
  std::vector<ExpectedTensor> tensors = {};
  std::vector<double> losses = {};  // of each step's batch before the update
  // Over all training rows, or where they are not evaluated over the rows of the last step's batch: before the first
  // (or that) step and after the last one.
  double initial_loss = 0;
  double final_loss = 0;
  double loss_tolerance = 0;         // on evaluate() after the last step, absolute
  bool bfloat16_parameters = false;  // every parameter must be exactly a bfloat16 after the last step
  // After the last step, to be met exactly; empty where the dtype does not scale the loss.
  std::vector<double> loss_scaling = {};
};

// About how many seconds make_reference_trajectory takes here, by a small product that is timed, once.
double reference_seconds(const scenario::Problem& problem, const ReferenceOptions& options);

// Computes the reference. Errors: the reference itself diverges (NaN or infinity), or it moves the parameters by no
// more than the tolerance, so that doing nothing would pass: the scenario is unfit; a start state that does not have
// the problem's shapes; a streamed file that cannot be read as before.
Result<ReferenceTrajectory> make_reference_trajectory(const scenario::Problem& problem, const data::Dataset& dataset,
                                                      const scenario::State& start, const ReferenceOptions& options);

// The same problem in the uniform dtype of its elements.
scenario::Problem uniform_of(const scenario::Problem& problem);

// The one step that distinguishes a mixed dtype from others. Of several, all but the first begin at parameters whose
// least errors may become large ones of operands, so that right results spread as far as wrong ones. It is the first of
// `whole`; with an optimizer that has slots, a later one. Errors: as above, and where it cannot be distinguished from a
// step in the uniform dtype (or, where results are rounded, from no step).
Result<ReferenceTrajectory> make_single_step(const ReferenceTrajectory& whole, const scenario::Problem& problem,
                                             const data::Dataset& dataset);

// A reference trajectory of the first `steps` steps of another one's.
Result<ReferenceTrajectory> make_prefix(const ReferenceTrajectory& whole, std::int64_t steps,
                                        const scenario::Problem& problem, const data::Dataset& dataset);

}  // namespace gdbench::verify
