// How loop/plain moves a matrix by muon: the formula of GDBENCH_MUON in plugin.h, in loops over rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "gdbench/plugin.h"

namespace gdbench::loop {

template <class T>
class MuonMatrix {
 public:
  MuonMatrix(std::int64_t inputs, std::int64_t outputs)
      : inputs_(inputs),
        outputs_(outputs),
        side_(std::min(inputs, outputs)),
        x_(static_cast<std::size_t>(size())),
        next_(x_.size()),
        square_(static_cast<std::size_t>(side_ * side_)),
        factor_(square_.size()) {}

  std::int64_t size() const { return inputs_ * outputs_; }

  // By `scale` times the gradient; w, gradient and momentum are [inputs, outputs].
  void update(const gdbench_optimizer& optimizer, T scale, T rate, const T* gradient, T* momentum, T* w) {
    const T weight = static_cast<T>(optimizer.momentum);
    T squares = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const T g = scale * gradient[i];
      momentum[i] = weight * momentum[i] + (1 - weight) * g;
      x_[i] = (1 - weight) * g + weight * momentum[i];
      squares += x_[i] * x_[i];
    }
    const T norm = std::max(std::sqrt(squares), static_cast<T>(GDBENCH_MUON_EPSILON));
    for (T& entry : x_) entry /= norm;
    for (int step = 0; step < GDBENCH_MUON_STEPS; ++step) make_step();
    const double ratio = static_cast<double>(outputs_) / static_cast<double>(inputs_);
    const T step = rate * static_cast<T>(std::sqrt(std::max(1.0, ratio)));
    const T decay = rate * static_cast<T>(optimizer.weight_decay);
    for (std::size_t i = 0; i < x_.size(); ++i) w[i] -= decay * w[i] + step * x_[i];
  }

 private:
  // X = A X + (B S + C S S) X with S = X X^T, or the same from the right where the matrix is tall.
  void make_step() {
    const bool tall = inputs_ > outputs_;
    for (std::int64_t i = 0; i < side_; ++i) {
      for (std::int64_t j = 0; j < side_; ++j) square_[at(i, j, side_)] = tall ? of_columns(i, j) : of_rows(i, j);
    }
    for (std::size_t i = 0; i < factor_.size(); ++i) factor_[i] = static_cast<T>(GDBENCH_MUON_B) * square_[i];
    add(static_cast<T>(GDBENCH_MUON_C), square_, square_, factor_, side_, side_, side_);
    for (std::size_t i = 0; i < x_.size(); ++i) next_[i] = static_cast<T>(GDBENCH_MUON_A) * x_[i];
    if (tall) {
      add(T(1), x_, factor_, next_, inputs_, side_, side_);
    } else {
      add(T(1), factor_, x_, next_, side_, side_, outputs_);
    }
    x_.swap(next_);
  }

  static std::size_t at(std::int64_t row, std::int64_t column, std::int64_t columns) {
    return static_cast<std::size_t>(row * columns + column);
  }

  T of_rows(std::int64_t a, std::int64_t b) const {
    T sum = 0;
    for (std::int64_t j = 0; j < outputs_; ++j) sum += x_[at(a, j, outputs_)] * x_[at(b, j, outputs_)];
    return sum;
  }
  T of_columns(std::int64_t a, std::int64_t b) const {
    T sum = 0;
    for (std::int64_t i = 0; i < inputs_; ++i) sum += x_[at(i, a, outputs_)] * x_[at(i, b, outputs_)];
    return sum;
  }

  // C [m, n] += alpha A [m, k] B [k, n].
  static void add(T alpha, const std::vector<T>& a, const std::vector<T>& b, std::vector<T>& c, std::int64_t m,
                  std::int64_t k, std::int64_t n) {
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t l = 0; l < k; ++l) {
        const T factor = alpha * a[at(i, l, k)];
        for (std::int64_t j = 0; j < n; ++j) c[at(i, j, n)] += factor * b[at(l, j, n)];
      }
    }
  }

  std::int64_t inputs_;
  std::int64_t outputs_;
  std::int64_t side_;
  std::vector<T> x_, next_;
  std::vector<T> square_, factor_;
};

}  // namespace gdbench::loop
