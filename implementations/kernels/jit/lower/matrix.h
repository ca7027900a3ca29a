// Where a matrix lies, and which of its entries lie side by side.
#pragma once

#include <cstdint>

#include "implementations/kernels/jit/loops/program.h"

namespace gdbench::kernels::jit {

struct Matrix {
  ArrayId array = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t row_stride = 0;  // in elements
  std::int64_t column_stride = 1;
  // Vectors that start at a multiple of their length may be read and written whole where they reach beyond the last
  // row or column: what lies there is nobody's.
  bool padded = false;
  Affine first = {};  // where entry (0, 0) is

  Address at(const Affine& row, const Affine& column) const {
    return {array, first + row * row_stride + column * column_stride};
  }
  Matrix transposed() const { return {array, columns, rows, column_stride, row_stride, padded, first}; }
};

// Lanes of a vector along one of the axes of a group's matrices, and where it starts.
struct Position {
  Affine row;
  Affine column;
  bool along_rows = false;  // lanes are rows, of matrices with one column
  int lanes = 1;
  int active = 1;  // lanes that are entries

  // Lanes that may be read or written of a matrix, whose padding is where its entries lie side by side.
  int lanes_of(const Matrix& matrix) const {
    return matrix.padded && along_rows == (matrix.columns == 1) ? lanes : active;
  }
};

}  // namespace gdbench::kernels::jit
