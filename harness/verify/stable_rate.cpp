#include "harness/verify/stable_rate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "harness/base/random.h"
#include "harness/data/moments.h"
#include "harness/verify/reference.h"
#include "harness/verify/reference_trajectory.h"

namespace gdbench::verify {

namespace {

using data::Dataset;
using scenario::OptimizerKind;
using scenario::Problem;

constexpr int kMostIterations = 100;
constexpr int kFewestIterations = 5;
constexpr double kOperationsOfIterations = 5e8;  // for one eigenvalue: a second

// Rates up to factor / L are stable: the roots of the recursion of one eigenvector stay within the unit circle (Polyak,
// USSR Computational Mathematics 4(5), 1964; for Nesterov's by the same calculation).
std::optional<double> stability_factor(const scenario::Optimizer& optimizer) {
  const double m = optimizer.momentum;
  switch (optimizer.kind) {
    case OptimizerKind::sgd:
      return 2;
    case OptimizerKind::momentum:
      return 2 * (1 + m);
    case OptimizerKind::nesterov:
      return 2 * (1 + m) / (1 + 2 * m);
    default:
      return std::nullopt;
  }
}

bool is_linear(const Problem& problem) {
  const std::vector<double>& rates = problem.optimizer.learning_rates;
  const bool constant = std::ranges::all_of(rates, [&](double rate) { return rate == rates.front(); });
  return problem.task == scenario::Task::train && problem.layers.size() == 1 &&
         problem.layers[0].activation == scenario::Activation::identity &&
         problem.layers[0].normalization == scenario::Normalization::none &&
         (problem.loss.kind == scenario::Loss::mse || problem.loss.kind == scenario::Loss::half_mse) && constant &&
         problem.optimizer.weight_decay == 0;
}

data::ColumnMoments moments_of(const Dataset& dataset) {
  constexpr std::int64_t kStreamed = 4096;  // rows of a stream, from its beginning
  if (dataset.stream) {
    std::vector<double> x;
    std::vector<double> targets;
    dataset.stream->read(0, std::min(dataset.rows, kStreamed), x, targets);
    return data::moments_of(x, dataset.features);
  }
  const auto columns = static_cast<std::size_t>(dataset.features);
  data::ColumnMoments moments(columns);
  std::vector<double> row(columns);
  catalogue::with_element(dataset.dtype, [&](auto zero) {
    const auto* next = dataset.x<decltype(zero)>();
    for (std::int64_t i = 0; i < dataset.rows; ++i, next += columns) {
      row.assign(next, next + columns);
      moments.add(row.data());
    }
  });
  return moments;
}

// What a linear model w, b is of features (x - mean) / scale; a column without a scale is left out.
struct Features {
  std::vector<double> means;
  std::vector<double> inverse_scales;
};

struct Eigenvalue {
  double value = 0;
  bool converged = false;
};

// The Hessian of the loss over all rows as products with vectors, which are differences of gradients: the gradient is
// affine in the parameters. A vector is a model of the features: w [features, outputs], then b [outputs].
class Hessian {
 public:
  Hessian(const Problem& problem, const Dataset& dataset, Features features)
      : problem_(uniform_of(problem)), dataset_(dataset), features_(std::move(features)) {
    has_bias_ = problem.layers[0].bias;
    problem_.layers[0].bias = true;
    problem_.batch_rows = problem_.rows;
    const auto outputs = static_cast<std::size_t>(problem_.outputs());
    zero_.parameters = {std::vector<double>(features_.means.size() * outputs), std::vector<double>(outputs)};
    at_zero_ = plain_gradients(problem_, dataset_, zero_).parameters;
  }

  std::size_t size() const { return at_zero_[0].size() + at_zero_[1].size(); }

