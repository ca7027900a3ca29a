// Eigen's views of buffers. Nothing here owns memory; Eigen's own allocations are kept out of run functions (the unit
// test counts them).
#pragma once

#include <Eigen/Core>
#include <type_traits>

#include "implementations/backends/common/cpu/call.h"

namespace gdbench::backends::eigen {

template <class T>
using RowMajorMatrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
template <class T>
using Array = Eigen::Array<T, Eigen::Dynamic, 1>;

template <class T>
Eigen::Map<const RowMajorMatrix<T>> input_matrix(Buffer buffer, Eigen::Index rows, Eigen::Index columns) {
  return {cpu::data<const T>(buffer), rows, columns};
}
template <class T>
Eigen::Map<RowMajorMatrix<T>> output_matrix(Buffer buffer, Eigen::Index rows, Eigen::Index columns) {
  return {cpu::data<T>(buffer), rows, columns};
}
template <class T>
Eigen::Map<const Vector<T>> input_vector(Buffer buffer, Eigen::Index size) {
  return {cpu::data<const T>(buffer), size};
}
template <class T>
Eigen::Map<Vector<T>> output_vector(Buffer buffer, Eigen::Index size) {
  return {cpu::data<T>(buffer), size};
}
template <class T>
Eigen::Map<const Array<T>> input_array(Buffer buffer, Eigen::Index size) {
  return {cpu::data<const T>(buffer), size};
}
template <class T>
Eigen::Map<Array<T>> output_array(Buffer buffer, Eigen::Index size) {
  return {cpu::data<T>(buffer), size};
}

// Covers [0, size) with f(first, width), width a compile-time 16, 8, 4 or 1. For rows of a matrix: rows seldom start
// aligned, and an expression over a row of run-time length would peel single entries off until it is.
template <class Function>
void for_segments(Eigen::Index size, Function f) {
  Eigen::Index first = 0;
  for (; first + 16 <= size; first += 16) f(first, std::integral_constant<int, 16>());
  if (first + 8 <= size) {
    f(first, std::integral_constant<int, 8>());
    first += 8;
  }
  if (first + 4 <= size) {
    f(first, std::integral_constant<int, 4>());
    first += 4;
  }
  for (; first < size; ++first) f(first, std::integral_constant<int, 1>());
}

// The `width` entries that start at an address.
template <int width, class T>
auto segment(T* values) {
  using Values = Eigen::Array<std::remove_const_t<T>, width, 1>;
  return Eigen::Map<std::conditional_t<std::is_const_v<T>, const Values, Values>>(values);
}

}  // namespace gdbench::backends::eigen
