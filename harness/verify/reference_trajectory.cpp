#include "harness/verify/reference_trajectory.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "harness/base/text.h"
#include "harness/verify/distinguishable.h"
#include "harness/verify/norms.h"
#include "harness/verify/parameter_rounding.h"
#include "harness/verify/products.h"
#include "harness/verify/reference.h"
#include "harness/verify/rounding.h"
#include "harness/verify/update.h"

namespace gdbench::verify {

namespace {

using catalogue::ParameterRounding;
using data::Dataset;
using scenario::ParameterShape;
using scenario::Problem;
using scenario::slot_count;

// An implementation may be this many times further off than the reference in the cell's own type. Both are draws from
// the same distribution of rounding errors; over tensors of a few entries their norms scatter by a factor of 2 to 3.
constexpr double kFactor = 4;

// c of the floor. The estimates in rounding.h take a whole epsilon per rounding, whose standard deviation is
// epsilon / (2 sqrt(3)); correct results of hundreds of random problems in five orders of summation stay below 0.2 of
// the tolerance then. The rest is room for exp and tanh that are a few units in the last place off. The task gradients
// needs no more: a sum over outputs is taken of gradients instead of within a product, and stays below 0.1 of the
// tolerance for 2 to 64 outputs.
constexpr double kFloor = 2;

// The same for single entries of one step. Theirs scatter more: the largest of millions of draws is some 5 standard
// deviations off, and features of unequal size have unequal errors.
constexpr double kEntryFactor = 8;

// A tie moves later steps' gradients too. How much is seen by deciding all ties the other way; with several ties the
// worst choice of sides may move a tensor further than all of them together.
constexpr double kFlippedTiesFactor = 3;

// A first update by the sign of the gradient, as Adam's is, does not show how the gradient was rounded.
constexpr std::int64_t kStepsBefore = 3;

// A number that comes this near to overflow, as a share of it, may overflow elsewhere: right results differ by some
// roundings. Where results are rounded by an implementation's own rule, by several of its roundings.
constexpr double kNearOverflow = 1e-3;
constexpr double kNearOverflowRounded = 1e-2;

bool averages(const Problem& problem) { return catalogue::averages(problem.optimizer.kind); }

// A trajectory with everything that its tolerance is made from. Per parameter: sums over the steps.
template <class T>
struct Trajectory {
  ReferenceState<T> state;
  std::vector<double> losses;
  std::int64_t updates = 0;
  std::vector<RoundingError> rounding;  // what ReferenceGradients::rounding and the update's own may add up to
  std::vector<double> tie_allowance;    // the same of ReferenceGradients::tie_allowance
  // Where updates round parameters: what entries near two numbers add up to, and the largest of a batch's `rounding`.
  std::vector<double> undecided;
  std::vector<double> largest_rounding;
  std::vector<std::vector<T>> last_gradients;
  // Of the last step: of the gradients' 2-norms, and of each entry.
  std::vector<RoundingError> last_rounding;
  std::vector<std::vector<double>> last_tie_bounds;
};

// How the update changes errors of the gradient, each kind by itself.
template <class T>
std::vector<RoundingError> rounding_after_update(const Problem& problem, const ReferenceState<T>& state,
                                                 const std::vector<RoundingError>& gradient_errors,
                                                 std::int64_t steps_left) {
  std::vector<double> own;
  std::vector<double> narrowed;
  for (const RoundingError& error : gradient_errors) {
    own.push_back(error.own);
    narrowed.push_back(error.narrowed);
  }
  own = update_errors(problem.optimizer, state, own, steps_left);
  narrowed = update_errors(problem.optimizer, state, narrowed, steps_left);
  std::vector<RoundingError> errors;
  for (std::size_t p = 0; p < own.size(); ++p) errors.push_back({own[p], narrowed[p]});
  return errors;
}

// After a step that rounded the parameters: what was off by less than to the next number no longer is, except entries
// that may have become another number. Gradients may be off by all of their estimated error, spread evenly: a typical
// one is off by far less, but one entry that is found wrong is one too many. Those of `steps_before` may have been off,
// too.
template <class T>
void add_undecided(const Problem& problem, const ReferenceGradients<T>& batch, std::int64_t steps_before,
                   Trajectory<T>& trajectory) {
  const ReferenceState<T>& state = trajectory.state;
  std::vector<double> spread;
  for (std::size_t p = 0; p < state.parameters.size(); ++p) {
    trajectory.largest_rounding[p] = std::max(trajectory.largest_rounding[p], batch.rounding[p].total());
    spread.push_back(trajectory.largest_rounding[p] / std::sqrt(static_cast<double>(state.parameters[p].size())));
  }
  const UpdateError<T> update(problem.optimizer, state, steps_before);
  const double epsilon = epsilon_of(problem.dtype);
  const std::vector<double> norms = undecided_parameters<T>(problem, state, [&](std::size_t p, std::size_t i) {
    const double tie = batch.tie_bounds[p].empty() ? 0.0 : batch.tie_bounds[p][i];
    return update.of(p, i, spread[p] + tie) + kFloor * epsilon * std::abs(static_cast<double>(state.unrounded[p][i]));
  });
  for (std::size_t p = 0; p < norms.size(); ++p) {
    trajectory.undecided[p] = std::hypot(trajectory.undecided[p], norms[p]);
  }
}

template <class T>
Result<Trajectory<T>> follow(const Problem& problem, const Dataset& dataset, const scenario::State& start,
                             std::int64_t steps, Ties ties) {
  Trajectory<T> result;
  result.state = to_reference<T>(start);
  const std::size_t count = start.parameters.size();
  result.rounding.resize(count);
  result.tie_allowance.assign(count, 0.0);
  result.undecided.assign(count, 0.0);
  result.largest_rounding.assign(count, 0.0);
  result.last_rounding.resize(count);
  result.last_tie_bounds.resize(count);
  result.last_gradients.resize(count);
  const double epsilon = epsilon_of(problem.dtype);
  // Where operands are rounded, the least error of a parameter may be a large one of an operand.
  std::vector<RoundingError> parameter_errors(count);
  for (std::int64_t step = 0; step < steps; ++step) {
    ReferenceGradients<T> batch = gradients(problem, dataset, result.state, ties, parameter_errors);
    if (batch.distance_to_overflow < (problem.rounds_results ? kNearOverflowRounded : kNearOverflow)) {
      return usage_error("step " + std::to_string(start.step + step) +
                         " comes so near to overflow that rounding decides whether it is skipped");
    }
    const std::vector<std::vector<T>> before = result.state.parameters;
    const bool skipped = !take_step(problem, batch.parameters, result.state);
    if (!std::isfinite(batch.loss) || !all_finite(result.state.parameters)) {
      return usage_error("the reference diverges at step " + std::to_string(start.step + step) +
                         ": its loss or its parameters are not finite; the learning rate is too large for the data");
    }
    result.losses.push_back(static_cast<double>(batch.loss));
    if (skipped) continue;
    ++result.updates;
    const std::int64_t left = steps - step - 1;
    const double moved_error = epsilon + scalars_error(problem.optimizer, result.state.step - result.state.skipped);
    const std::vector<RoundingError> rounded = rounding_after_update(problem, result.state, batch.rounding, left);
    const std::vector<double> tied = update_errors(problem.optimizer, result.state, batch.tie_allowance, left);
    for (std::size_t p = 0; p < count; ++p) {
      const std::vector<T>& values = result.state.parameters[p];
      const double own = epsilon * rounding_of_matrix(problem.optimizer, result.state, p);
      const RoundingError updated = rounded[p] + RoundingError{moved_error * distance(before[p], values) + own};
      result.rounding[p] = result.rounding[p] + updated;
      result.tie_allowance[p] += tied[p];
      if (!catalogue::is_mixed(problem.dtype)) continue;
      parameter_errors[p] = parameter_errors[p] + updated + RoundingError{epsilon * norm(values)};
    }
    if (problem.rounds_parameters()) {
      add_undecided(problem, batch, step, result);
      for (std::size_t p = 0; p < count; ++p) parameter_errors[p] = {0, result.undecided[p]};
    }
    // Which update is the last one is known ahead where none is skipped: what none needs takes no memory meanwhile.
    if (left > 0 && !catalogue::scales_loss(problem.dtype)) continue;
    result.last_gradients = std::move(batch.parameters);
    result.last_rounding = std::move(batch.rounding);
    result.last_tie_bounds = std::move(batch.tie_bounds);
  }
  return result;
}

// How far each parameter may move because of ties, 0 where there are none.
template <class T>
Result<std::vector<double>> tie_tolerances(const Problem& problem, const Dataset& dataset,
                                           const ReferenceTrajectory& reference, const Trajectory<T>& expected) {
  std::vector<double> tolerances = expected.tie_allowance;
  if (*std::max_element(tolerances.begin(), tolerances.end()) == 0.0) return tolerances;
  const auto flipped = TRY(follow<T>(problem, dataset, reference.start, reference.steps, Ties::flipped));
  for (std::size_t p = 0; p < tolerances.size(); ++p) {
    tolerances[p] += kFlippedTiesFactor * distance(expected.state.parameters[p], flipped.state.parameters[p]);
  }
  return tolerances;
}

// By how many epsilons a step rounds a parameter. An implementation may add each row's term to it, and rounds it by
// half an epsilon as a rule. Of a mixed dtype sums are added up first (docs/arithmetic.md): that might be more than
// rounding its operands comes to.
double roundings_of_update(const Problem& problem) {
  if (catalogue::is_mixed(problem.dtype) || problem.task == scenario::Task::update) return 1;
  return std::sqrt(1 + static_cast<double>(problem.batch_rows) / 4);
}

// Of a trajectory of one step, for the entries of parameter p. A stored value and its update are rounded by less than
// epsilon; the gradient's rounding is assumed to be spread evenly.
template <class T>
std::vector<float> entry_tolerances(const Problem& problem, const std::vector<double>& start,
                                    const Trajectory<T>& trajectory, std::size_t p) {
  const UpdateError<T> error(problem.optimizer, trajectory.state, 0);
  const std::vector<T>& values = trajectory.state.parameters[p];
  const std::vector<double>& ties = trajectory.last_tie_bounds[p];
  const double epsilon = epsilon_of(problem.dtype);
  const ReferenceState<T>& state = trajectory.state;
  const double moved_error = epsilon + scalars_error(problem.optimizer, state.step - state.skipped);
  const double root = std::sqrt(static_cast<double>(values.size()));
  const double rounding = trajectory.last_rounding[p].total() / root;
  const double own = epsilon * rounding_of_matrix(problem.optimizer, state, p) / root;
  const double roundings = roundings_of_update(problem);
  std::vector<float> tolerances;
  tolerances.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = static_cast<double>(values[i]);
    const double stored = roundings * epsilon * std::abs(value) + moved_error * std::abs(value - start[i]);
    const double tie = ties.empty() ? 0.0 : error.of(p, i, ties[i]);
    tolerances.push_back(static_cast<float>(kEntryFactor * (stored + own + error.of(p, i, rounding)) + tie));
  }
  return tolerances;
}

// Without slots that no evaluation reads.
template <class T>
ReferenceState<double> in_double(const Problem& problem, ReferenceState<T> state) {
  ReferenceState<double> result;
  result.step = state.step;
  result.loss_scale = static_cast<double>(state.loss_scale);
  for (std::size_t s = 0; averages(problem) && s < state.slots.size(); ++s) {
    result.slots.emplace_back(state.slots[s].begin(), state.slots[s].end());
  }
  if constexpr (std::is_same_v<T, double>) {
    result.parameters = std::move(state.parameters);
  } else {
    for (const std::vector<T>& tensor : state.parameters) result.parameters.emplace_back(tensor.begin(), tensor.end());
  }
  return result;
}

// In double for both dtypes: only an f64 cell's tolerance feels its rounding, and allows several times that.
template <class Own>
void add_losses(const Problem& problem, const Dataset& dataset, const std::vector<double>& loss_slopes,
                ReferenceState<double> end, const ReferenceState<Own>& own_end, ReferenceTrajectory& reference) {
  if (!reference.evaluated) {
    reference.initial_loss = reference.losses.back();
    --end.step;
    reference.final_loss = batch_loss(problem, dataset, end);
    return;
  }
  // The parameters that a cell evaluates may be off by as much.
  std::vector<RoundingError> parameter_errors(reference.tensors.size());
  if (catalogue::is_mixed(problem.dtype)) {
    for (std::size_t p = 0; p < parameter_errors.size(); ++p)
      parameter_errors[p].narrowed = reference.tensors[p].tolerance;
  }
  const Evaluation<double> last = evaluate_with_rounding(problem, dataset, end, parameter_errors);
  reference.final_loss = last.loss;
  const auto own = static_cast<double>(evaluate(problem, dataset, own_end));
  end.parameters = reference.start.parameters;
  end.slots.clear();
  if (averages(problem)) end.slots = reference.start.slots;
  reference.initial_loss = evaluate(problem, dataset, end);
  reference.loss_tolerance = kFactor * std::abs(own - last.loss) + kFloor * last.rounding.total();
  // X = Y / momentum + (1 - 1 / momentum) Z, of which Z may be off as far as Y.
  const double reach = averages(problem) ? 2 / problem.optimizer.momentum - 1 : 1;
  for (std::size_t p = 0; p < loss_slopes.size(); ++p) {
    reference.loss_tolerance += reach * loss_slopes[p] * reference.tensors[p].tolerance;
  }
}

// Goes on to a step that updates, with a dtype that skips others; returns whether it had to.
bool pass_skipped_steps(const Problem& problem, const Dataset& dataset, ReferenceState<float>& state) {
  constexpr std::int64_t kMostSkipped = 64;
  if (!catalogue::scales_loss(problem.dtype)) return false;
  const std::int64_t first = state.step;
  while (state.step < first + kMostSkipped) {
    ReferenceState<float> next = state;
    train(problem, dataset, next, 1);
    if (next.skipped == state.skipped) break;
    state = std::move(next);
  }
  return state.step != first;
}

// The floating type of the reference that a cell's own type is compared with.
template <class T>
using NextWider = std::conditional_t<std::is_same_v<T, float>, double, long double>;

template <class Own, class Wide>
Result<ReferenceTrajectory> measure(const Problem& problem, const Dataset& dataset, ReferenceTrajectory reference) {
  Trajectory<Wide> expected = TRY(follow<Wide>(problem, dataset, reference.start, reference.steps, Ties::as_computed));
  Trajectory<Own> own = TRY(follow<Own>(problem, dataset, reference.start, reference.steps, Ties::as_computed));
  if (!averages(problem)) own.state.slots.clear();
  own.state.directions.clear();
  own.last_gradients.clear();
  own.last_tie_bounds.clear();
  const auto ties = TRY(tie_tolerances(problem, dataset, reference, expected));

  const double epsilon = epsilon_of(problem.dtype);
  const std::vector<ParameterShape> shapes = state_shapes(problem);
  std::vector<double> loss_slopes;
  bool moves = false;
  for (std::size_t p = 0; p < shapes.size(); ++p) {
    const std::vector<Wide>& values = expected.state.parameters[p];
    ExpectedTensor tensor;
    tensor.name = shapes[p].name;
    tensor.rows = shapes[p].rows;
    tensor.columns = shapes[p].columns;
    tensor.values.assign(values.begin(), values.end());
    tensor.scale = norm(values);
    const double stored = roundings_of_update(problem) * std::sqrt(static_cast<double>(reference.steps)) * tensor.scale;
    const double rounding = problem.rounds_parameters() ? expected.undecided[p]
                                                        : kFloor * (epsilon * stored + expected.rounding[p].total());
    tensor.tolerance = kFactor * distance(values, own.state.parameters[p]) + rounding + ties[p];
    moves = moves || distance(reference.start.parameters[p], values) > tensor.tolerance;
    // Numbers near the middle between two operands concern few entries; which ones is unknown.
    if (reference.sampled && !catalogue::is_mixed(problem.dtype))
      tensor.entry_tolerances = entry_tolerances(problem, reference.start.parameters[p], expected, p);
    loss_slopes.push_back(problem.task == scenario::Task::forward ? 0 : norm(expected.last_gradients[p]));
    expected.last_gradients[p] = {};
    expected.last_tie_bounds[p] = {};
    reference.tensors.push_back(std::move(tensor));
  }
  // Of a mixed dtype's several steps the tolerance may be as large; the single step must tell more.
  if (!moves && !catalogue::is_mixed(problem.dtype)) {
    return moves_too_little(
        cat("the reference moves no parameter by more than its tolerance in ", reference.steps, " steps"));
  }
  if (expected.updates != own.updates) return usage_error("rounding decides which steps are skipped");
  reference.losses = expected.losses;
  reference.bfloat16_parameters = problem.rounds_parameters();
  if (catalogue::scales_loss(problem.dtype)) reference.loss_scaling = loss_scaling_of(expected.state);
  add_losses(problem, dataset, loss_slopes, in_double(problem, std::move(expected.state)), own.state, reference);
  return reference;
}

Result<ReferenceTrajectory> measure(const Problem& problem, const Dataset& dataset, ReferenceTrajectory reference) {
  Result<ReferenceTrajectory> measured = catalogue::with_element(problem.dtype, [&](auto zero) {
    using Own = decltype(zero);
    return measure<Own, NextWider<Own>>(problem, dataset, std::move(reference));
  });
  // What was computed from rows that could not be read says nothing.
  if (dataset.stream && dataset.stream->fault()) return *dataset.stream->fault();
  return measured;
}

Status check_start(const Problem& problem, const scenario::State& start) {
  const std::vector<ParameterShape> shapes = state_shapes(problem);
  if (start.parameters.size() != shapes.size()) {
    return usage_error("the start state has " + std::to_string(start.parameters.size()) + " parameters, expected " +
                       std::to_string(shapes.size()));
  }
  for (std::size_t p = 0; p < shapes.size(); ++p) {
    if (static_cast<std::int64_t>(start.parameters[p].size()) == shapes[p].size()) continue;
    return usage_error("the start state's " + shapes[p].name + " has " + std::to_string(start.parameters[p].size()) +
                       " entries, expected " + std::to_string(shapes[p].size()));
  }
  return {};
}

// Of a problem's reference compared with one of doubles: long double has no vectors.
double cost_of_type(const Problem& problem) {
  constexpr double kLongDoubleCost = 10;
  return catalogue::with_element(problem.dtype, [&](auto zero) {
    return std::is_same_v<NextWider<decltype(zero)>, long double> ? kLongDoubleCost : 1;
  });
}

// Chooses where the trajectory starts and how long it is. A stream is read from its beginning (`from_start`): to start
// late may mean to read all that comes before.
void choose_span(const Problem& problem, bool from_start, const ReferenceOptions& options,
                 ReferenceTrajectory& reference) {
  const double operations = cost_of_type(problem) * operations_per_step(problem);
  const auto affordable = [&](std::int64_t steps) {
    return operations * static_cast<double>(steps) <= options.trajectory_operations;
  };
  reference.sampled = !affordable(options.steps);
  reference.steps = reference.sampled ? 1 : options.steps;
  // Whole trajectories show both how an optimizer begins and how it goes on; others, how it goes on.
  constexpr std::int64_t kUsualUpdates = 2;
  const std::int64_t first = first_usual_update(problem.optimizer, options.max_steps - kUsualUpdates) - 1;
  if (first > 0 && affordable(first + kUsualUpdates)) {
    reference.steps = std::max(reference.steps, first + kUsualUpdates);
  } else if (!from_start) {
    reference.start.step = std::max(reference.start.step, first);
  }
  reference.evaluated = evaluation_operations(problem) <= options.evaluation_operations;
  const std::int64_t epoch = problem.steps_per_epoch();
  if (reference.sampled || epoch == 1) return;
  constexpr std::int64_t kIntoNextEpoch = 2;
  const std::int64_t whole = epoch + kIntoNextEpoch;
  if (whole <= options.max_steps && affordable(whole)) {
    reference.steps = std::max(reference.steps, whole);
  } else if (!from_start) {
    reference.start.step = std::max<std::int64_t>({0, first, whole - reference.steps});
  }
}

}  // namespace

