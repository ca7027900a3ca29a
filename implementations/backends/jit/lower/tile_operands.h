// What AMX's tiles read of a mixed region in panels (panels.h): values and weights once more, rounded to bfloat16, two
// terms of a sum side by side in 32 bits. A tile holds kTileTerms terms of 16 rows or columns; what has another number
// of terms is padded with pairs of 0.
//
//   inputs of layers, columns in pairs     [panel][column / 2][row]               forward, on the right
//   inputs of layers, rows in pairs        [block][row of the batch / 2][column]  gradients, on the right
//   errors, columns in pairs               [panel][column / 32][row][pair]        backward, on the left
//   errors, rows in pairs                  [panel][column][pair]                  gradients, on the left
//   weights, rows in pairs                 [column / 32][row / 32][column][pair]  forward, on the left
//   rows of weights, columns in pairs      [block][column / 2][row]               backward, on the right
//
// The last are made of a part of the weights when it is read, which only then has to come from beyond the second cache;
// the others before them are made where they are updated.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "implementations/backends/jit/lower/context.h"
#include "implementations/backends/jit/lower/panel_shape.h"

namespace gdbench::backends::jit {

constexpr std::int64_t kTileTerms = 2 * kTileColumns;
// What is computed together: two tiles by two.
constexpr std::int64_t kTiledSide = 2 * kTileRows;

// Where a tile is, and how far apart its rows.
struct TilePlace {
  Address address;
  std::int64_t row_stride = 0;
};

class TileOperands {
 public:
  // For batches of `rows` rows; `shared`: by several threads.
  TileOperands(Context& context, const PanelShape& shape, std::int64_t rows, bool shared);

  // Memory for what products read, each of which may be named again, and then for what all products share.
  void place_forward(ValueId input, ValueId weights);
  void place_backward(ValueId errors, ValueId weights);
  void place_gradient(ValueId input, ValueId errors);
  void place_sums();

  // Of a value that products read, these columns of the panel that take_rows has chosen, which begins with row `panel`.
  // Ranges begin and, but for the last column, end with multiples of kTileTerms.
  bool is_placed(ValueId value) const;
  void write(ValueId value, const Affine& panel, std::int64_t rows, const Range& columns);
  // Of weights that are read forward.
  void write_weights(ValueId weights, const Range& columns);
  // Of those, kTileTerms rows or less of one column, from row `first` on, a multiple of as many.
  void write_weights(ValueId weights, const Affine& first, std::int64_t rows, const Affine& tile, const Affine& column);
  // Of weights that are read backward, up to kTiledSide rows from the first one on.
  void write_part(ValueId weights, const Affine& first, std::int64_t rows);

  // Terms of the sums that read so many columns, with their padding.
  static std::int64_t padded(std::int64_t columns) { return rounded_up(columns, kTileTerms); }
  // `column`, `row` and `tile` are multiples of 16, `term` of kTileTerms, `panel` of a panel's rows.
  TilePlace input(ValueId value, const Affine& panel, const Affine& term, std::int64_t row) const;
  TilePlace input_of_gradient(ValueId value, const Affine& row_of_batch, const Affine& column) const;
  TilePlace errors(ValueId value, const Affine& panel, const Affine& term, std::int64_t row) const;
  TilePlace errors_of_gradient(ValueId value, const Affine& row_of_batch, const Affine& column) const;
  // Of the kTiledSide columns from `first` on.
  TilePlace weights(ValueId value, const Affine& first, const Affine& term, std::int64_t column) const;
  TilePlace part(ValueId weights, std::int64_t row, const Affine& term) const;
  // Sums of kTiledSide rows of as many columns, of each panel.
  Address sums(const Affine& panel, const Affine& row, std::int64_t column) const;

 private:
  ArrayId allocate(const std::string& name, std::int64_t pairs, bool shared);
  // Results are computed by all threads, each of which has X and what belongs to it for itself.
  ArrayId allocate(const std::string& prefix, ValueId value, std::int64_t pairs);
  std::int64_t columns_of(ValueId value) const { return padded(context_.region[value].columns); }
  void write_columns(ValueId value, const Affine& panel, std::int64_t rows, const Range& columns);
  void write_rows(ValueId value, const Affine& panel, std::int64_t rows, const Range& columns);

  Context& context_;
  Builder& builder_;
  PanelShape shape_;
  std::int64_t rows_;
  bool shared_;
  std::int64_t part_size_ = 0;
  ArrayId part_ = 0;
  ArrayId sums_ = 0;
  std::map<ValueId, ArrayId> inputs_;
  std::map<ValueId, ArrayId> inputs_of_gradients_;
  std::map<ValueId, ArrayId> errors_;
  std::map<ValueId, ArrayId> errors_of_gradients_;
  struct Weights {
    ArrayId array = 0;
    std::int64_t rows = 0;  // of which take_rows may have chosen some
  };
  std::map<ValueId, Weights> weights_;
};

}  // namespace gdbench::backends::jit
