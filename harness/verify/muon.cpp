#include "harness/verify/muon.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "harness/verify/norms.h"
#include "harness/verify/products.h"

namespace gdbench::verify {

namespace {

using scenario::Optimizer;

// Of f, see muon.h.
constexpr double kLargestValue = 1.2024;
const double kSteepest = std::pow(GDBENCH_MUON_A, GDBENCH_MUON_STEPS);

double real_of(std::int64_t value) { return static_cast<double>(value); }

double scale_of(const MovedMatrix& moved) {
  return std::sqrt(std::max(1.0, real_of(moved.columns) / real_of(moved.rows)));
}

template <class T>
std::vector<T> transposed(const std::vector<T>& matrix, std::int64_t rows, std::int64_t columns) {
  std::vector<T> result(matrix.size());
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      result[static_cast<std::size_t>(j * rows + i)] = matrix[static_cast<std::size_t>(i * columns + j)];
    }
  }
  return result;
}

// A X + (B S + C S S) X with S = X X^T, for X [m, n].
template <class T>
std::vector<T> newton_schulz_step(const std::vector<T>& x, std::int64_t m, std::int64_t n) {
  const auto side = static_cast<std::size_t>(m * m);
  std::vector<T> square(side);
  product_with_transposed(x.data(), x.data(), square.data(), m, n, m);
  std::vector<T> fourth(side, T(0));
  add_product(square.data(), square.data(), fourth.data(), m, m, m);
  for (std::size_t i = 0; i < side; ++i) {
    square[i] = static_cast<T>(GDBENCH_MUON_B) * square[i] + static_cast<T>(GDBENCH_MUON_C) * fourth[i];
  }
  std::vector<T> result(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) result[i] = static_cast<T>(GDBENCH_MUON_A) * x[i];
  add_product(square.data(), x.data(), result.data(), m, m, n);
  return result;
}

// What rounding adds in a step, in epsilons: the factors of its products have singular values of about 1 at most, so
// that each product is off by the root of its terms times the norm of X (rounding.h), times its constant. Later steps
// carry it on by no more than f'(0) of theirs.
template <class T>
double rounding_after_step(double before, const std::vector<T>& x, std::int64_t terms) {
  constexpr double kConstants = GDBENCH_MUON_A - GDBENCH_MUON_B + GDBENCH_MUON_C;
  return GDBENCH_MUON_A * before + kConstants * std::sqrt(real_of(terms)) * norm(x);
}

}  // namespace

std::vector<MovedMatrix> moved_matrices(const scenario::Problem& problem) {
  std::vector<MovedMatrix> matrices;
  if (problem.optimizer.kind != scenario::OptimizerKind::muon) return matrices;
  const auto layers = static_cast<std::int64_t>(problem.layers.size());
  std::int64_t layer = -1;
  for (const scenario::ParameterShape& shape : parameter_shapes(problem)) {
    if (shape.part == catalogue::LayerPart::weights) ++layer;
    const bool moves = catalogue::moves_as_matrix(problem.optimizer.kind, layer, layers, shape.part);
    matrices.push_back(moves ? MovedMatrix{shape.rows, shape.columns} : MovedMatrix{});
  }
  return matrices;
}

template <class T>
void move_matrix(const Optimizer& optimizer, double rate, const std::vector<T>& gradient, std::vector<T>& w,
                 std::vector<T>& momentum, MovedMatrix& moved) {
  const auto weight = static_cast<T>(optimizer.momentum);
  const auto rest = static_cast<T>(1 - optimizer.momentum);
  std::vector<T> x(gradient.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    momentum[i] = weight * momentum[i] + rest * gradient[i];
    x[i] = rest * gradient[i] + weight * momentum[i];
  }
  moved.norm = norm(x);
  const T divisor = std::max(static_cast<T>(moved.norm), static_cast<T>(GDBENCH_MUON_EPSILON));
  for (T& entry : x) entry /= divisor;

  const bool tall = moved.rows > moved.columns;
  const auto [shorter, longer] = std::minmax(moved.rows, moved.columns);
  if (tall) x = transposed(x, moved.rows, moved.columns);
  moved.rounding = std::sqrt(real_of(longer));  // of the norm, and of the division
  for (int step = 0; step < GDBENCH_MUON_STEPS; ++step) {
    moved.rounding = rounding_after_step(moved.rounding, x, longer);
    x = newton_schulz_step(x, shorter, longer);
  }
  if (tall) x = transposed(x, moved.columns, moved.rows);

  const T kept = 1 - static_cast<T>(rate) * static_cast<T>(optimizer.weight_decay);
  const auto factor = static_cast<T>(rate * scale_of(moved));
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = kept * w[i] - factor * x[i];
}

double moved_error(const Optimizer& optimizer, double rate, const MovedMatrix& moved, double gradient_error,
                   std::int64_t steps_left) {
  // Of U, and of those of later updates, whose momentum has the error, too: (1 - mu) (1 + mu + mu^2 + ...).
  double shares = 1;
  double power = 1;
  for (std::int64_t k = 0; k <= steps_left && power > 1e-3; ++k) shares += power *= optimizer.momentum;
  const double divisor = std::max(moved.norm, GDBENCH_MUON_EPSILON);
  const double error = kSteepest * (1 - optimizer.momentum) * shares * gradient_error / divisor;
  const double apart = 2 * kLargestValue * std::sqrt(real_of(std::min(moved.rows, moved.columns)));
  return rate * scale_of(moved) * std::min(error, apart);
}

double own_rounding(double rate, const MovedMatrix& moved) { return rate * scale_of(moved) * moved.rounding; }

#define GDBENCH_INSTANTIATE(T)                                                                                 \
  template void move_matrix(const Optimizer&, double, const std::vector<T>&, std::vector<T>&, std::vector<T>&, \
                            MovedMatrix&);

GDBENCH_INSTANTIATE(float)
GDBENCH_INSTANTIATE(double)
GDBENCH_INSTANTIATE(long double)
#undef GDBENCH_INSTANTIATE

}  // namespace gdbench::verify
