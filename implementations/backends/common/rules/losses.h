// The losses: what each entry adds, its derivative, and what both are multiplied by.
#pragma once

#include <cmath>
#include <cstdlib>

#include "implementations/backends/common/ops.h"
#include "implementations/backends/common/rules/rule_of.h"

namespace gdbench::backends {

// Of a loss whose columns are not coupled (see catalogue::LossRow), for an output p, its target y and huber_delta.
template <>
struct RuleOf<Loss::mse> {
  template <class T>
  GDBENCH_HOST_DEVICE static T term(T p, T y, T /*delta*/) {
    return (p - y) * (p - y);
  }
  template <class T>
  GDBENCH_HOST_DEVICE static T slope(T p, T y, T /*delta*/) {
    return p - y;
  }
};
template <>
struct RuleOf<Loss::half_mse> : RuleOf<Loss::mse> {};
template <>
struct RuleOf<Loss::binary_cross_entropy> {
  // log(1 + e^p) - p y, with the larger of 1 and e^p taken out, so that e^p does not overflow.
  template <class T>
  GDBENCH_HOST_DEVICE static T term(T p, T y, T /*delta*/) {
    return (p > T(0) ? p : T(0)) - p * y + std::log1p(std::exp(-std::abs(p)));
  }
  GDBENCH_HOST_DEVICE static auto slope(const auto& p, const auto& y, auto /*delta*/) {
    using std::exp;
    using T = Entry<decltype(p)>;
    return T(1) / (T(1) + exp(-p)) - y;
  }
};
template <>
struct RuleOf<Loss::huber> {
  template <class T>
  GDBENCH_HOST_DEVICE static T term(T p, T y, T delta) {
    const T error = std::abs(p - y);
    return error <= delta ? error * error / 2 : delta * (error - delta / 2);
  }
  template <class T>
  GDBENCH_HOST_DEVICE static T slope(T p, T y, T delta) {
    const T error = p - y;
    return error > delta ? delta : error < -delta ? -delta : error;
  }
};

template <Loss loss>
inline constexpr bool kCouplesColumns = catalogue::row_of(loss).couples_columns;

// Whose gradient is linear in P - Y.
constexpr bool is_squared_error(Loss loss) { return loss == Loss::mse || loss == Loss::half_mse; }

// The constants of gdbench_loss for outputs [rows, columns]: means are over rows, and where columns are not coupled
// over outputs too.
inline double loss_scale(Loss loss, std::int64_t rows, std::int64_t columns) {
  const double mean = 1 / (static_cast<double>(rows) * static_cast<double>(columns));
  switch (loss) {
    case Loss::half_mse:
      return mean / 2;
    case Loss::softmax_cross_entropy:
      return 1 / static_cast<double>(rows);
    case Loss::mse:
    case Loss::binary_cross_entropy:
    case Loss::huber:
      return mean;
  }
  std::abort();  // no such loss
}

// The same of its gradient: of a square, slope() has half.
inline double loss_gradient_scale(Loss loss, std::int64_t rows, std::int64_t columns) {
  return (is_squared_error(loss) ? 2 : 1) * loss_scale(loss, rows, columns);
}

// Of a loss, or of its gradient.
inline double loss_scale(const Request& request) {
  const Operand& outputs = request.operands[0];
  return request.op == Op::loss ? loss_scale(request.loss, outputs.rows, outputs.columns)
                                : loss_gradient_scale(request.loss, outputs.rows, outputs.columns);
}

}  // namespace gdbench::backends
