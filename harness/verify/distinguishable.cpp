#include "harness/verify/distinguishable.h"

#include <cstddef>
#include <vector>

#include "harness/verify/norms.h"
#include "harness/verify/parameter_rounding.h"
#include "harness/verify/reference.h"

namespace gdbench::verify {

using catalogue::ParameterRounding;
using data::Dataset;
using scenario::Problem;

Error moves_too_little(const std::string& what) {
  return usage_error(what + ", so a wrong result could not be distinguished from a right one");
}

namespace {

// Whether parameters are beyond the tolerance of a trajectory's end.
bool is_distinguishable(const ReferenceTrajectory& step, const std::vector<std::vector<double>>& parameters) {
  for (std::size_t p = 0; p < step.tensors.size(); ++p) {
    if (distance(step.tensors[p].values, parameters[p]) > step.tensors[p].tolerance) return true;
  }
  return false;
}

// Whether one step tells how parameters are rounded from the other way and from other random numbers, by which few
// entries may be rounded alike. Those that are not rounded at all are found without a tolerance.
Status check_that_parameter_rounding_shows(const Problem& problem, const Dataset& dataset,
                                           const ReferenceTrajectory& step) {
  constexpr int kOtherSeeds = 16;
  ReferenceState<double> state = to_reference<double>(step.start);
  train(problem, dataset, state, step.steps);
  const auto is_visible = [&](const Problem& other) {
    state.parameters = state.unrounded;
    round_parameters(other, state);
    return is_distinguishable(step, state.parameters);
  };
  const bool nearest = problem.parameter_rounding == ParameterRounding::nearest;
  Problem other = problem;
  other.parameter_rounding = nearest ? ParameterRounding::stochastic : ParameterRounding::nearest;
  bool visible = is_visible(other);
  other = problem;
  for (int i = 0; i < kOtherSeeds && visible && !nearest; ++i) {
    ++other.rounding_seed;
    visible = is_visible(other);
  }
  if (visible) return {};
  return moves_too_little("one step ends within the tolerance of one that rounds parameters otherwise");
}

}  // namespace

Status check_that_rounding_shows(const Problem& problem, const Dataset& dataset, const ReferenceTrajectory& step) {
  if (problem.rounds_parameters()) return check_that_parameter_rounding_shows(problem, dataset, step);
  ReferenceState<double> other = to_reference<double>(step.start);
  if (!problem.rounds_results) train(uniform_of(problem), dataset, other, step.steps);
  if (is_distinguishable(step, other.parameters)) return {};
  return moves_too_little(problem.rounds_results ? "one step moves no parameter by more than its tolerance"
                                                 : "one step ends within the tolerance of one without rounding");
}

}  // namespace gdbench::verify