  // By power iteration, from below.
  Eigenvalue largest_eigenvalue(int iterations) const {
    Random random(1);
    std::vector<double> vector(size());
    for (double& entry : vector) entry = random.uniform() - 0.5;
    constexpr double kConverged = 1e-7;
    Eigenvalue found;
    for (int i = 0; i < iterations && !found.converged; ++i) {
      double norm = 0;
      for (const double entry : vector) norm += entry * entry;
      if (!(norm > 0)) break;
      for (double& entry : vector) entry /= std::sqrt(norm);
      const std::vector<double> product = times(vector);
      double quotient = 0;
      for (std::size_t j = 0; j < vector.size(); ++j) quotient += vector[j] * product[j];
      found = {quotient, std::abs(quotient - found.value) <= kConverged * quotient};
      vector = product;
    }
    return found;
  }

 private:
  std::vector<double> times(const std::vector<double>& vector) const {
    const std::size_t outputs = at_zero_[1].size();
    const std::size_t weights = at_zero_[0].size();
    // The same model of the data's own features.
    ReferenceState<double> state = zero_;
    std::vector<double>& w = state.parameters[0];
    std::vector<double>& b = state.parameters[1];
    if (has_bias_) b.assign(vector.begin() + static_cast<std::ptrdiff_t>(weights), vector.end());
    for (std::size_t i = 0; i < weights; ++i) {
      w[i] = vector[i] * features_.inverse_scales[i / outputs];
      b[i % outputs] -= features_.means[i / outputs] * w[i];
    }
    const std::vector<std::vector<double>> gradients = plain_gradients(problem_, dataset_, state).parameters;
    std::vector<double> product(vector.size());
    for (std::size_t k = 0; has_bias_ && k < outputs; ++k) product[weights + k] = gradients[1][k] - at_zero_[1][k];
    for (std::size_t i = 0; i < weights; ++i) {
      const double of_bias = gradients[1][i % outputs] - at_zero_[1][i % outputs];
      product[i] = (gradients[0][i] - at_zero_[0][i] - features_.means[i / outputs] * of_bias) *
                   features_.inverse_scales[i / outputs];
    }
    return product;
  }

  Problem problem_;
  const Dataset& dataset_;
  Features features_;
  bool has_bias_ = false;
  ReferenceState<double> zero_;
  std::vector<std::vector<double>> at_zero_;
};

}  // namespace

std::optional<StableRate> largest_stable_rate(const Problem& problem, const Dataset& dataset) {
  const std::optional<double> factor = stability_factor(problem.optimizer);
  if (!factor || !is_linear(problem) || dataset.stream) return std::nullopt;
  Problem full = problem;
  full.batch_rows = full.rows;
  const double affordable = kOperationsOfIterations / operations_per_step(full);
  if (affordable < kFewestIterations) return std::nullopt;
  const int iterations = static_cast<int>(std::min<double>(affordable, kMostIterations));
  const auto columns = static_cast<std::size_t>(dataset.features);
  const data::ColumnMoments moments = moments_of(dataset);
  Features own{std::vector<double>(columns, 0.0), std::vector<double>(columns, 1.0)};
  Features standardised{moments.means(), moments.scales()};
  for (double& scale : standardised.inverse_scales) scale = scale == 0 ? 0 : 1 / scale;
  const Eigenvalue found = Hessian(problem, dataset, std::move(own)).largest_eigenvalue(iterations);
  if (!std::isfinite(found.value)) return std::nullopt;
  const Eigenvalue other = Hessian(problem, dataset, std::move(standardised)).largest_eigenvalue(iterations);
  return StableRate{*factor / found.value, *factor / other.value,
                    found.converged && problem.batch_rows == problem.rows};
}

bool has_large_features(const Dataset& dataset) {
  constexpr double kLargeSquare = 100;
  const data::ColumnMoments moments = moments_of(dataset);
  const std::vector<double> scales = moments.scales();
  for (std::size_t j = 0; j < scales.size(); ++j) {
    if (moments.means()[j] * moments.means()[j] + scales[j] * scales[j] > kLargeSquare) return true;
  }
  return false;
}

}  // namespace gdbench::verify
