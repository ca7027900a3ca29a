// Muon judged by the reference: another implementation, written from torch.optim.Muon's documentation, once right and
// once with each of the mistakes that it invites.
#include "harness/verify/muon.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "harness/base/text.h"
#include "harness/verify/narrow.h"
#include "harness/verify/norms.h"
#include "tests/unit/verify/judged.h"

namespace gdbench::verify {
namespace {

using scenario::Activation, scenario::Dtype, scenario::Loss, scenario::Optimizer, scenario::Problem;
using testing::Case;

enum class Variant {
  shorter_side,  // the first three are right: S = X X^T of the shorter side
  longer_side,   // of the longer one, which takes longer and is the same
  reversed,      // sums from their end
  four_steps,
  converging,           // the coefficients 15/8, -10/8, 3/8, whose singular values go to 1
  scale_of_transposed,  // max(1, inputs / outputs)
  unscaled,
  coupled_decay,
  without_nesterov,
  undivided,      // by the norm
  adam_alone,     // all parameters by AdamW
  first_as_well,  // the first layer moved as a matrix
  full_rate,      // AdamW at the rate of the matrices
  in_bfloat16,    // the iteration, as torch.optim.Muon has it
};
constexpr Variant kRight[] = {Variant::shorter_side, Variant::longer_side, Variant::reversed};
constexpr Variant kWrong[] = {Variant::four_steps, Variant::converging,    Variant::scale_of_transposed,
                              Variant::unscaled,   Variant::coupled_decay, Variant::without_nesterov,
                              Variant::undivided,  Variant::adam_alone,    Variant::first_as_well,
                              Variant::full_rate,  Variant::in_bfloat16};

// T: what it computes in. A matrix has rows of outputs and columns of inputs, as PyTorch has.
template <class T>
class OtherMuon {
 public:
  OtherMuon(const Case& given, Variant variant)
      : problem_(given.problem),
        dataset_(given.dataset),
        variant_(variant),
        state_(to_reference<T>(given.start)),
        shapes_(parameter_shapes(problem_)) {
    for (const std::vector<T>& parameter : state_.parameters) {
      first_.emplace_back(parameter.size());
      second_.emplace_back(parameter.size());
    }
  }

  scenario::State train(std::int64_t steps) {
    for (std::int64_t step = 0; step < steps; ++step) {
      const auto gradients = plain_gradients(problem_, dataset_, state_).parameters;
      const auto layers = static_cast<std::int64_t>(problem_.layers.size());
      std::int64_t layer = -1;
      for (std::size_t p = 0; p < shapes_.size(); ++p) {
        const bool weights = shapes_[p].part == catalogue::LayerPart::weights;
        if (weights) ++layer;
        const bool first = layer == 0 && variant_ != Variant::first_as_well;
        const bool as_matrix = weights && !first && layer + 1 < layers && variant_ != Variant::adam_alone;
        as_matrix ? move_matrix(p, gradients[p]) : move_entries(p, gradients[p]);
      }
      ++state_.step;
    }
    state_.slots.clear();
    return to_state(state_);
  }

 private:
  using Matrix = std::vector<T>;

  double rate() const { return learning_rate(problem_.optimizer, state_.step); }

  void move_entries(std::size_t p, const Matrix& gradient) {
    const Optimizer& o = problem_.optimizer;
    const auto t = static_cast<double>(state_.step + 1);
    const double rate_of_entries = rate() * (variant_ == Variant::full_rate ? 1 : o.adamw_rate_factor);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      T& m = first_[p][i];
      T& v = second_[p][i];
      m = static_cast<T>(o.beta1) * m + static_cast<T>(1 - o.beta1) * gradient[i];
      v = static_cast<T>(o.beta2) * v + static_cast<T>(1 - o.beta2) * gradient[i] * gradient[i];
      T& w = state_.parameters[p][i];
      w *= static_cast<T>(1 - rate_of_entries * o.weight_decay);
      w -= static_cast<T>(rate_of_entries / (1 - std::pow(o.beta1, t))) * m /
           (std::sqrt(v / static_cast<T>(1 - std::pow(o.beta2, t))) + static_cast<T>(o.epsilon));
    }
  }

