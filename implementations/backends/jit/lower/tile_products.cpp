#include "implementations/backends/jit/lower/tile_products.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "implementations/backends/jit/lower/even_parts.h"

namespace gdbench::backends::jit {
namespace {

// Two tiles by two.
constexpr std::int64_t kSide = 2 * kTileRows;

// Where tile (i, j) of the sums is, i of the left operand and j of the right one.
constexpr int sums_at(int i, int j) { return 2 * i + j; }
constexpr int kLeft = 4;
constexpr int kRight = 6;

int tiles_of(std::int64_t count) { return static_cast<int>(rounded_up_quotient(count, kTileRows)); }

// The sums of rows x columns tiles, into the scratch memory, rows of kSide floats. `add` multiplies once for each
// kTileTerms of the terms: left(i) and right(j) are where the tiles are, and how far apart their rows.
class SumsOfTiles {
 public:
  SumsOfTiles(Builder& builder, const Pairs& pairs, int rows, int columns)
      : builder_(builder), pairs_(pairs), rows_(rows), columns_(columns) {
    for_each([&](int i, int j) { builder_.tile_zero(sums_at(i, j)); });
  }

  template <class Left, class Right>
  void add(const Left& left, const Right& right) {
    for (int i = 0; i < rows_; ++i) builder_.tile_load(kLeft + i, left(i).first, left(i).second);
    for (int j = 0; j < columns_; ++j) builder_.tile_load(kRight + j, right(j).first, right(j).second);
    for_each([&](int i, int j) { builder_.tile_multiply(sums_at(i, j), kLeft + i, kRight + j); });
  }

  void store() {
    for_each([&](int i, int j) {
      builder_.tile_store(sums_at(i, j), pairs_.scratch(kTileRows * i, kTileColumns * j), kSide);
    });
  }

  Register load(const Affine& row, int column) { return builder_.load(pairs_.scratch(row, column), kTileColumns); }

 private:
  template <class Body>
  void for_each(const Body& body) {
    for (int i = 0; i < rows_; ++i) {
      for (int j = 0; j < columns_; ++j) body(i, j);
    }
  }

