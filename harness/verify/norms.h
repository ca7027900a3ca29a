// Internal to verify: 2-norms of tensors, and whether they are finite.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace gdbench::verify {

template <class T>
double norm(const std::vector<T>& values) {
  T sum = 0;
  for (const T& value : values) sum += value * value;
  return static_cast<double>(std::sqrt(sum));
}

// 2-norm of b - a.
template <class A, class B>
double distance(const std::vector<A>& a, const std::vector<B>& b) {
  using Wider = std::common_type_t<A, B, double>;
  Wider sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Wider difference = static_cast<Wider>(b[i]) - static_cast<Wider>(a[i]);
    sum += difference * difference;
  }
  return static_cast<double>(std::sqrt(sum));
}

template <class T>
bool all_finite(const std::vector<std::vector<T>>& tensors) {
  return std::ranges::all_of(tensors, [](const std::vector<T>& tensor) {
    return std::ranges::all_of(tensor, [](const T& value) { return std::isfinite(value); });
  });
}

}  // namespace gdbench::verify
