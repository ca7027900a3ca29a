#include "harness/verify/divergence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/text.h"
#include "harness/verify/norms.h"
#include "harness/verify/reference.h"
#include "harness/verify/reference_trajectory.h"
#include "harness/verify/stable_rate.h"

namespace gdbench::verify {

namespace {

using data::Dataset;
using scenario::Problem;

// The overhead of a step, in operations, which is all that the smallest have.
constexpr double kOperationsPerStep = 2000;

// A training that diverges grows without end, by a factor a step. What is no divergence grows for a while: momentum
// near its bound overshoots by ((1 + m) / (1 - m))^2, a network leaves a sharp valley before it finds a flat one
// (Lewkowycz et al., "The large learning rate phase of deep learning", 2020), a batch is noisy. And what is bounded in
// its steps (Adam, Lion) or in its gradients (cross entropy, Huber) oscillates as far off as it came, or grows like a
// power of the step. So the loss must be far beyond the first one and still grow: from the second quarter of the steps
// to the last one, in which a power of 2 grows by 5 and what grew by kFarBeyond in all by at least 30.
constexpr double kFarBeyond = 1000;
constexpr double kStillGrows = 10;
constexpr std::int64_t kFewestSteps = 4;
// Standardising is worth a word where it allows so many times the learning rate.
constexpr double kMuchLargerRate = 10;

double operations(const Problem& problem) { return operations_per_step(problem) + kOperationsPerStep; }

std::int64_t affordable_steps(const Problem& problem, std::int64_t steps) {
  return std::min(steps, static_cast<std::int64_t>(kAffordableOperations / operations(problem)));
}

struct Followed {
  double first = 0;                             // over all rows where that is affordable, else of the first batch
  std::vector<double> losses;                   // of each step's batch before its update, as long as they are finite
  std::optional<std::int64_t> not_finite_from;  // step, counted from 1

  double mean(std::size_t from, std::size_t to) const {
    const auto place = [this](std::size_t i) { return losses.begin() + static_cast<std::ptrdiff_t>(i); };
    return std::accumulate(place(from), place(to), 0.0) / static_cast<double>(to - from);
  }
};

Followed follow_losses(const Problem& problem, const Dataset& dataset, const scenario::State& start,
                       std::int64_t steps) {
  Followed followed;
  ReferenceState<double> state = to_reference<double>(start);
  const double largest = catalogue::with_element(
      problem.dtype, [](auto zero) { return static_cast<double>(std::numeric_limits<decltype(zero)>::max()); });
  for (std::int64_t step = 0; step < steps; ++step) {
    const double loss = train(problem, dataset, state, 1).front();
    if (!(std::abs(loss) <= largest)) {
      followed.not_finite_from = step + 1;
      break;
    }
    followed.losses.push_back(loss);
  }
  if (!followed.not_finite_from && !all_finite(state.parameters)) followed.not_finite_from = steps + 1;
  if (followed.losses.empty()) return followed;
  const bool evaluated = evaluation_operations(problem) <= kAffordableOperations;
  followed.first = evaluated ? evaluate(problem, dataset, to_reference<double>(start)) : followed.losses.front();
  return followed;
}

// `stable`: known where the problem is linear.
bool diverges(const Problem& problem, const Followed& followed, const std::optional<StableRate>& stable) {
  const std::size_t count = followed.losses.size();
  if (followed.not_finite_from) return true;
  if (count < static_cast<std::size_t>(kFewestSteps)) return false;
  const double last = followed.mean(count - count / 4, count);
  if (!(last > followed.first)) return false;
  // Every rate beyond the bound diverges, however slowly.
  if (stable && stable->exact) return problem.optimizer.learning_rates.front() > stable->rate;
  return last > kFarBeyond * followed.first && last > kStillGrows * followed.mean(count / 4, count / 2);
}

std::string words_of(const Followed& followed) {
  const std::size_t steps = followed.losses.size();
  std::string words;
  if (steps > 0 && followed.losses.back() > followed.first) {
    words = formatted("its loss grows from %.3g to %.3g in %zu steps", followed.first, followed.losses.back(), steps);
  }
  if (!followed.not_finite_from) return words;
  const std::string what = words.empty() ? "its loss or its parameters are " : ", ";
  return words + what + "not finite from step " + std::to_string(*followed.not_finite_from);
}

std::string words_of(const Problem& problem, const Dataset& dataset, const std::optional<StableRate>& stable) {
  if (!stable) {
    const bool large = problem.task != scenario::Task::update && has_large_features(dataset);
    return large ? "expected a smaller one, or features near 1 (/standardise/features)" : "expected a smaller one";
  }
  std::string words = formatted("expected %s %.4g, the largest stable rate",
                                stable->exact ? "less than" : "less than about", stable->rate);
  if (stable->of_standardised >= kMuchLargerRate * stable->rate) {
    words += formatted(", which is %.2g for standardised features (/standardise/features)", stable->of_standardised);
  }
  return words;
}

}  // namespace

Status check_convergence(const Problem& problem, const Dataset& dataset, const scenario::State& start,
                         std::int64_t steps) {
  // Rounding to a mixed dtype decides nothing here and takes time.
  const Problem uniform = uniform_of(problem);
  const Followed followed = follow_losses(uniform, dataset, start, affordable_steps(problem, steps));
  if (dataset.stream && dataset.stream->fault()) return {};
  const bool grew = !followed.losses.empty() && followed.losses.back() > followed.first;
  if (!grew && !followed.not_finite_from) return {};
  const std::optional<StableRate> stable = largest_stable_rate(problem, dataset);
  if (!diverges(problem, followed, stable)) return {};
  return usage_error(
      cat("/optimizer/learning_rate: found ", formatted("%.4g", std::ranges::max(problem.optimizer.learning_rates)),
          ", at which training diverges: ", words_of(followed), "; ", words_of(problem, dataset, stable)));
}

double convergence_seconds(const Problem& problem, std::int64_t steps) {
  constexpr double kSecondsPerOperation = 1e-9;
  return kSecondsPerOperation * operations(problem) * static_cast<double>(affordable_steps(problem, steps));
}

}  // namespace gdbench::verify
