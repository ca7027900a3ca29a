#include "implementations/backends/jit/lower/tile_products.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "implementations/backends/jit/lower/even_parts.h"

namespace gdbench::backends::jit {
namespace {

// Where tile (i, j) of the sums is, i of the left operand and j of the right one.
constexpr int sums_at(int i, int j) { return 2 * i + j; }
constexpr int kLeft = 4;
constexpr int kRight = 6;

int tiles_of(std::int64_t count) { return static_cast<int>(rounded_up_quotient(count, kTileRows)); }

int active_of(std::int64_t count, int tile) {
  return static_cast<int>(std::min<std::int64_t>(kTileColumns, count - static_cast<std::int64_t>(tile) * kTileColumns));
}

// The sums of a panel: up to two tiles by two.
class SumsOfTiles {
 public:
  SumsOfTiles(Builder& builder, const TileOperands& operands, const Affine& panel, int rows, int columns)
      : builder_(builder), operands_(operands), panel_(panel), rows_(rows), columns_(columns) {}

  void set_to_zero() {
    for_each([&](int i, int j) { builder_.tile_zero(sums_at(i, j)); });
  }
  void load() {
    for_each([&](int i, int j) { builder_.tile_load(sums_at(i, j), at(i, j), kTiledSide); });
  }
  void store() {
    for_each([&](int i, int j) { builder_.tile_store(sums_at(i, j), at(i, j), kTiledSide); });
  }

  // kTileTerms terms of each: left(i) and right(j) are where the operands' tiles are.
  template <class Left, class Right>
  void add(const Left& left, const Right& right) {
    const auto load = [&](int tile, const TilePlace& from) { builder_.tile_load(tile, from.address, from.row_stride); };
    for (int i = 0; i < rows_; ++i) load(kLeft + i, left(i));
    for (int j = 0; j < columns_; ++j) load(kRight + j, right(j));
    for_each([&](int i, int j) { builder_.tile_multiply(sums_at(i, j), kLeft + i, kRight + j); });
  }

  // A row of a tile, once they are stored.
  Register row(const Affine& row, int tile) {
    return builder_.load(operands_.sums(panel_, row, kTileColumns * tile), kTileColumns);
  }

 private:
  Address at(int i, int j) const { return operands_.sums(panel_, kTileRows * i, kTileColumns * j); }
  template <class Body>
  void for_each(const Body& body) {
    for (int i = 0; i < rows_; ++i) {
      for (int j = 0; j < columns_; ++j) body(i, j);
    }
  }

  Builder& builder_;
  const TileOperands& operands_;
  Affine panel_;
  int rows_;
  int columns_;
};

class TileProduct {
 public:
  TileProduct(Context& context, const Group& group, const TileOperands& operands, const Affine& first,
              std::int64_t columns)
      : context_(context),
        builder_(context.builder),
        writer_(context, group),
        request_(writer_.root().request),
        operands_(operands),
        operand_(writer_.root().operands[0]),
        weights_(writer_.root().operands[1]),
        first_(first),
        columns_(columns) {}

  // In parts of the terms, so that the weights' tiles stay in the first cache for all panels.
  void lower(const ForEachPanel& for_each_panel) {
    constexpr double kShare = 0.7;  // the rest is for the values' tiles
    constexpr double kBytes = kTiledSide * sizeof(float) / 2;
    const double most = kShare * core_of(context_.target).first_cache.bytes / kBytes;
    const std::int64_t tiles = TileOperands::padded(context_.region[operand_].columns) / kTileTerms;
    const EvenParts parts(tiles, std::max<std::int64_t>(1, static_cast<std::int64_t>(most) / kTileTerms));
    std::int64_t begin = 0;
    for (std::int64_t part = 0; part < parts.larger + parts.smaller; ++part) {
      const std::int64_t end = begin + (part < parts.larger ? parts.size : parts.size - 1);
      for_each_panel([&](const Affine& panel, std::int64_t rows) {
        SumsOfTiles sums = sums_of(panel, rows);
        if (begin == 0) {
          sums.set_to_zero();
        } else {
          sums.load();
        }
        builder_.loop(begin * kTileTerms, end * kTileTerms, kTileTerms,
                      [&](const Affine& term) { add(sums, panel, term); });
        sums.store();
        if (end < tiles) return;
        if (request_.transpose_b) {
          finish_turned(sums, rows);
        } else {
          finish(sums, rows);
        }
      });
      begin = end;
    }
  }

 private:
  // Forward their rows are columns of the result, backward rows of the batch.
  SumsOfTiles sums_of(const Affine& panel, std::int64_t rows) const {
    const bool backward = request_.transpose_b;
    return {builder_, operands_, panel, tiles_of(backward ? rows : columns_), tiles_of(backward ? columns_ : rows)};
  }

  void add(SumsOfTiles& sums, const Affine& panel, const Affine& term) {
    if (request_.transpose_b) {
      sums.add([&](int i) { return operands_.errors(operand_, panel, term, kTileRows * i); },
               [&](int j) { return operands_.part(weights_, kTileColumns * j, term); });
    } else {
      sums.add([&](int i) { return operands_.weights(weights_, first_, term, kTileRows * i); },
               [&](int j) { return operands_.input(operand_, panel, term, kTileColumns * j); });
    }
  }

  Position position(const Affine& column, std::int64_t rows, int vector) const {
    return {static_cast<std::int64_t>(vector) * kTileColumns, first_ + column, true, kTileColumns,
            active_of(rows, vector)};
  }

