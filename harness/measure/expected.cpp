#include "harness/measure/expected.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "harness/base/text.h"
#include "harness/verify/check.h"
#include "harness/verify/reference.h"

namespace gdbench::measure {

namespace {

// Ends are kept for each cell, and starts and ends for each worker, in doubles: 40 MB at the most.
constexpr std::int64_t kAffordableParameters = 5'000'000;
// Of a single step from next to the scenario's start: an operand of a mixed dtype becomes its neighbour, and a unit of
// a ReLU changes sides.
constexpr double kRelativeTolerance = 5e-3;
// Displacements of blocks differ with their starts, which are moved along the way by up to a quarter of it. A block
// that moves the parameters by more or less than this is followed from its own start.
constexpr double kSpreadOfStarts = 0.25;
// How many times as far as the reference in the cell's own type another right end may be off, which adds in another
// order, and so many of the type's epsilons of the displacement where that one's errors happen to cancel.
constexpr double kRoundingFactor = 8;
constexpr double kEpsilons = 100;
// Where the loss is smooth, most right ends keep to the reference in their own type: half as far from it as that is
// from the exact one was seen, or 0.1 epsilons of the displacement times the root of the longest sum. Who adds each
// row's gradient to the parameters rounds them more often, and always to the same side.
constexpr double kSmoothRoundingFactor = 3;
constexpr double kEpsilonsOfShortSums = 4;
constexpr double kEpsilonsOfSums = 0.5;
// Each update rounds the parameters, by half an epsilon of their size at the most; where steps are small they all may
// be rounded to the same side, and another order of the same operations to the other (43,000 steps on linreg-3x2: a
// third of that).
constexpr double kHalfEpsilon = 0.5;
// Of right ends where the least error may make a large one: 0.4% of the displacement was seen, as above; an end is a
// vector, and may be off by more than its length.
constexpr double kEndToleranceOfJumps = 2e-2;
// So many starts next to that of a block, each entry by up to so many epsilons, say what rounding may make of its end;
// fewer where they take longer. Every other one is moved as far on its way, too: steps shrink what a start is off by,
// and round anew.
constexpr int kStartsNextToIt = 32;
constexpr int kFewestStartsNextToIt = 6;
constexpr double kSecondsOfStarts = 2;
constexpr double kEpsilonsOfStarts = 16;
constexpr std::uint64_t kMovesOnTheWay = 8;
// How many times as far apart as such ends a right one may be.
constexpr double kPartingFactor = 2;
// Of two ends of one worker: its threads may add in another order from run to run.
constexpr double kReplayTolerance = 1e-3;

bool jumps(const scenario::Problem& problem) {
  return problem.optimizer.kind == catalogue::OptimizerKind::lion || catalogue::is_mixed(problem.dtype);
}

// Whether two right trajectories may part by more than what rounding makes of smooth functions.
bool may_part(const scenario::Problem& problem) {
  if (problem.task == scenario::Task::forward) return false;
  // Of what muon orthogonalises, small singular values become some hundred times as large.
  if (problem.optimizer.kind == catalogue::OptimizerKind::muon) return true;
  // Where the outputs of a row are near one another, normalising them magnifies what rounding made of them.
  const auto magnifies = [](const scenario::Layer& layer) {
    return catalogue::row_of(layer.activation).slope == catalogue::Slope::jumps_at_zero ||
           layer.normalization != scenario::Normalization::none;
  };
  return jumps(problem) || std::ranges::any_of(problem.layers, magnifies);
}

// Whether rounding makes so little of an end that it tells the steps that were made from others that lead nearly there.
bool is_smooth(const scenario::Problem& problem) {
  return problem.task == scenario::Task::train && !may_part(problem) && !problem.tf32_products;
}

double epsilons_of_smooth(const scenario::Problem& problem) {
  std::int64_t longest = problem.batch_rows;
  for (const scenario::Layer& layer : problem.layers) longest = std::max({longest, layer.inputs, layer.outputs});
  return kEpsilonsOfShortSums + kEpsilonsOfSums * std::sqrt(static_cast<double>(longest));
}

double operations(const scenario::Problem& problem, std::uint64_t steps) {
  return scenario::operations_per_step(problem) * static_cast<double>(steps);
}

bool is_affordable(const scenario::Problem& problem, std::uint64_t steps) {
  std::int64_t parameters = 0;
  for (const scenario::ParameterShape& shape : scenario::parameter_shapes(problem)) parameters += shape.size();
  return parameters <= kAffordableParameters && operations(problem, steps) <= verify::kAffordableOperations;
}

// In the cell's own type; where that is the reference's, from a start that is off in its last bits.
scenario::State rounded_end(const scenario::Problem& problem, const data::Dataset& dataset, scenario::State start,
                            std::uint64_t steps) {
  if (problem.dtype == scenario::Dtype::f64) {
    for (std::vector<double>& parameter : start.parameters) {
      for (double& value : parameter) value *= 1 + 2 * catalogue::epsilon_of(problem.dtype);
    }
  }
  return catalogue::with_element(problem.dtype, [&](auto zero) {
    return verify::end_of_training<decltype(zero)>(problem, dataset, start, static_cast<std::int64_t>(steps));
  });
}

// Likewise, where each entry is moved by up to kEpsilonsOfStarts so many times, at the start and then on the way.
scenario::State moved_end(const scenario::Problem& problem, const data::Dataset& dataset, scenario::State state,
                          std::uint64_t steps, std::uint64_t moves, std::mt19937_64& generator) {
  const double most = kEpsilonsOfStarts * catalogue::epsilon_of(problem.dtype);
  std::uniform_real_distribution<double> shares(-most, most);
  for (; moves > 0; --moves) {
    for (std::vector<double>& parameter : state.parameters) {
      for (double& value : parameter) value *= 1 + shares(generator);
    }
    const std::uint64_t part = steps / moves;
    state = rounded_end(problem, dataset, std::move(state), part);
    steps -= part;
  }
  return state;
}

// 2-norm of all parameters.
double norm(const scenario::State& state) {
  double sum = 0;
  for (const std::vector<double>& parameter : state.parameters) {
    for (const double value : parameter) sum += value * value;
  }
  return std::sqrt(sum);
}

Parameters way_between(const scenario::State& start, scenario::State end) {
  for (std::size_t tensor = 0; tensor < end.parameters.size(); ++tensor) {
    for (std::size_t i = 0; i < end.parameters[tensor].size(); ++i) {
      end.parameters[tensor][i] -= start.parameters[tensor][i];
    }
  }
  return std::move(end.parameters);
}

bool was_read(const data::Dataset& dataset) { return !dataset.stream || !dataset.stream->fault(); }

}  // namespace

std::optional<ExpectedDisplacement> expected_displacement(const scenario::Problem& problem,
                                                          const data::Dataset& dataset, const scenario::State& start,
                                                          std::uint64_t steps) {
  const bool affordable = is_affordable(problem, steps);
  if (!affordable && steps > 1) return std::nullopt;
  const scenario::State exact =
      verify::end_of_training<double>(problem, dataset, start, static_cast<std::int64_t>(steps));
  ExpectedDisplacement expected;
  expected.value = verify::displacement(start, exact);
  expected.tolerance = kRelativeTolerance * expected.value;
  if (affordable) {
    // To move along the way of a sum of losses changes no loss.
    const bool moves = problem.task != scenario::Task::forward;
    if (moves) expected.way = std::make_shared<const Parameters>(way_between(start, exact));
    expected.tolerance = kSpreadOfStarts * expected.value;
    expected.rounding = verify::displacement(rounded_end(problem, dataset, start, steps), exact);
  }
  if (!was_read(dataset)) return std::nullopt;
  return expected;
}

std::string untrusted_reason(double displacement, const ExpectedDisplacement& expected) {
  // Written so that NaN fails.
  if (std::abs(displacement - expected.value) <= expected.tolerance) return {};
  return formatted("a timed block moved the parameters by %.6g, expected %.6g +- %.1g", displacement, expected.value,
                   expected.tolerance);
}

std::string untrusted_for_steps(double displacement, double step, std::uint64_t steps,
                                const catalogue::Optimizer& optimizer) {
  // With room for gradients that grow on the way, and for an optimizer that approaches its goal.
  constexpr double kMostOfSteps = 3;
  constexpr double kLeastOfAStep = 0.05;
  // Momentum sums up gradients: of one that stays the same a step moves up to 1 / (1 - momentum) times as far. Muon's
  // steps are equally long.
  const bool gathers = optimizer.kind != catalogue::OptimizerKind::muon &&
                       std::ranges::any_of(catalogue::row_of(optimizer.kind).keys,
                                           [](const auto& key) { return &key.constant == &catalogue::kMomentum; });
  const double gathered = gathers ? 1 / (1 - optimizer.momentum) : 1;
  if (displacement >= kLeastOfAStep * step &&
      displacement <= kMostOfSteps * gathered * static_cast<double>(steps) * step)
    return {};
  return formatted("a timed block of %llu steps moved the parameters by %.3g, a single step by %.3g",
                   static_cast<unsigned long long>(steps), displacement, step);
}

std::optional<ExpectedEnd> expected_end(const scenario::Problem& problem, const data::Dataset& dataset,
                                        const scenario::State& start, std::uint64_t steps, double rounding) {
  if (!is_affordable(problem, steps)) return std::nullopt;
  ExpectedEnd expected;
  expected.state = verify::end_of_training<double>(problem, dataset, start, static_cast<std::int64_t>(steps));
  expected.displacement = verify::displacement(start, expected.state);
  const double epsilon = catalogue::epsilon_of(problem.dtype);
  const double least = std::min(kEpsilons * epsilon, kEndToleranceOfJumps) * expected.displacement;
  expected.tolerance = std::max(least, kRoundingFactor * rounding) +
                       kHalfEpsilon * epsilon * static_cast<double>(steps) * norm(expected.state);
  expected.forgivable = may_part(problem) ? kEndToleranceOfJumps * expected.displacement : 0;
  if (is_smooth(problem)) {
    scenario::State rounded = rounded_end(problem, dataset, start, steps);
    const double drift = std::max(rounding, verify::displacement(rounded, expected.state));
    expected.forgivable = expected.tolerance;
    expected.shares_rounding = true;
    expected.tolerance =
        std::max(epsilons_of_smooth(problem) * epsilon * expected.displacement, kSmoothRoundingFactor * drift);
    if (problem.dtype != scenario::Dtype::f64) expected.state = std::move(rounded);
  }
  if (!was_read(dataset)) return std::nullopt;
  return expected;
}

bool is_forgivable(const scenario::Problem& problem, const data::Dataset& dataset, const scenario::State& start,
                   std::uint64_t steps, const scenario::State& end, const ExpectedEnd& expected) {
  return verify::displacement(end, expected.state) <= expected.forgivable ||
         comes_of_rounding(problem, dataset, start, steps, end, expected);
}

bool comes_of_rounding(const scenario::Problem& problem, const data::Dataset& dataset, const scenario::State& start,
                       std::uint64_t steps, const scenario::State& end, const ExpectedEnd& expected) {
  const double distance = verify::displacement(end, expected.state);
  if (!may_part(problem) || std::isnan(distance)) return false;
  std::mt19937_64 generator(steps);
  const double affordable = kSecondsOfStarts / replay_seconds(problem, steps);
  for (int i = 0; i < std::clamp<double>(affordable, kFewestStartsNextToIt, kStartsNextToIt); ++i) {
    const std::uint64_t moves = i % 2 == 0 ? 1 : std::min(kMovesOnTheWay, steps);
    const scenario::State parted = moved_end(problem, dataset, start, steps, moves, generator);
    if (distance <= kPartingFactor * verify::displacement(parted, expected.state)) return true;
  }
  return false;
}

double replay_seconds(const scenario::Problem& problem, std::uint64_t steps) {
  constexpr double kSecondsPerStep = 4e-7;  // in both types
  constexpr double kSecondsPerOperation = 8e-10;
  if (!is_affordable(problem, steps)) return 0;
  return kSecondsPerStep * static_cast<double>(steps) + kSecondsPerOperation * operations(problem, steps);
}

std::string untrusted_reason(const scenario::State& end, const ExpectedEnd& expected) {
  const double distance = verify::displacement(end, expected.state);
  if (distance <= expected.tolerance) return {};
  return formatted(
      "a timed block ended %.3g away from where its steps lead, which is %.3g from its start; expected at "
      "most %.1g",
      distance, expected.displacement, expected.tolerance);
}

double replay_tolerance(const scenario::Problem& problem) {
  return may_part(problem) ? kEndToleranceOfJumps : kReplayTolerance;
}

bool is_quickly_checked(const scenario::Problem& problem, std::uint64_t steps) {
  constexpr double kQuickOperations = 2e7;
  return operations(problem, steps) <= kQuickOperations;
}

}  // namespace gdbench::measure
