// Eigen's views of buffers. Nothing here owns memory; Eigen's own allocations are kept out of run functions (the unit
// test counts them).
#pragma once

#include <Eigen/Core>

#include "implementations/kernels/cpu/call.h"

namespace gdbench::kernels::eigen {

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

}  // namespace gdbench::kernels::eigen
