// Where a matrix lies, and which of its entries lie side by side.
#pragma once

#include <cstdint>
#include <optional>

#include "implementations/backends/jit/loops/program.h"

namespace gdbench::backends::jit {

// A row or a column: which one, or where it starts, if that is known by its number alone.
struct Line {
  Affine index;
  std::optional<Register> base = {};
};

struct Matrix {
  ArrayId array = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t row_stride = 0;  // in elements
  std::int64_t column_stride = 1;
  // Vectors that start at a multiple of their length may be read and written whole where they reach beyond the last
  // row or column: what lies there is unused.
  bool padded = false;
  Affine first = {};  // where entry (0, 0) is
  // Rows that lie anywhere in the data: their numbers, and where that of row 0 stands among them.
  std::optional<ArrayId> numbers = {};
  Affine first_number = {};
  bool numbered_columns = false;  // it is seen as its transpose
  std::int64_t ahead = 0;  // the first read of an entry fetches the one so many elements further on; 0: none does

  // Of a matrix without numbers.
  Address at(const Affine& row, const Affine& column) const { return at(Line{row, {}}, Line{column, {}}); }
  Address at(const Line& row, const Line& column) const {
    return {array, first + row.index * row_stride + column.index * column_stride, row.base ? row.base : column.base};
  }
  // Whether a vector is entries of one column, not of one row.
  bool rows_side_by_side() const { return row_stride == 1 && (column_stride != 1 || columns == 1); }
  Matrix transposed() const {
    return {array, columns, rows,         column_stride,     row_stride, padded,
            first, numbers, first_number, !numbered_columns, ahead};
  }
};

// Lanes of a vector along one of the axes of a group's matrices, and where it starts.
struct Position {
  Affine row;
  Affine column;
  bool along_rows = false;  // lanes are rows
  int lanes = 1;
  int active = 1;            // lanes that are entries
  bool whole_vector = true;  // starts at a multiple of a whole vector's lanes

  // Lanes that may be read or written of a matrix, whose padding is where its entries lie side by side.
  int lanes_of(const Matrix& matrix) const {
    return whole_vector && matrix.padded && along_rows == matrix.rows_side_by_side() ? lanes : active;
  }
};

}  // namespace gdbench::backends::jit
