#include "implementations/backends/jit/lower/tile_operands.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "implementations/backends/jit/lower/even_parts.h"

namespace gdbench::backends::jit {

TileOperands::TileOperands(Context& context, const PanelShape& shape, std::int64_t rows, bool shared)
    : context_(context), builder_(context.builder), shape_(shape), rows_(rows), shared_(shared) {}

ArrayId TileOperands::allocate(const std::string& name, std::int64_t pairs, bool shared) {
  return context_.allocate_blocks(Scalar::i32, name, pairs, 1, pairs, shared).array;
}

ArrayId TileOperands::allocate(const std::string& prefix, ValueId value, std::int64_t pairs) {
  const bool shared = shared_ && !context_.region[value].is_batch();
  return allocate(prefix + context_.region.name_of(value), pairs, shared);
}

void TileOperands::place_forward(ValueId input, ValueId weights) {
  const Region& region = context_.region;
  if (!inputs_.contains(input)) {
    inputs_[input] = allocate("pairs_", input, padded(rows_) * columns_of(input) / 2);
  }
  if (!weights_.contains(weights)) {
    const std::int64_t rows = region[weights].rows;
    weights_[weights] = {allocate("pairs_", weights, padded(rows) * columns_of(weights) / 2), rows};
  }
}

void TileOperands::place_backward(ValueId errors, ValueId weights) {
  if (!errors_.contains(errors)) {
    errors_[errors] = allocate("lines_", errors, padded(rows_) * columns_of(errors) / 2);
  }
  part_size_ = std::max(part_size_, kTiledSide * columns_of(weights) / 2);
}

void TileOperands::place_gradient(ValueId input, ValueId errors) {
  if (!inputs_of_gradients_.contains(input)) {
    inputs_of_gradients_[input] = allocate("row_pairs_", input, padded(rows_) * columns_of(input) / 2);
  }
  if (!errors_of_gradients_.contains(errors)) {
    errors_of_gradients_[errors] = allocate("row_pairs_", errors, padded(rows_) * columns_of(errors) / 2);
  }
}

void TileOperands::place_sums() {
  if (part_size_ > 0) part_ = allocate("part_of_weights", part_size_, false);
  const std::int64_t size = padded(rows_) * kTiledSide;
  sums_ = context_.allocate_blocks(Scalar::f32, "sums", size, 1, size, false).array;
}

bool TileOperands::is_placed(ValueId value) const {
  return inputs_.contains(value) || inputs_of_gradients_.contains(value) || errors_.contains(value) ||
         errors_of_gradients_.contains(value);
}

TilePlace TileOperands::input(ValueId value, const Affine& panel, const Affine& term, std::int64_t row) const {
  const Affine of_panel = panel * (columns_of(value) / 2);
  return {{inputs_.at(value), of_panel + term * (shape_.panel / 2) + Affine(row)}, shape_.panel};
}

TilePlace TileOperands::input_of_gradient(ValueId value, const Affine& row_of_batch, const Affine& column) const {
  const Affine block = column * (padded(rows_) / 2);
  return {{inputs_of_gradients_.at(value), block + row_of_batch * (kTileColumns / 2)}, kTileColumns};
}

TilePlace TileOperands::errors(ValueId value, const Affine& panel, const Affine& term, std::int64_t row) const {
  const Affine of_panel = panel * (columns_of(value) / 2);
  return {{errors_.at(value), of_panel + term * (shape_.panel / 2) + Affine(row * kTileColumns)}, kTileColumns};
}

TilePlace TileOperands::errors_of_gradient(ValueId value, const Affine& row_of_batch, const Affine& column) const {
  const Affine of_panel = row_of_batch * (columns_of(value) / 2);
  return {{errors_of_gradients_.at(value), of_panel + column * (shape_.panel / 2)}, kTileColumns};
}

TilePlace TileOperands::weights(ValueId value, const Affine& first, const Affine& term, std::int64_t column) const {
  const auto& [array, rows] = weights_.at(value);
  const Affine of_columns = first * (padded(rows) / 2);
  return {{array, of_columns + term * kTileColumns + Affine(column * kTileColumns)}, kTileColumns};
}

TilePlace TileOperands::part(ValueId weights, std::int64_t row, const Affine& term) const {
  return {{part_, Affine(row * (columns_of(weights) / 2)) + term * (kTileColumns / 2)}, kTileColumns};
}

Address TileOperands::sums(const Affine& panel, const Affine& row, std::int64_t column) const {
  return {sums_, panel * kTiledSide + row * kTiledSide + Affine(column)};
}

void TileOperands::write_weights(ValueId value, const Affine& first, std::int64_t rows, const Affine& tile,
                                 const Affine& column) {
  const ArrayId source = context_.place(value).array;
  const auto load = [&](std::int64_t row) {
    if (row >= rows) return context_.real_number(0, kTileColumns);
    const Affine block = (first + Affine(row)) * context_.region[value].columns;
    return builder_.load({source, block + (tile + column) * kTileColumns}, kTileColumns);
  };
  Address at = weights(value, tile, first, 0).address;
  at.index = at.index + column * kTileColumns;
  builder_.store(at, builder_.pair_neighbours(load(0), load(kTileColumns)));
}

void TileOperands::write_weights(ValueId value, const Range& columns) {
  for_each_part(builder_, {0, context_.region[value].rows}, kTileTerms, [&](const Affine& first, std::int64_t rows) {
    for_each_part(builder_, columns, kTiledSide, [&](const Affine& tile, std::int64_t count) {
      builder_.loop(0, count, 1, [&](const Affine& column) { write_weights(value, first, rows, tile, column); });
    });
  });
}

void TileOperands::write_part(ValueId value, const Affine& first, std::int64_t rows) {
  const std::int64_t columns = context_.region[value].columns;
  const ArrayId source = context_.place(value).array;
  const Register zero = context_.real_number(0, kTileColumns);
  for (std::int64_t block = 0; block < rows; block += kTileColumns) {
    const auto load = [&](const Affine& column) {
      return builder_.load({source, (first + Affine(block)) * columns + column * kTileColumns}, kTileColumns);
    };
    const auto store = [&](const Affine& column, Register a, Register b) {
      Address at = part(value, block, 0).address;
      at.index = at.index + column * (kTileColumns / 2);
      builder_.store(at, builder_.pair_lanes(a, b));
    };
    const std::int64_t whole = columns / 2 * 2;
    builder_.loop(0, whole, 2, [&](const Affine& column) { store(column, load(column), load(column + Affine(1))); });
    for (std::int64_t column = whole; column < padded(columns); column += 2) {
      store(column, column < columns ? load(column) : zero, zero);
    }
  }
}

void TileOperands::write(ValueId value, const Affine& panel, std::int64_t rows, const Range& columns) {
  if (inputs_.contains(value) || errors_.contains(value)) write_columns(value, panel, rows, columns);
  if (inputs_of_gradients_.contains(value) || errors_of_gradients_.contains(value)) {
    write_rows(value, panel, rows, columns);
  }
}

void TileOperands::write_columns(ValueId value, const Affine& panel, std::int64_t rows, const Range& columns) {
  for_each_part(builder_, columns, kTileTerms, [&](const Affine& first, std::int64_t count) {
    for (std::int64_t begin = 0; begin < rows; begin += kTileRows) {
      const int active = static_cast<int>(std::min<std::int64_t>(kTileRows, rows - begin));
      const auto load = [&](std::int64_t j) {
        if (j >= count) return context_.real_number(0, kTileRows);
        return builder_.load(context_.place(value).at(begin, first + Affine(j)), kTileRows, active);
      };
      std::vector<Register> pairs;
      for (std::int64_t j = 0; j < kTileTerms; j += 2) {
        pairs.push_back(builder_.pair_lanes(load(j), load(j + 1)));
        if (!inputs_.contains(value)) continue;
        Address at = input(value, panel, first, begin).address;
        at.index = at.index + Affine(j / 2 * shape_.panel);
        builder_.store(at, pairs.back());
      }
      if (!errors_.contains(value)) continue;
      const std::vector<Register> lines = transposed(builder_, std::move(pairs));
      for (std::int64_t i = 0; i < kTileRows; ++i) {
        builder_.store(errors(value, panel, first, begin + i).address, lines[static_cast<std::size_t>(i)]);
      }
    }
  });
}

void TileOperands::write_rows(ValueId value, const Affine& panel, std::int64_t rows, const Range& columns) {
  const auto neighbours = [&](const Affine& column) {
    const auto load = [&](std::int64_t begin) {
      if (begin >= rows) return context_.real_number(0, kTileRows);
      const int active = static_cast<int>(std::min<std::int64_t>(kTileRows, rows - begin));
      return builder_.load(context_.place(value).at(begin, column), kTileRows, active);
    };
    return builder_.pair_neighbours(load(0), load(kTileRows));
  };
  for_each_part(builder_, columns, kTileColumns, [&](const Affine& first, std::int64_t count) {
    std::vector<Register> pairs;
    for (std::int64_t j = 0; j < count; ++j) pairs.push_back(neighbours(first + Affine(j)));
    if (errors_of_gradients_.contains(value)) {
      for (std::int64_t j = 0; j < count; ++j) {
        const Affine column = first + Affine(j);
        builder_.store(errors_of_gradient(value, panel, column).address, pairs[static_cast<std::size_t>(j)]);
      }
    }
    if (!inputs_of_gradients_.contains(value)) return;
    while (pairs.size() < kTileColumns) pairs.push_back(builder_.constant({Scalar::i32, kTileColumns}, 0));
    const std::vector<Register> lines = transposed(builder_, std::move(pairs));
    for (std::int64_t i = 0; i < kTileRows; ++i) {
      Address at = input_of_gradient(value, panel, first).address;
      at.index = at.index + Affine(i * kTileColumns);
      builder_.store(at, lines[static_cast<std::size_t>(i)]);
    }
  });
}

}  // namespace gdbench::backends::jit
