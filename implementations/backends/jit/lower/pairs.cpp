#include "implementations/backends/jit/lower/pairs.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "implementations/backends/jit/lower/even_parts.h"

namespace gdbench::backends::jit {

Pairs::Pairs(Context& context, const PanelShape& shape, std::int64_t rows)
    : context_(context), builder_(context.builder), shape_(shape), rows_(rows) {}

ArrayId Pairs::allocate(const std::string& name, std::int64_t size) {
  return context_.allocate_blocks(Scalar::i32, name, size, 1, size, false).array;
}

void Pairs::place_operand(ValueId value) {
  if (columns_.contains(value)) return;
  const std::int64_t panels = rounded_up(rows_, shape_.panel);
  columns_[value] = allocate("pairs_" + context_.region.name_of(value), panels * even_columns(value) / 2);
}

void Pairs::place_weights(ValueId value, bool backward) {
  const RegionValue& shape = context_.region[value];
  const std::int64_t size = rounded_up(shape.rows, shape_.block) * even_columns(value) / 2;
  const std::string name = context_.region.name_of(value);
  if (!weights_.contains(value)) weights_[value].rows = allocate("row_pairs_" + name, size);
  Weights& weights = weights_[value];
  if (backward && !weights.columns) weights.columns = allocate("column_pairs_" + name, size);
}

void Pairs::place_gradient(ValueId input, ValueId errors) {
  if (!inputs_.contains(input)) {
    const std::int64_t size = rounded_up(context_.region[input].columns, shape_.block) * rounded_up(rows_, 2) / 2;
    inputs_[input] = allocate("input_pairs_" + context_.region.name_of(input), size);
  }
  if (!errors_.contains(errors)) {
    const std::int64_t panels = rounded_up(rows_, shape_.panel);
    errors_[errors] = allocate("row_pairs_" + context_.region.name_of(errors), panels * even_columns(errors) / 2);
  }
}

Address Pairs::column_pair(ValueId value, const Affine& panel, const Affine& pair, const Affine& row) const {
  return {columns_.at(value), panel * (even_columns(value) / 2) + pair * shape_.panel + row};
}

Address Pairs::row_pair(ValueId errors, const Affine& panel, const Affine& column, const Affine& pair) const {
  return {errors_.at(errors), panel * (even_columns(errors) / 2) + column * (shape_.panel / 2) + pair};
}

Address Pairs::input_pair(ValueId value, const Affine& block, const Affine& pair, const Affine& in_block) const {
  return {inputs_.at(value), block * (rounded_up(rows_, 2) / 2) + pair * shape_.block + in_block};
}

Address Pairs::weight_row_pair(ValueId weights, const Affine& block, const Affine& column, const Affine& pair) const {
  return {weights_.at(weights).rows, block * (even_columns(weights) / 2) + column * (shape_.block / 2) + pair};
}

Address Pairs::weight_column_pair(ValueId weights, const Affine& block, const Affine& pair, const Affine& row) const {
  return {*weights_.at(weights).columns, block * (even_columns(weights) / 2) + pair * shape_.block + row};
}

void Pairs::store_neighbours(const Address& address, Register vector) {
  std::vector<int> lower(static_cast<std::size_t>(builder_.type_of(vector).lanes / 2));
  std::iota(lower.begin(), lower.end(), 0);
  const Register pairs = builder_.pair_neighbours(vector, vector);
  builder_.store(address, builder_.shuffle(pairs, pairs, std::move(lower)));
}

template <class Body>
void Pairs::for_each_pair(std::int64_t count, const Body& body) {
  builder_.loop(0, count / 2 * 2, 2, [&](const Affine& first) { body(first, 2); });
  if (count % 2 != 0) body(Affine(count - 1), 1);
}

// A block has as many rows as a vector has lanes.
void Pairs::write_weights() {
  const int lanes = context_.lanes();
  for (const auto& of_value : weights_) {
    const ValueId value = of_value.first;  // clang 14 has no lambdas that capture structured bindings
    const Weights& weights = of_value.second;
    const RegionValue& shape = context_.region[value];
    const ArrayId source = context_.place(value).array;
    for_each_part(builder_, {0, shape.rows}, shape_.block, [&](const Affine& block, std::int64_t) {
      for_each_pair(shape.columns, [&](const Affine& column, std::int64_t count) {
        const auto load = [&](std::int64_t j) {
          const Affine entry = block * shape.columns + (column + Affine(j)) * shape_.block;
          return builder_.load({source, entry}, lanes);
        };
        const Register first = load(0);
        const Register second = count == 2 ? load(1) : context_.real_number(0, lanes);
        store_neighbours(weight_row_pair(value, block, column, 0), first);
        if (count == 2) {
          store_neighbours(weight_row_pair(value, block, column + Affine(1), 0), second);
        }
        if (!weights.columns) return;
        // Of a pair's number half of its first column's.
        const Address at{*weights.columns, block * (even_columns(value) / 2) + column * (shape_.block / 2)};
        builder_.store(at, builder_.pair_lanes(first, second));
      });
    });
  }
}

void Pairs::write_inputs(const std::map<ValueId, Matrix>& layer_inputs) {
  for (const auto& of_value : columns_) {
    const ValueId value = of_value.first;
    if (context_.region[value].role == RegionRole::result) continue;
    for_each_part(builder_, {0, rows_}, shape_.panel, [&](const Affine& first, std::int64_t rows) {
      context_.take_rows({value}, rows, first);
      write(value, first, rows);
    });
    context_.take_rows({value}, rows_, 0);
  }
  for (const auto& [value, blocks] : layer_inputs) {
    if (context_.region[value].role != RegionRole::result) write_layer_input(value, blocks);
  }
}

void Pairs::write_layer_input(ValueId value, const Matrix& blocks) {
  const int lanes = context_.lanes();
  for_each_part(builder_, {0, context_.region[value].columns}, shape_.block, [&](const Affine& block, std::int64_t) {
    for_each_pair(rows_, [&](const Affine& row, std::int64_t count) {
      const auto load = [&](std::int64_t i) {
        return builder_.load({blocks.array, block * rows_ + (row + Affine(i)) * shape_.block}, lanes);
      };
      const Register first = load(0);
      const Register second = count == 2 ? load(1) : context_.real_number(0, lanes);
      const Address at{inputs_.at(value), block * (rounded_up(rows_, 2) / 2) + row * (shape_.block / 2)};
      builder_.store(at, builder_.pair_lanes(first, second));
    });
  });
}

void Pairs::write(ValueId value, const Affine& first, std::int64_t rows) {
  const int lanes = context_.lanes();
  const std::int64_t columns = context_.region[value].columns;
  const std::int64_t even = even_columns(value);
  for_each_pair(columns, [&](const Affine& column, std::int64_t count) {
    for (std::int64_t begin = 0; begin < rows; begin += lanes) {
      const int active = static_cast<int>(std::min<std::int64_t>(lanes, rows - begin));
      const auto load = [&](std::int64_t j) {
        return builder_.load(context_.place(value).at(begin, column + Affine(j)), lanes, active);
      };
      const Register a = load(0);
      const Register b = count == 2 ? load(1) : context_.real_number(0, lanes);
      if (columns_.contains(value)) {
        const Address at{columns_.at(value), first * (even / 2) + column * (shape_.panel / 2) + Affine(begin)};
        builder_.store(at, builder_.pair_lanes(a, b));
      }
      if (!errors_.contains(value)) continue;
      store_neighbours(row_pair(value, first, column, Affine(begin / 2)), a);
      if (count == 2) {
        store_neighbours(row_pair(value, first, column + Affine(1), Affine(begin / 2)), b);
      }
    }
  });
}

}  // namespace gdbench::backends::jit
