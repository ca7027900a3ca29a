#include "implementations/backends/jit/lower/pairs.h"

#include <algorithm>

#include "implementations/backends/jit/lower/even_parts.h"

namespace gdbench::backends::jit {

namespace {

// Of the second cache, for a part of weights; the rest is for the batch.
constexpr double kPartOfWeights = 0.125;

}  // namespace

Pairs::Pairs(Context& context, const PanelShape& shape, std::int64_t rows, bool tiles)
    : context_(context),
      builder_(context.builder),
      shape_(shape),
      rows_(rows),
      terms_(tiles ? kTileTerms : 2),
      tiles_(tiles) {}

ArrayId Pairs::allocate(const std::string& name, std::int64_t size) {
  return context_.allocate_blocks(Scalar::i32, name, size, 1, size, false).array;
}

void Pairs::place_operand(ValueId value, bool backward) {
  std::map<ValueId, ArrayId>& places = tiles_ && backward ? error_lines_ : columns_;
  if (places.contains(value)) return;
  const std::int64_t panels = rounded_up(rows_, shape_.panel);
  const std::string name = (tiles_ && backward ? "line_pairs_" : "pairs_") + context_.region.name_of(value);
  places[value] = allocate(name, panels * padded_columns(value) / 2);
}

std::int64_t Pairs::part_of_weights(ValueId value, bool backward) const {
  const RegionValue& shape = context_.region[value];
  const std::int64_t terms = rounded_up(backward ? shape.columns : shape.rows, terms_);
  const double bytes = kPartOfWeights * core_of(context_.target).second_cache.bytes;
  const auto fitting = static_cast<std::int64_t>(bytes / (2 * static_cast<double>(terms)));
  constexpr std::int64_t kUnit = 2 * kTileRows;
  return std::clamp(fitting / kUnit * kUnit, kUnit, rounded_up(backward ? shape.rows : shape.columns, kUnit));
}

void Pairs::place_parts() {
  if (!tiles_) return;
  part_ = allocate("part_of_weights", part_entries_);
  constexpr std::int64_t kSide = 2 * kTileRows;
  scratch_ = context_.allocate_blocks(Scalar::f32, "sums", kSide, kSide, kSide, false).array;
}

Address Pairs::scratch(const Affine& row, std::int64_t column) const {
  return {scratch_, row * (2 * kTileColumns) + Affine(column)};
}

Address Pairs::weight_rows_tile(const Affine& term, const Affine& in_part, std::int64_t part) const {
  return {part_, term * (rounded_up(part, kTileRows) / 2) + in_part * kTileColumns};
}

Address Pairs::weight_columns_tile(ValueId weights, const Affine& in_part, const Affine& term) const {
  return {part_, in_part * (padded_columns(weights) / 2) + term * (kTileColumns / 2)};
}

Address Pairs::error_lines_tile(ValueId errors, const Affine& panel, const Affine& term, std::int64_t row) const {
  const Affine of_panel = panel * (padded_columns(errors) / 2);
  return {error_lines_.at(errors), of_panel + term * (shape_.panel / 2) + Affine(row * kTileColumns)};
}

void Pairs::write_weight_rows(ValueId value, const Affine& first, std::int64_t columns) const {
  const RegionValue& shape = context_.region[value];
  const ArrayId source = context_.place(value).array;
  const auto write_column = [&](const Affine& term, const Affine& column, bool whole) {
    for (int half = 0; half < 2; ++half) {
      const Affine block = (term + Affine(half * kTileColumns)) * shape.columns;
      const Register entries =
          half == 0 || whole
              ? builder_.load({source, block + (first + column) * kTileColumns}, kTileColumns)
              : context_.real_number(0, kTileColumns);
      Address at = weight_rows_tile(term, column, columns);
      at.index = at.index + Affine(half * kTileColumns / 2);
      builder_.store(at, builder_.pair_neighbours(entries));
    }
  };
  const std::int64_t rows = rounded_up(shape.rows, kTileColumns);
  for_each_part(builder_, {0, rows}, kTileTerms, [&](const Affine& term, std::int64_t count) {
    builder_.loop(0, columns, 1, [&](const Affine& column) { write_column(term, column, count == kTileTerms); });
  });
}

void Pairs::write_weight_columns(ValueId value, const Affine& first, std::int64_t rows) const {
  const RegionValue& shape = context_.region[value];
  const ArrayId source = context_.place(value).array;
  builder_.loop(0, rows, kTileColumns, [&](const Affine& block) {
    const auto load = [&](const Affine& column) {
      return builder_.load({source, (first + block) * shape.columns + column * kTileColumns}, kTileColumns);
    };
    const auto store = [&](const Affine& column, Register a, Register b) {
      Address at = weight_columns_tile(value, block, column);
      builder_.store(at, builder_.pair_lanes(a, b));
    };
    const std::int64_t whole = shape.columns / 2 * 2;
    builder_.loop(0, whole, 2, [&](const Affine& column) { store(column, load(column), load(column + Affine(1))); });
    const Register zero = context_.real_number(0, kTileColumns);
    for (std::int64_t column = whole; column < padded_columns(value); column += 2) {
      store(column, column < shape.columns ? load(column) : zero, zero);
    }
  });
}

// 32 columns of 16 rows at a time, as rows of pairs.
void Pairs::write_error_lines(ValueId value, const Affine& first, std::int64_t rows) {
  const std::int64_t columns = context_.region[value].columns;
  for (std::int64_t begin = 0; begin < rows; begin += kTileRows) {
    const int active = static_cast<int>(std::min<std::int64_t>(kTileRows, rows - begin));
    for_each_part(builder_, {0, columns}, kTileTerms, [&](const Affine& column, std::int64_t count) {
      const auto load = [&](std::int64_t j) {
        if (j >= count) return context_.real_number(0, kTileRows);
        return builder_.load(context_.place(value).at(begin, column + Affine(j)), kTileRows, active);
      };
      std::vector<Register> pairs;
      for (std::int64_t j = 0; j < kTileTerms; j += 2) pairs.push_back(builder_.pair_lanes(load(j), load(j + 1)));
      const std::vector<Register> lines = transposed(builder_, std::move(pairs));
      for (std::int64_t i = 0; i < kTileRows; ++i) {
        builder_.store(error_lines_tile(value, first, column, begin + i), lines[static_cast<std::size_t>(i)]);
      }
    });
  }
}

void Pairs::place_weights(ValueId value, bool backward) {
  if (tiles_) {
    const RegionValue& shape = context_.region[value];
    const std::int64_t terms = rounded_up(backward ? shape.columns : shape.rows, terms_);
    part_entries_ = std::max(part_entries_, part_of_weights(value, backward) * terms / 2);
    return;
  }
  const RegionValue& shape = context_.region[value];
  const std::int64_t size = rounded_up(shape.rows, shape_.block) * padded_columns(value) / 2;
  const std::string name = context_.region.name_of(value);
  if (!weights_.contains(value)) weights_[value].rows = allocate("row_pairs_" + name, size);
  Weights& weights = weights_[value];
  if (backward && !weights.columns) weights.columns = allocate("column_pairs_" + name, size);
}

void Pairs::place_gradient(ValueId input, ValueId errors) {
  if (!inputs_.contains(input)) {
    const std::int64_t size = rounded_up(context_.region[input].columns, shape_.block) * rounded_up(rows_, terms_) / 2;
    inputs_[input] = allocate("input_pairs_" + context_.region.name_of(input), size);
  }
  if (!errors_.contains(errors)) {
    const std::int64_t panels = rounded_up(rows_, shape_.panel);
    errors_[errors] = allocate("row_pairs_" + context_.region.name_of(errors), panels * padded_columns(errors) / 2);
  }
}

Address Pairs::column_pair(ValueId value, const Affine& panel, const Affine& pair, const Affine& row) const {
  return {columns_.at(value), panel * (padded_columns(value) / 2) + pair * shape_.panel + row};
}

Address Pairs::row_pair(ValueId errors, const Affine& panel, const Affine& column, const Affine& pair) const {
  return {errors_.at(errors), panel * (padded_columns(errors) / 2) + column * (shape_.panel / 2) + pair};
}

Address Pairs::input_pair(ValueId value, const Affine& block, const Affine& pair, const Affine& in_block) const {
  return {inputs_.at(value), block * (rounded_up(rows_, terms_) / 2) + pair * shape_.block + in_block};
}

Address Pairs::weight_row_pair(ValueId weights, const Affine& block, const Affine& column, const Affine& pair) const {
  return {weights_.at(weights).rows, block * (padded_columns(weights) / 2) + column * (shape_.block / 2) + pair};
}

Address Pairs::weight_column_pair(ValueId weights, const Affine& block, const Affine& pair, const Affine& row) const {
  return {*weights_.at(weights).columns, block * (padded_columns(weights) / 2) + pair * shape_.block + row};
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
        builder_.store(weight_row_pair(value, block, column, 0), builder_.pair_neighbours(first));
        if (count == 2) {
          builder_.store(weight_row_pair(value, block, column + Affine(1), 0), builder_.pair_neighbours(second));
        }
        if (!weights.columns) return;
        // Of a pair's number half of its first column's.
        const Address at{*weights.columns, block * (padded_columns(value) / 2) + column * (shape_.block / 2)};
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
      const Address at{inputs_.at(value), block * (rounded_up(rows_, terms_) / 2) + row * (shape_.block / 2)};
      builder_.store(at, builder_.pair_lanes(first, second));
    });
  });
}

void Pairs::write(ValueId value, const Affine& first, std::int64_t rows) {
  const int lanes = context_.lanes();
  const std::int64_t columns = context_.region[value].columns;
  const std::int64_t even = padded_columns(value);
  if (error_lines_.contains(value)) write_error_lines(value, first, rows);
  if (!columns_.contains(value) && !errors_.contains(value)) return;
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
      builder_.store(row_pair(value, first, column, Affine(begin / 2)), builder_.pair_neighbours(a));
      if (count == 2) {
        builder_.store(row_pair(value, first, column + Affine(1), Affine(begin / 2)), builder_.pair_neighbours(b));
      }
    }
  });
}

}  // namespace gdbench::backends::jit