  void move_matrix(std::size_t p, Matrix gradient) {
    const Optimizer& o = problem_.optimizer;
    const auto momentum = static_cast<T>(o.momentum);
    Matrix& w = state_.parameters[p];
    const bool coupled = variant_ == Variant::coupled_decay;
    for (std::size_t i = 0; coupled && i < w.size(); ++i) gradient[i] += static_cast<T>(o.weight_decay) * w[i];
    Matrix x(gradient.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      T& buffer = first_[p][i];
      buffer += (1 - momentum) * (gradient[i] - buffer);
      x[i] = variant_ == Variant::without_nesterov ? buffer : gradient[i] + momentum * (buffer - gradient[i]);
    }
    const std::int64_t inputs = shapes_[p].rows;
    const std::int64_t outputs = shapes_[p].columns;
    x = orthogonalized(transposed(x, inputs, outputs), outputs, inputs);
    x = transposed(x, outputs, inputs);
    const double ratio = static_cast<double>(outputs) / static_cast<double>(inputs);
    double scale = std::sqrt(std::max(1.0, variant_ == Variant::scale_of_transposed ? 1 / ratio : ratio));
    if (variant_ == Variant::unscaled) scale = 1;
    for (std::size_t i = 0; i < w.size(); ++i) {
      if (!coupled) w[i] *= static_cast<T>(1 - rate() * o.weight_decay);
      w[i] -= static_cast<T>(rate() * scale) * x[i];
    }
  }

  Matrix orthogonalized(Matrix x, std::int64_t rows, std::int64_t columns) const {
    const bool turned = (rows > columns) != (variant_ == Variant::longer_side);
    if (turned) return transposed(steps_of(transposed(x, rows, columns), columns, rows), columns, rows);
    return steps_of(x, rows, columns);
  }

  Matrix steps_of(Matrix x, std::int64_t m, std::int64_t n) const {
    T squares = 0;
    for (const T entry : x) squares += entry * entry;
    const T norm = std::max(std::sqrt(squares), static_cast<T>(1e-7));
    for (T& entry : x) entry /= variant_ == Variant::undivided ? T(1) : norm;
    x = rounded(x);
    const bool converging = variant_ == Variant::converging;
    const double a = converging ? 15.0 / 8 : 3.4445;
    const double b = converging ? -10.0 / 8 : -4.7750;
    const double c = converging ? 3.0 / 8 : 2.0315;
    for (int step = variant_ == Variant::four_steps ? 1 : 0; step < 5; ++step) {
      const Matrix gram = rounded(product(x, transposed(x, m, n), m, n, m));
      Matrix polynomial = product(gram, gram, m, m, m);
      for (std::size_t i = 0; i < gram.size(); ++i) {
        polynomial[i] = static_cast<T>(b) * gram[i] + static_cast<T>(c) * polynomial[i];
      }
      const Matrix moved = product(rounded(polynomial), x, m, m, n);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(a) * x[i] + moved[i];
      x = rounded(x);
    }
    return x;
  }

  Matrix rounded(Matrix x) const {
    for (T& entry : x) {
      if (variant_ == Variant::in_bfloat16) entry = narrowed(entry, catalogue::kBfloat16);
    }
    return x;
  }

  static Matrix transposed(const Matrix& x, std::int64_t rows, std::int64_t columns) {
    Matrix result(x.size());
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        result[static_cast<std::size_t>(j * rows + i)] = x[static_cast<std::size_t>(i * columns + j)];
      }
    }
    return result;
  }

  Matrix product(const Matrix& a, const Matrix& b, std::int64_t m, std::int64_t k, std::int64_t n) const {
    Matrix result(static_cast<std::size_t>(m * n));
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        T sum = 0;
        for (std::int64_t l = 0; l < k; ++l) {
          const std::int64_t term = variant_ == Variant::reversed ? k - 1 - l : l;
          sum += a[static_cast<std::size_t>(i * k + term)] * b[static_cast<std::size_t>(term * n + j)];
        }
        result[static_cast<std::size_t>(i * n + j)] = sum;
      }
    }
    return result;
  }

  const Problem& problem_;
  const data::Dataset& dataset_;
  Variant variant_;
  ReferenceState<T> state_;
  std::vector<scenario::ParameterShape> shapes_;
  std::vector<Matrix> first_, second_;
};

Check judged_as(const ReferenceTrajectory& reference, const Case& given, Variant variant) {
  const scenario::State end = catalogue::with_element(
      given.problem.dtype, [&](auto zero) { return OtherMuon<decltype(zero)>(given, variant).train(reference.steps); });
  return check(reference, end, std::numeric_limits<double>::quiet_NaN());
}

// Tall, wide and square matrices between the first and the last layer.
Case random_muon_case(std::uint64_t seed, Dtype dtype) {
  testing::Random random(seed);
  std::vector<std::int64_t> widths = {random.integer(2, 12)};
  for (std::int64_t l = random.integer(2, 4); l > 0; --l) widths.push_back(random.integer(2, 24));
  widths.push_back(random.integer(1, 4));
  const std::int64_t rows = random.integer(4, 60);
  const std::vector<Activation> activations = catalogue::all_of<Activation>();
  const Activation hidden = activations[seed % activations.size()];
  Problem problem = testing::make_problem(widths, hidden, true, Loss::mse, rows, random.integer(3, rows), dtype,
                                          random.uniform(0.005, 0.05));
  problem.optimizer.kind = scenario::OptimizerKind::muon;
  problem.optimizer.momentum = random.uniform(0.5, 0.95);
  problem.optimizer.weight_decay = random.uniform(0.05, 0.2);
  problem.optimizer.decoupled_weight_decay = true;
  problem.optimizer.adamw_rate_factor = random.uniform(0.015, 0.5);
  return testing::make_case(problem, seed + 1);
}

