#include "harness/verify/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "harness/base/text.h"
#include "harness/verify/check.h"
#include "harness/verify/reference.h"

namespace gdbench::verify {

namespace {

using catalogue::Activation;
using catalogue::EpsilonPlace;
using catalogue::OptimizerKind;
using scenario::Problem;
using scenario::State;

// A share of the way: rounding of the cell's own type stays below, and another rule is further off.
constexpr double kClose = 1e-3;

// Sum of the products of two ways from one start.
double product(const State& start, const State& a, const State& b) {
  double sum = 0;
  for (std::size_t p = 0; p < start.parameters.size(); ++p) {
    for (std::size_t i = 0; i < start.parameters[p].size(); ++i) {
      sum += (a.parameters[p][i] - start.parameters[p][i]) * (b.parameters[p][i] - start.parameters[p][i]);
    }
  }
  return sum;
}

// What a step that is `factor` times the reference's comes from.
std::string reason_of_factor(double factor, const Problem& problem) {
  const auto is = [&](double value) { return std::abs(factor - value) <= kClose * std::abs(value); };
  const auto rows = static_cast<double>(problem.batch_rows);
  const auto outputs = static_cast<double>(problem.outputs());
  if (is(-1)) return "it climbs: subtract the gradient";
  if (is(2)) return "the square's factor of 2 in the place of half of the square?";
  if (is(0.5)) return "half of the square, or a gradient without the square's factor of 2?";
  if (is(rows)) return "a sum over rows in the place of their mean?";
  if (is(rows * outputs)) return "a sum in the place of the mean over rows and outputs?";
  if (is(outputs)) return "a sum over outputs in the place of their mean?";
  if (is(1 / rows)) return "divided by the number of rows twice?";
  if (is(2 * rows) || is(rows / 2)) return "a sum over rows in the place of their mean, and a factor of 2?";
  if (is(0)) return "nothing moves";
  return "another learning rate, or a factor of the loss?";
}

std::string factor_of_step(const Problem& problem, const State& start, const State& end, const State& expected,
                           std::int64_t steps) {
  const double square = product(start, expected, expected);
  if (steps != 1 || !(square > 0)) return {};
  const double factor = product(start, end, expected) / square;
  State scaled = start;
  for (std::size_t p = 0; p < start.parameters.size(); ++p) {
    for (std::size_t i = 0; i < start.parameters[p].size(); ++i) {
      scaled.parameters[p][i] += factor * (expected.parameters[p][i] - start.parameters[p][i]);
    }
  }
  if (!(displacement(scaled, end) <= kClose * std::max(1.0, std::abs(factor)) * std::sqrt(square))) return {};
  return formatted("its step is %.4g times the reference's: ", factor) + reason_of_factor(factor, problem);
}

// As y of a*x + y comes to be added again.
std::string added_twice(const State& start, const State& end, const State& expected, std::int64_t steps) {
  if (steps != 1) return {};
  State twice = expected;
  for (std::size_t p = 0; p < start.parameters.size(); ++p) {
    for (std::size_t i = 0; i < start.parameters[p].size(); ++i) twice.parameters[p][i] += start.parameters[p][i];
  }
  if (displacement(twice, end) > kClose * displacement(start, expected)) return {};
  return "it ends at the old parameters added to the new ones: are they added twice?";
}

// Parameters that have not changed, although the reference's do.
std::string what_stays(const Problem& problem, const State& start, const State& end, const State& expected) {
  std::vector<std::string> names;
  const std::vector<scenario::ParameterShape> shapes = parameter_shapes(problem);
  for (std::size_t p = 0; p < shapes.size(); ++p) {
    if (end.parameters[p] == start.parameters[p] && expected.parameters[p] != start.parameters[p]) {
      names.push_back(shapes[p].name);
    }
  }
  return names.empty() ? "" : joined(names, " and ") + " did not move: is it what the step changes, or a copy?";
}

struct Mistake {
  Problem problem;
  State start;
  std::string text;
  std::int64_t steps_more = 0;
};

// Each is the scenario with one thing changed.
std::vector<Mistake> mistakes_of(const Problem& problem, const State& start) {
  std::vector<Mistake> mistakes;
  const auto add = [&](const std::string& text, const std::function<void(Mistake&)>& change) {
    mistakes.push_back({problem, start, text});
    change(mistakes.back());
  };
  add("it ends where one step more leads: a warm-up that is not undone?", [](Mistake& one) { one.steps_more = 1; });
  add("it ends where one step fewer leads", [](Mistake& one) { one.steps_more = -1; });
  const catalogue::Optimizer& optimizer = problem.optimizer;
  if (optimizer.kind == OptimizerKind::sgd) {
    add("it ends where gradients lead that are summed up from step to step: is zero_grad missing?", [](Mistake& one) {
      one.problem.optimizer.kind = OptimizerKind::momentum;
      one.problem.optimizer.momentum = 1;
    });
  }
  if (std::ranges::any_of(start.slots, [](const std::vector<double>& slot) {
        return std::ranges::any_of(slot, [](double value) { return value != 0; });
      })) {
    add("it ends where an optimizer leads whose slots begin at 0: is its state not taken over?", [](Mistake& one) {
      for (std::vector<double>& slot : one.start.slots) std::ranges::fill(slot, 0);
    });
  }
  if (start.step != 0) {
    add("it ends where an optimizer leads that counts its updates from 1 again: is their number not taken over?",
        [](Mistake& one) { one.start.step = 0; });
  }
  for (const EpsilonPlace place : {EpsilonPlace::outside, EpsilonPlace::hat, EpsilonPlace::inside}) {
    if (place == optimizer.epsilon_place) continue;
    add(cat("it ends where optimizer.epsilon_place=", name_of(place), " leads"),
        [&](Mistake& one) { one.problem.optimizer.epsilon_place = place; });
  }
  if (optimizer.weight_decay != 0) {
    add("it ends where no weight decay leads", [](Mistake& one) { one.problem.optimizer.weight_decay = 0; });
    add(optimizer.decoupled_weight_decay ? "it ends where weight decay leads that is added to the gradient"
                                         : "it ends where decoupled weight decay leads",
        [](Mistake& one) {
          one.problem.optimizer.decoupled_weight_decay = !one.problem.optimizer.decoupled_weight_decay;
        });
  }
  for (const auto& row : catalogue::kOptimizers) {
    if (row.value == optimizer.kind) continue;
    add(cat("it ends where optimizer=", name_of(row.value), " leads"), [&](Mistake& one) {
      one.problem.optimizer.kind = row.value;
      if (row.slots != catalogue::row_of(optimizer.kind).slots) one.start.slots.clear();
    });
  }
  std::set<Activation> used;
  for (const scenario::Layer& layer : problem.layers) used.insert(layer.activation);
  for (const Activation own : used) {
    for (const auto& row : catalogue::kActivations) {
      if (row.value == own) continue;
      add(cat("it ends where ", name_of(row.value), " leads in the place of ", name_of(own)), [&](Mistake& one) {
        for (scenario::Layer& layer : one.problem.layers) {
          if (layer.activation == own) layer.activation = row.value;
        }
      });
    }
  }
  return mistakes;
}

}  // namespace

std::string diagnosis(const Problem& problem, const data::Dataset& dataset, const State& start, const State& end,
                      std::int64_t steps) {
  if (problem.task != scenario::Task::train || dataset.stream) return {};
  const std::vector<Mistake> mistakes = mistakes_of(problem, start);
  const double operations = scenario::operations_per_step(problem) * static_cast<double>(steps);
  if (operations * static_cast<double>(mistakes.size() + 1) > kAffordableOperations) return {};

  const State expected = end_of_training<double>(problem, dataset, start, steps);
  if (std::string factor = factor_of_step(problem, start, end, expected, steps); !factor.empty()) return factor;
  if (std::string twice = added_twice(start, end, expected, steps); !twice.empty()) return twice;
  for (const Mistake& mistake : mistakes) {
    const State other = end_of_training<double>(mistake.problem, dataset, mistake.start, steps + mistake.steps_more);
    const double way = displacement(start, other);
    // A mistake that leads to the right end explains nothing.
    if (displacement(end, other) <= kClose * way && displacement(expected, other) > 2 * displacement(end, other)) {
      return mistake.text;
    }
  }
  return what_stays(problem, start, end, expected);
}

}  // namespace gdbench::verify
