#include "harness/verify/yardstick.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "harness/verify/reference.h"
#include "harness/verify/rounding.h"
#include "harness/verify/update.h"

namespace gdbench::verify {

namespace {

using scenario::Dataset;
using scenario::ParameterShape;
using scenario::Problem;

// An implementation may be this many times further off than the reference in the cell's own type. Both are draws from
// the same distribution of rounding errors; over tensors of a few entries their norms scatter by a factor of 2 to 3.
constexpr double kFactor = 4;

// c of the floor. The estimates in rounding.h take a whole epsilon per rounding, whose standard deviation is
// epsilon / (2 sqrt(3)); correct results of hundreds of random problems in five orders of summation stay below 0.2 of
// the tolerance then. The rest is room for exp and tanh that are a few units in the last place off. The task gradients
// needs no more: a sum over outputs is taken of gradients instead of within a product, and stays below 0.1 of the
// tolerance for 2 to 64 outputs.
constexpr double kFloor = 2;

// A tie moves later steps' gradients too. How much is seen by deciding all ties the other way; with several ties the
// worst choice of sides may move a tensor further than all of them together.
constexpr double kFlippedTiesFactor = 3;

template <class T>
double norm(const std::vector<T>& values) {
  T sum = 0;
  for (const T& value : values) sum += value * value;
  return static_cast<double>(std::sqrt(sum));
}

// 2-norm of b - a over the given entries, or all.
template <class A, class B>
double distance(const std::vector<A>& a, const std::vector<B>& b, const std::vector<std::int64_t>& entries) {
  long double sum = 0;
  const auto add = [&](std::size_t i) {
    const long double difference = static_cast<long double>(b[i]) - static_cast<long double>(a[i]);
    sum += difference * difference;
  };
  if (entries.empty()) {
    for (std::size_t i = 0; i < a.size(); ++i) add(i);
  } else {
    for (const std::int64_t entry : entries) add(static_cast<std::size_t>(entry));
  }
  return static_cast<double>(std::sqrt(sum));
}

template <class T>
std::vector<T> pick(const std::vector<T>& values, const std::vector<std::int64_t>& entries) {
  if (entries.empty()) return values;
  std::vector<T> picked;
  for (const std::int64_t entry : entries) picked.push_back(values[static_cast<std::size_t>(entry)]);
  return picked;
}

template <class T>
bool all_finite(const std::vector<std::vector<T>>& tensors) {
  for (const std::vector<T>& tensor : tensors) {
    for (const T& value : tensor) {
      if (!std::isfinite(value)) return false;
    }
  }
  return true;
}

// `count` distinct flat indices below `size`, ascending; empty (all) where there are no more than that.
std::vector<std::int64_t> sample_entries(std::int64_t size, std::int64_t count, std::mt19937_64& generator) {
  std::vector<std::int64_t> entries;
  if (size <= count) return entries;
  while (static_cast<std::int64_t>(entries.size()) < count) {
    // 53 random bits scaled: any fixed choice of entries will do, slight unevenness included.
    const double uniform = static_cast<double>(generator() >> 11) * 0x1p-53;
    entries.push_back(static_cast<std::int64_t>(uniform * static_cast<double>(size)));
    if (static_cast<std::int64_t>(entries.size()) < count) continue;
    std::sort(entries.begin(), entries.end());
    entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  }
  return entries;
}

// A trajectory with everything that its tolerance is made from. Per parameter: sums over the steps.
template <class T>
struct Trajectory {
  ReferenceState<T> state;
  std::vector<double> losses;
  std::vector<double> rounding;       // what ReferenceGradients::rounding and the update's own rounding may add up to
  std::vector<double> tie_allowance;  // the same of ReferenceGradients::tie_allowance
  std::vector<std::vector<T>> last_gradients;
};

template <class T>
Result<Trajectory<T>> follow(const Problem& problem, const Dataset& dataset, const scenario::State& start,
                             std::int64_t steps, Ties ties) {
  Trajectory<T> result;
  result.state = to_reference<T>(start);
  const std::size_t count = start.parameters.size();
  result.rounding.assign(count, 0.0);
  result.tie_allowance.assign(count, 0.0);
  const double epsilon = epsilon_of(problem.dtype);
  for (std::int64_t step = 0; step < steps; ++step) {
    ReferenceGradients<T> batch = gradients(problem, dataset, result.state, ties);
    const std::vector<std::vector<T>> before = result.state.parameters;
    update(problem.optimizer, batch.parameters, result.state);
    if (!std::isfinite(batch.loss) || !all_finite(result.state.parameters)) {
      return usage_error("the reference diverges at step " + std::to_string(start.step + step) +
                         ": its loss or its parameters are not finite; the learning rate is too large for the data");
    }
    result.losses.push_back(static_cast<double>(batch.loss));
    for (double& rounding : batch.rounding) rounding *= product_epsilon(problem);
    const std::int64_t left = steps - step - 1;
    const std::vector<double> rounded = update_errors(problem.optimizer, result.state, batch.rounding, left);
    const std::vector<double> tied = update_errors(problem.optimizer, result.state, batch.tie_allowance, left);
    for (std::size_t p = 0; p < count; ++p) {
      result.rounding[p] += rounded[p] + epsilon * distance(before[p], result.state.parameters[p], {});
      result.tie_allowance[p] += tied[p];
    }
    result.last_gradients = std::move(batch.parameters);
  }
  return result;
}

// Shares of the whole tensor's rounding that falls on the sampled entries: as many as they are, or as their part of the
// gradient, whichever is more.
template <class T>
double sampled_share(const std::vector<T>& gradient, const std::vector<std::int64_t>& entries) {
  if (entries.empty()) return 1;
  const double by_count = std::sqrt(static_cast<double>(entries.size()) / static_cast<double>(gradient.size()));
  const double whole = norm(gradient);
  return std::max(by_count, whole > 0 ? norm(pick(gradient, entries)) / whole : 0.0);
}

// How far each parameter may move because of ties, 0 where there are none.
template <class T>
Result<std::vector<double>> tie_tolerances(const Problem& problem, const Dataset& dataset, const Yardstick& yardstick,
                                           const Trajectory<T>& expected) {
  std::vector<double> tolerances = expected.tie_allowance;
  if (*std::max_element(tolerances.begin(), tolerances.end()) == 0.0) return tolerances;
  const auto flipped = follow<T>(problem, dataset, yardstick.start, yardstick.steps, Ties::flipped);
  if (!flipped.ok()) return flipped.error();
  for (std::size_t p = 0; p < tolerances.size(); ++p) {
    tolerances[p] +=
        kFlippedTiesFactor * distance(expected.state.parameters[p], flipped.value().state.parameters[p], {});
  }
  return tolerances;
}

// Losses over all rows, in double for both dtypes: only an f64 cell's tolerance feels the double's own rounding, and it
// allows several times that.
void add_losses(const Problem& problem, const Dataset& dataset, const std::vector<double>& loss_slopes,
                const scenario::State& end, const scenario::State& own_end, Yardstick& yardstick) {
  const bool single = problem.dtype == scenario::Dtype::f32;
  yardstick.initial_loss = evaluate(problem, dataset, to_reference<double>(yardstick.start));
  const Evaluation<double> last = evaluate_with_rounding(problem, dataset, to_reference<double>(end));
  yardstick.final_loss = last.loss;
  const double own = single ? static_cast<double>(evaluate(problem, dataset, to_reference<float>(own_end)))
                            : evaluate(problem, dataset, to_reference<double>(own_end));
  yardstick.loss_tolerance = kFactor * std::abs(own - last.loss) + kFloor * product_epsilon(problem) * last.rounding;
  for (std::size_t p = 0; p < loss_slopes.size(); ++p) {
    yardstick.loss_tolerance += loss_slopes[p] * yardstick.tensors[p].tolerance;
  }
}

template <class Own, class Wide>
Result<Yardstick> measure(const Problem& problem, const Dataset& dataset, Yardstick yardstick,
                          const YardstickOptions& options) {
  const auto followed = follow<Wide>(problem, dataset, yardstick.start, yardstick.steps, Ties::as_computed);
  if (!followed.ok()) return followed.error();
  const Trajectory<Wide>& expected = followed.value();
  const auto own = follow<Own>(problem, dataset, yardstick.start, yardstick.steps, Ties::as_computed);
  if (!own.ok()) return own.error();
  const auto ties = tie_tolerances(problem, dataset, yardstick, expected);
  if (!ties.ok()) return ties.error();

  const double epsilon = epsilon_of(problem.dtype);
  const std::vector<ParameterShape> shapes = parameter_shapes(problem);
  std::mt19937_64 generator(options.seed);
  std::vector<double> loss_slopes;
  bool moves = false;
  for (std::size_t p = 0; p < shapes.size(); ++p) {
    const std::vector<Wide>& values = expected.state.parameters[p];
    ExpectedTensor tensor;
    tensor.name = shapes[p].name;
    tensor.rows = shapes[p].rows;
    tensor.columns = shapes[p].columns;
    if (yardstick.sampled) tensor.entries = sample_entries(shapes[p].size(), options.sampled_entries, generator);
    const std::vector<Wide> compared = pick(values, tensor.entries);
    tensor.values.assign(compared.begin(), compared.end());
    tensor.scale = norm(compared);
    const double stored = std::sqrt(static_cast<double>(yardstick.steps)) * tensor.scale;
    const double summed = expected.rounding[p] * sampled_share(expected.last_gradients[p], tensor.entries);
    tensor.tolerance = kFactor * distance(values, own.value().state.parameters[p], tensor.entries) +
                       kFloor * (epsilon * stored + summed) + ties.value()[p];
    moves = moves || distance(yardstick.start.parameters[p], values, tensor.entries) > tensor.tolerance;
    loss_slopes.push_back(norm(expected.last_gradients[p]));
    yardstick.tensors.push_back(std::move(tensor));
  }
  if (!moves) {
    return usage_error("the reference moves no parameter by more than its tolerance in " +
                       std::to_string(yardstick.steps) +
                       " steps, so a wrong result could not be told from a right one");
  }
  yardstick.losses = expected.losses;
  add_losses(problem, dataset, loss_slopes, to_state(expected.state), to_state(own.value().state), yardstick);
  return yardstick;
}

Result<Yardstick> measure(const Problem& problem, const Dataset& dataset, const Yardstick& yardstick,
                          const YardstickOptions& options) {
  const bool single = problem.dtype == scenario::Dtype::f32;
  Result<Yardstick> measured = single ? measure<float, double>(problem, dataset, yardstick, options)
                                      : measure<double, long double>(problem, dataset, yardstick, options);
  // Whatever came of rows that could not be read says nothing.
  if (dataset.stream && dataset.stream->fault()) return *dataset.stream->fault();
  return measured;
}

Status check_start(const Problem& problem, const scenario::State& start) {
  const std::vector<ParameterShape> shapes = parameter_shapes(problem);
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

// Chooses where the trajectory starts and how long it is. A stream is read from its beginning: to start late may mean
// to read all that comes before.
void choose_span(const Problem& problem, const Dataset& dataset, const YardstickOptions& options,
                 Yardstick& yardstick) {
  const double operations = operations_per_step(problem);
  const auto affordable = [&](std::int64_t steps) {
    return operations * static_cast<double>(steps) <= options.full_trajectory_operations;
  };
  yardstick.sampled = !affordable(options.steps);
  yardstick.steps = yardstick.sampled ? 1 : options.steps;
  const std::int64_t epoch = problem.steps_per_epoch();
  if (yardstick.sampled || epoch == 1) return;
  constexpr std::int64_t kIntoNextEpoch = 2;
  const std::int64_t whole = epoch + kIntoNextEpoch;
  if (whole <= options.most_steps && affordable(whole)) {
    yardstick.steps = std::max(yardstick.steps, whole);
  } else if (!dataset.stream) {
    yardstick.start.step = std::max<std::int64_t>(0, whole - yardstick.steps);
  }
}

}  // namespace

Result<Yardstick> make_yardstick(const Problem& problem, const Dataset& dataset, const scenario::State& start,
                                 const YardstickOptions& options) {
  const Status fits = check_start(problem, start);
  if (!fits.ok()) return fits.error();

  Yardstick yardstick;
  yardstick.start = start;
  choose_span(problem, dataset, options, yardstick);
  return measure(problem, dataset, yardstick, options);
}

Result<Yardstick> make_prefix(const Yardstick& whole, std::int64_t steps, const Problem& problem,
                              const Dataset& dataset, const YardstickOptions& options) {
  Yardstick yardstick;
  yardstick.start = whole.start;
  yardstick.sampled = whole.sampled;
  yardstick.steps = steps;
  return measure(problem, dataset, yardstick, options);
}

}  // namespace gdbench::verify