  Builder& builder_;
  const Pairs& pairs_;
  int rows_;
  int columns_;
};

int active_of(std::int64_t count, int vector) {
  return static_cast<int>(std::min<std::int64_t>(kTileColumns, count - static_cast<std::int64_t>(vector) * kTileColumns));
}

}  // namespace

TileProduct::TileProduct(Context& context, const Group& group, const PanelShape& shape, const Pairs& pairs)
    : context_(context),
      group_(group),
      request_(context.region.nodes[group.nodes.front()].request),
      shape_(shape),
      pairs_(pairs),
      operand_(context.region.nodes[group.nodes.front()].operands[0]),
      weights_(context.region.nodes[group.nodes.front()].operands[1]) {}

std::int64_t TileProduct::columns_within(std::int64_t own) const {
  return std::min(own, pairs_.part_of_weights(weights_, request_.transpose_b));
}

void TileProduct::begin_part(const Affine& first, std::int64_t columns) {
  part_ = columns;
  if (request_.transpose_b) {
    pairs_.write_weight_columns(weights_, first, columns);
  } else {
    pairs_.write_weight_rows(weights_, first, columns);
  }
}

void TileProduct::lower(const Affine& first, std::int64_t columns, const Affine& panel, std::int64_t rows) {
  GroupWriter writer(context_, group_);
  for_each_part(context_.builder, {0, columns}, kSide, [&](const Affine& in_part, std::int64_t count) {
    if (request_.transpose_b) {
      backward(writer, first + in_part, in_part, count, panel, rows);
    } else {
      forward(writer, first + in_part, in_part, count, panel, rows);
    }
  });
}

// Rows of sums are columns of the result.
void TileProduct::forward(GroupWriter& writer, const Affine& first, const Affine& in_part, std::int64_t columns,
                          const Affine& panel, std::int64_t rows) {
  Builder& builder = context_.builder;
  const int vectors = tiles_of(rows);
  SumsOfTiles sums(builder, pairs_, tiles_of(columns), vectors);
  builder.loop(0, pairs_.terms_of(operand_), kTileTerms, [&](const Affine& term) {
    sums.add(
        [&](int i) {
          return std::pair(pairs_.weight_rows_tile(term, in_part + Affine(kTileRows * i), part_), kTileColumns);
        },
        [&](int j) {
          const Affine row(kTileColumns * j);
          return std::pair(pairs_.column_pair(operand_, panel, 0, term * (shape_.panel / 2) + row), shape_.panel);
        });
  });
  sums.store();
  const std::optional<ValueId> addend = request_.alpha == 1 ? writer.addend() : std::nullopt;
  builder.loop(0, columns, 1, [&](const Affine& line) {
    for (int v = 0; v < vectors; ++v) {
      const Position position{static_cast<std::int64_t>(v) * kTileColumns, first + line, true, kTileColumns,
                              active_of(rows, v)};
      const Register sum = sums.load(line, v * kTileColumns);
      if (addend) {
        writer.finish_with_addend(position, builder.add(writer.load(*addend, position), sum));
      } else {
        finish(writer, position, sum);
      }
    }
  });
}

// Rows of sums are rows of the batch: they are transposed on their way.
void TileProduct::backward(GroupWriter& writer, const Affine& first, const Affine& in_part, std::int64_t columns,
                           const Affine& panel, std::int64_t rows) {
  Builder& builder = context_.builder;
  const int vectors = tiles_of(rows);
  const int blocks = tiles_of(columns);
  SumsOfTiles sums(builder, pairs_, vectors, blocks);
  builder.loop(0, pairs_.terms_of(operand_), kTileTerms, [&](const Affine& term) {
    sums.add(
        [&](int i) {
          return std::pair(pairs_.error_lines_tile(operand_, panel, term, kTileRows * i), kTileColumns);
        },
        [&](int j) {
          const Affine block = in_part + Affine(kTileColumns * j);
          return std::pair(pairs_.weight_columns_tile(weights_, block, term), kTileColumns);
        });
  });
  sums.store();
  for (int v = 0; v < vectors; ++v) {
    for (int block = 0; block < blocks; ++block) {
      std::vector<Register> lines;
      for (int i = 0; i < kTileRows; ++i) lines.push_back(sums.load(kTileRows * v + i, kTileColumns * block));
      const std::vector<Register> turned = transposed(builder, std::move(lines));
      for (int j = 0; j < active_of(columns, block); ++j) {
        const Position position{static_cast<std::int64_t>(v) * kTileColumns,
                                first + Affine(kTileColumns * block + j), true, kTileColumns, active_of(rows, v)};
        finish(writer, position, turned[static_cast<std::size_t>(j)]);
      }
    }
  }
}

void TileProduct::finish(GroupWriter& writer, const Position& position, Register sum) const {
  Builder& builder = context_.builder;
  if (request_.alpha != 1) sum = builder.multiply(sum, context_.real_number(request_.alpha, position.lanes));
  writer.finish(position, sum);
}

void lower_gradient_by_tiles(Context& context, const Group& group, const PanelShape& shape, const Pairs& pairs,
                             const std::set<ValueId>& blocked, std::int64_t rows, bool prefetches) {
  Builder& builder = context.builder;
  GroupWriter writer(context, group);
  const ValueId inputs = writer.root().operands[0];
  const ValueId errors = writer.root().operands[1];
  const double alpha = writer.root().request.alpha;
  const auto tile = [&](const Affine& first, std::int64_t count, const Affine& column, std::int64_t columns) {
    if (prefetches) prefetch_update(context, group, shape, first, count, column, columns);
    const int blocks = tiles_of(count);
    SumsOfTiles sums(builder, pairs, tiles_of(columns), blocks);
    builder.loop(0, rows, kTileTerms, [&](const Affine& row) {
      sums.add(
          [&](int i) {
            return std::pair(pairs.row_pair(errors, row, column + Affine(kTileRows * i), 0), kTileColumns);
          },
          [&](int j) {
            Address at = pairs.input_pair(inputs, first + Affine(kTileColumns * j), 0, 0);
            at.index = at.index + row * (kTileColumns / 2);
            return std::pair(at, kTileColumns);
          });
    });
    sums.store();
    builder.loop(0, columns, 1, [&](const Affine& line) {
      for (int v = 0; v < blocks; ++v) {
        context.take_rows(blocked, shape.block, first + Affine(kTileColumns * v));
        Register sum = sums.load(line, v * kTileColumns);
        if (alpha != 1) sum = builder.multiply(sum, context.real_number(alpha, kTileColumns));
        writer.finish({0, column + line, true, kTileColumns, active_of(count, v)}, sum);
      }
    });
  };
  for_each_part(builder, {0, group.rows}, kSide, [&](const Affine& first, std::int64_t count) {
    for_each_part(builder, {0, group.columns}, kSide,
                  [&](const Affine& column, std::int64_t columns) { tile(first, count, column, columns); });
  });
}

}  // namespace gdbench::backends::jit