  void finish(SumsOfTiles& sums, std::int64_t rows) {
    const std::optional<ValueId> addend = request_.alpha == 1 ? writer_.addend() : std::nullopt;
    builder_.loop(0, columns_, 1, [&](const Affine& column) {
      for (int v = 0; v < tiles_of(rows); ++v) {
        const Position at = position(column, rows, v);
        const Register sum = sums.row(column, v);
        if (addend) {
          writer_.finish_with_addend(at, builder_.add(writer_.load(*addend, at), sum));
        } else {
          finish(at, sum);
        }
      }
    });
  }

  void finish_turned(SumsOfTiles& sums, std::int64_t rows) {
    for (int v = 0; v < tiles_of(rows); ++v) {
      for (int tile = 0; tile < tiles_of(columns_); ++tile) {
        std::vector<Register> lines;
        for (int i = 0; i < kTileRows; ++i) lines.push_back(sums.row(kTileRows * v + i, tile));
        lines = transposed(builder_, std::move(lines));
        for (int j = 0; j < active_of(columns_, tile); ++j) {
          finish(position(kTileColumns * tile + j, rows, v), lines[static_cast<std::size_t>(j)]);
        }
      }
    }
  }

  void finish(const Position& at, Register sum) {
    if (request_.alpha != 1) sum = builder_.multiply(sum, context_.real_number(request_.alpha, at.lanes));
    writer_.finish(at, sum);
  }

  Context& context_;
  Builder& builder_;
  GroupWriter writer_;
  const Request& request_;
  const TileOperands& operands_;
  ValueId operand_;
  ValueId weights_;
  Affine first_;
  std::int64_t columns_;
};

// What an update behind a gradient reads and writes of some later tile, in as many rounds as the sum has tiles of
// terms.
class UpdatePrefetch {
 public:
  UpdatePrefetch(Context& context, const TiledGradient& gradient, const TileOperands& operands)
      : context_(context), gradient_(gradient), operands_(operands) {
    const std::int64_t rounds = rounded_up_quotient(gradient.rows, kTileTerms);
    columns_ = rounded_up(rounded_up_quotient(kTiledSide, rounds), 2);
    for (const NodeIndex index : gradient.group.nodes) {
      const Node& node = context.region.nodes[index];
      if (node.op() != Op::update) continue;
      for (std::size_t i = kUpdatedParameter; i < node.operands.size(); ++i) {
        arrays_.push_back(context.place(node.operands[i]).array);
      }
    }
  }

  // In the round that begins with term `row` of the tile of `count` rows from `first` on and the columns from `tile`.
  void round(const Affine& first, std::int64_t count, const Affine& tile, const Affine& row) const {
    const std::int64_t columns = gradient_.group.columns;
    const Affine begin = (tile + Affine(kAhead)) * kTileColumns + row * (columns_ / 2);
    for (std::int64_t column = 0; column < columns_; ++column) {
      const Affine entry = begin + Affine(column * kTileColumns);
      for (const ArrayId array : arrays_) {
        for (std::int64_t block = 0; block < count; block += kTileColumns) {
          context_.builder.prefetch_into_second_cache({array, (first + Affine(block)) * columns + entry});
        }
      }
      if (!gradient_.kept) continue;
      Address kept = operands_.weights(*gradient_.kept, tile + Affine(kAhead), first, 0).address;
      kept.index = kept.index + row * (columns_ / 2) + Affine(column * kTileColumns);
      context_.builder.prefetch_into_second_cache(kept);
    }
  }

 private:
  static constexpr std::int64_t kAhead = 3 * kTiledSide;  // columns

  Context& context_;
  const TiledGradient& gradient_;
  const TileOperands& operands_;
  std::int64_t columns_ = 0;  // of a round
  std::vector<ArrayId> arrays_;
};

}  // namespace

void lower_product_by_tiles(Context& context, const Group& group, const TileOperands& operands, const Affine& first,
                            std::int64_t columns, const ForEachPanel& for_each_panel) {
  TileProduct(context, group, operands, first, columns).lower(for_each_panel);
}

void lower_gradient_by_tiles(Context& context, const TiledGradient& gradient, TileOperands& operands,
                             const Affine& first, std::int64_t count) {
  Builder& builder = context.builder;
  GroupWriter writer(context, gradient.group);
  const Node& root = writer.root();
  const int blocks = tiles_of(count);
  const UpdatePrefetch prefetch(context, gradient, operands);
  const auto lower_tile = [&](const Affine& tile, std::int64_t columns) {
    SumsOfTiles sums(builder, operands, 0, tiles_of(columns), blocks);
    sums.set_to_zero();
    builder.loop(0, gradient.rows, kTileTerms, [&](const Affine& row) {
      if (gradient.prefetches) prefetch.round(first, count, tile, row);
      sums.add(
          [&](int i) { return operands.errors_of_gradient(root.operands[1], row, tile + Affine(kTileRows * i)); },
          [&](int j) { return operands.input_of_gradient(root.operands[0], row, first + Affine(kTileColumns * j)); });
    });
    sums.store();
    builder.loop(0, columns, 1, [&](const Affine& column) {
      for (int v = 0; v < blocks; ++v) {
        context.take_rows(gradient.blocked, gradient.block, first + Affine(kTileColumns * v));
        Register sum = sums.row(column, v);
        if (root.request.alpha != 1) {
          sum = builder.multiply(sum, context.real_number(root.request.alpha, kTileColumns));
        }
        writer.finish({0, tile + column, true, kTileColumns, active_of(count, v)}, sum);
      }
      if (gradient.kept) operands.write_weights(*gradient.kept, first, count, tile, column);
    });
  };
  for_each_part(builder, {0, gradient.group.columns}, kTiledSide, lower_tile);
}

}  // namespace gdbench::backends::jit
