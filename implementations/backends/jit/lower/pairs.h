// Operands of a mixed region's products in panels, once more: rounded to bfloat16, two terms of a sum side by side in
// the 32 bits of a lane, as Code::add_pairs multiplies them. In addition to the layouts of panels.h:
//
//   values of the batch, columns in pairs    [panel][column / 2][row]           read by products of the batch
//   their gradients, rows in pairs           [panel][column][row / 2]           read one by one by gradients
//   inputs of layers, rows in pairs          [block][row of the batch / 2][column]
//   weights, rows in pairs                   [block][column][row / 2]           read one by one forward
//   weights, columns in pairs                [block][column / 2][row]           read one by one backward
//
// What has an odd number of terms ends with a pair whose second half is 0.
#pragma once

#include <cstdint>
#include <map>

#include "implementations/backends/jit/lower/context.h"
#include "implementations/backends/jit/lower/panel_shape.h"

namespace gdbench::backends::jit {

class Pairs {
 public:
  // For batches of `rows` rows.
  Pairs(Context& context, const PanelShape& shape, std::int64_t rows);

  // Memory for what products read. Each may be asked for again.
  void place_operand(ValueId batch_value);
  void place_weights(ValueId weights, bool backward);
  void place_gradient(ValueId layer_input, ValueId errors);

  // Whether it is a value of the batch that a product reads in pairs.
  bool is_placed(ValueId value) const { return columns_.contains(value) || errors_.contains(value); }
  // All weights.
  void write_weights();
  // X, in panels and in blocks of columns, as `layer_inputs` has it.
  void write_inputs(const std::map<ValueId, Matrix>& layer_inputs);
  void write_layer_input(ValueId value, const Matrix& blocks);
  // The panel that take_rows has chosen, which begins with row `first` and has so many.
  void write(ValueId value, const Affine& first, std::int64_t rows);

  // Where the pairs are of: rows from `row` on of a panel, for the pair of columns `pair`; of a gradient's column the
  // pair of rows `pair` of the panel; of an input, the columns from `in_block` on of a block, for a pair of rows.
  Address column_pair(ValueId value, const Affine& panel, const Affine& pair, const Affine& row) const;
  Address row_pair(ValueId errors, const Affine& panel, const Affine& column, const Affine& pair) const;
  Address input_pair(ValueId value, const Affine& block, const Affine& pair, const Affine& in_block) const;
  // Of weights in the block that begins with row `block`.
  Address weight_row_pair(ValueId weights, const Affine& block, const Affine& column, const Affine& pair) const;
  Address weight_column_pair(ValueId weights, const Affine& block, const Affine& pair, const Affine& row) const;

 private:
  struct Weights {
    ArrayId rows = 0;
    std::optional<ArrayId> columns = {};  // of those that are read backward
  };
  ArrayId allocate(const std::string& name, std::int64_t size);
  std::int64_t even_columns(ValueId value) const { return rounded_up(context_.region[value].columns, 2); }
  // Pairs of the vector's lanes, half as many.
  void store_neighbours(const Address& address, Register vector);
  // body(column, count): columns in pairs, of which the last may be one alone.
  template <class Body>
  void for_each_pair(std::int64_t count, const Body& body);

  Context& context_;
  Builder& builder_;
  PanelShape shape_;
  std::int64_t rows_;
  std::map<ValueId, ArrayId> columns_;
  std::map<ValueId, ArrayId> errors_;
  std::map<ValueId, ArrayId> inputs_;
  std::map<ValueId, Weights> weights_;
};

}  // namespace gdbench::backends::jit