double reference_seconds(const Problem& problem, const ReferenceOptions& options) {
  constexpr double kTrajectories = 2.5;  // in the wider type, where ties are taken otherwise, and in the own type
  constexpr double kEvaluations = 2.5;
  ReferenceTrajectory reference;
  choose_span(problem, false, options, reference);
  const double steps = static_cast<double>(reference.steps);
  double operations = kTrajectories * cost_of_type(problem) * steps * operations_per_step(problem);
  if (reference.evaluated) operations += kEvaluations * evaluation_operations(problem);
  return operations / product_rate();
}

Result<ReferenceTrajectory> make_reference_trajectory(const Problem& problem, const Dataset& dataset,
                                                      const scenario::State& start, const ReferenceOptions& options) {
  TRY(check_start(problem, start));
  ReferenceTrajectory reference;
  reference.start = start;
  choose_span(problem, dataset.stream != nullptr, options, reference);
  return measure(problem, dataset, std::move(reference));
}

scenario::Problem uniform_of(const Problem& problem) {
  Problem uniform = problem;
  uniform.dtype = catalogue::storage_of(problem.dtype);
  uniform.rounds_results = false;
  uniform.parameter_rounding = ParameterRounding::none;
  return uniform;
}

Result<ReferenceTrajectory> make_single_step(const ReferenceTrajectory& whole, const Problem& problem,
                                             const Dataset& dataset) {
  ReferenceTrajectory step{.steps = 1, .sampled = whole.sampled, .evaluated = false, .start = whole.start};
  ReferenceState<float> state = to_reference<float>(whole.start);
  if (slot_count(problem.optimizer.kind) > 0) train(problem, dataset, state, kStepsBefore);
  const bool moved_on = pass_skipped_steps(problem, dataset, state) || slot_count(problem.optimizer.kind) > 0;
  if (moved_on) step.start = to_state(state);
  ReferenceTrajectory made = TRY(measure(problem, dataset, std::move(step)));
  TRY(check_that_rounding_shows(problem, dataset, made));
  return made;
}

Result<ReferenceTrajectory> make_prefix(const ReferenceTrajectory& whole, std::int64_t steps, const Problem& problem,
                                        const Dataset& dataset) {
  return measure(problem, dataset,
                 ReferenceTrajectory{
                     .steps = steps, .sampled = whole.sampled, .evaluated = whole.evaluated, .start = whole.start});
}

}  // namespace gdbench::verify