class MuonTest : public ::testing::TestWithParam<Dtype> {};
INSTANTIATE_TEST_SUITE_P(Dtypes, MuonTest, ::testing::Values(Dtype::f32, Dtype::f64),
                         [](const auto& dtype) { return std::string(name_of(dtype.param)); });

TEST_P(MuonTest, RightOnesStayWellBelowTheToleranceAndMistakesAreFound) {
  double largest_share = 0;
  int judged = 0;
  std::map<Variant, int> found;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const Case given = random_muon_case(seed * 1000, GetParam());
    const auto reference = testing::reference_of(given);
    if (!reference.ok()) continue;
    ++judged;
    SCOPED_TRACE(cat("seed ", seed, ", ", testing::describe(given.problem)));
    for (const Variant variant : kRight) {
      const Check result = judged_as(*reference, given, variant);
      EXPECT_TRUE(result.ok) << result.reason;
      for (const TensorCheck& tensor : result.tensors) {
        largest_share = std::max(largest_share, tensor.error / tensor.tolerance);
      }
    }
    for (const Variant variant : kWrong) found[variant] += judged_as(*reference, given, variant).ok ? 0 : 1;
  }
  EXPECT_GT(judged, 100);
  EXPECT_LT(largest_share, 0.5);
  for (const Variant variant : kWrong) {
    // Matrices that are all tall need no scale.
    const double least = variant == Variant::unscaled ? 0.6 : 0.95;
    EXPECT_GT(found[variant], least * judged) << "variant " << static_cast<int>(variant);
  }
}

// A single step, whose entries are judged one by one, as of networks that are too large for more.
TEST_P(MuonTest, EntriesOfASingleStepAreJudgedAlike) {
  Problem problem =
      testing::make_problem({40, 64, 96, 48, 8}, Activation::tanh, true, Loss::mse, 64, 64, GetParam(), 0.02);
  problem.optimizer.kind = scenario::OptimizerKind::muon;
  problem.optimizer.momentum = 0.95;
  problem.optimizer.weight_decay = 0.1;
  problem.optimizer.decoupled_weight_decay = true;
  const Case given = testing::make_case(problem, 7);
  ReferenceOptions options;
  options.trajectory_operations = 1;
  const auto reference = testing::reference_of(given, options);
  ASSERT_TRUE(reference.ok()) << reference.error().message;
  ASSERT_TRUE(reference->sampled);
  for (const Variant variant : kRight) {
    const Check result = judged_as(*reference, given, variant);
    EXPECT_TRUE(result.ok) << result.reason;
  }
  for (const Variant variant : kWrong) {
    if (variant == Variant::without_nesterov) continue;  // the first update is the same but for its norm
    EXPECT_FALSE(judged_as(*reference, given, variant).ok) << "variant " << static_cast<int>(variant);
  }
}

// Of a matrix of rank 1, whose other singular values are all next to 0, an error there grows as the bound says; others
// grow by less.
TEST(MuonBoundTest, IsReachedAndNotExceeded) {
  constexpr std::int64_t kRows = 6;
  constexpr std::int64_t kColumns = 9;
  Optimizer optimizer;
  optimizer.momentum = 0;
  const auto moved_by = [&](const std::vector<double>& gradient, MovedMatrix& moved) {
    std::vector<double> w(gradient.size());
    std::vector<double> momentum(gradient.size());
    moved = {kRows, kColumns};
    move_matrix(optimizer, 1, gradient, w, momentum, moved);
    return w;
  };
  testing::Random random(3);
  for (const bool in_other_directions : {true, false}) {
    std::vector<double> gradient(kRows * kColumns);
    gradient[0] = 2;
    std::vector<double> error(gradient.size());
    for (std::size_t i = 0; i < error.size(); ++i) {
      const bool other = i >= kColumns && i % kColumns != 0;
      if (!in_other_directions) gradient[i] = random.uniform(-1, 1);
      if (other || !in_other_directions) error[i] = random.uniform(-1e-9, 1e-9);
    }
    std::vector<double> off = gradient;
    for (std::size_t i = 0; i < off.size(); ++i) off[i] += error[i];
    MovedMatrix moved;
    const double found = distance(moved_by(off, moved), moved_by(gradient, moved));
    const double bound = moved_error(optimizer, 1, moved, norm(error), 0);
    EXPECT_LT(found, bound * (1 + 1e-6));
    EXPECT_GT(found, in_other_directions ? 0.99 * bound : 0.0);
  }
}

}  // namespace
}  // namespace gdbench::verify
