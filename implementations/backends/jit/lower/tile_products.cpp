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

// Y = X W or dX = dZ W' of a group: up to kTiledSide columns of it from the first one on, of all panels.
class ProductByTiles {
 public:
  ProductByTiles(Context& context, const Group& group, const TileOperands& operands, const Affine& first,
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
    constexpr double kShare = 0.7;             // the rest is for the values' tiles
    constexpr double kBytes = kTiledSide * 2;  // of bfloat16
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
          writer_.finish_product(at, sum);
        }
      }
    });
  }

  void finish_turned(SumsOfTiles& sums, std::int64_t rows) {
    for (int v = 0; v < tiles_of(rows); ++v) {
      for (int tile = 0; tile < tiles_of(columns_); ++tile) {
        std::vector<Register> lines;
        lines.reserve(kTileRows);
        for (int i = 0; i < kTileRows; ++i) lines.push_back(sums.row(kTileRows * v + i, tile));
        lines = transposed(builder_, std::move(lines));
        for (int j = 0; j < active_of(columns_, tile); ++j) {
          writer_.finish_product(position(kTileColumns * tile + j, rows, v), lines[static_cast<std::size_t>(j)]);
        }
      }
    }
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

// dW = X' dZ of a group, and what follows: up to kTiledSide rows and columns of the weights at a time.
class GradientByTiles {
 public:
  // `kept`: the weights, if the next step reads them as the operands have them.
  GradientByTiles(Context& context, const Group& group, std::int64_t rows_of_batch, const PanelShape& shape,
                  const std::set<ValueId>& blocked, TileOperands& operands, std::optional<ValueId> kept)
      : context_(context),
        builder_(context.builder),
        writer_(context, group),
        rows_of_batch_(rows_of_batch),
        block_(shape.block),
        blocked_(blocked),
        operands_(operands),
        kept_(kept) {
    const std::int64_t rounds = rounded_up_quotient(rows_of_batch, kTileTerms);
    columns_of_round_ = rounded_up(rounded_up_quotient(kTiledSide, rounds), 2);
  }

  void lower(const Range& own, bool prefetches) {
    const Group& group = writer_.group();
    for_each_part(builder_, {0, group.rows}, kTiledSide, [&](const Affine& first, std::int64_t count) {
      for_each_part(builder_, own, kTiledSide, [&](const Affine& column, std::int64_t columns) {
        lower({first, count, column, columns}, prefetches);
      });
    });
    context_.take_rows(blocked_, group.rows, 0);
  }

 private:
  struct Tile {
    Affine row;  // of the weights
    std::int64_t rows;
    Affine column;
    std::int64_t columns;
  };

  void lower(const Tile& tile, bool prefetches) {
    const Node& root = writer_.root();
    const int blocks = tiles_of(tile.rows);
    SumsOfTiles sums(builder_, operands_, 0, tiles_of(tile.columns), blocks);
    sums.set_to_zero();
    builder_.loop(0, rows_of_batch_, kTileTerms, [&](const Affine& row) {
      if (prefetches) fetch_later_tile(tile, row);
      const auto errors = [&](int i) {
        return operands_.errors_of_gradient(root.operands[1], row, tile.column + Affine(kTileRows * i));
      };
      const auto inputs = [&](int j) {
        return operands_.input_of_gradient(root.operands[0], row, tile.row + Affine(kTileColumns * j));
      };
      sums.add(errors, inputs);
    });
    sums.store();
    builder_.loop(0, tile.columns, 1, [&](const Affine& column) {
      for (int v = 0; v < blocks; ++v) {
        context_.take_rows(blocked_, block_, tile.row + Affine(kTileColumns * v));
        const Position at{0, tile.column + column, true, kTileColumns, active_of(tile.rows, v)};
        writer_.finish_product(at, sums.row(column, v));
      }
      if (kept_) operands_.write_weights(*kept_, tile.row, tile.rows, tile.column, column);
    });
  }

  // What the update of a later tile reads and writes: some columns of it in each round of the sum over rows.
  void fetch_later_tile(const Tile& tile, const Affine& row) {
    constexpr std::int64_t kAhead = 3 * kTiledSide;  // columns
    const Affine later = tile.column + Affine(kAhead);
    const Affine in_tile = row * (columns_of_round_ / 2);
    for (std::int64_t column = 0; column < columns_of_round_; ++column) {
      const Affine entry = in_tile + Affine(column * kTileColumns);
      for (const NodeIndex index : writer_.group().nodes) {
        const Node& node = context_.region.nodes[index];
        if (node.op() != Op::update) continue;
        for (std::size_t i = kUpdatedParameter; i < node.operands.size(); ++i) {
          fetch_column(node.operands[i], tile, later * kTileColumns + entry);
        }
      }
      if (!kept_) continue;
      Address kept = operands_.weights(*kept_, later, tile.row, 0).address;
      kept.index = kept.index + entry;
      builder_.prefetch_into_second_cache(kept);
    }
  }

  // Of each block of the tile's rows.
  void fetch_column(ValueId value, const Tile& tile, const Affine& entry) {
    for (std::int64_t block = 0; block < tile.rows; block += kTileColumns) {
      const Affine first = (tile.row + Affine(block)) * writer_.group().columns;
      builder_.prefetch_into_second_cache({context_.place(value).array, first + entry});
    }
  }

  Context& context_;
  Builder& builder_;
  GroupWriter writer_;
  std::int64_t rows_of_batch_;
  std::int64_t block_;
  const std::set<ValueId>& blocked_;
  TileOperands& operands_;
  std::optional<ValueId> kept_;
  std::int64_t columns_of_round_ = 0;
};

}  // namespace

TileProducts::TileProducts(Context& context, const RowBlocks& blocks, const PanelShape& shape,
                           const std::vector<Group>& late, Share share, bool prefetches)
    : context_(context),
      blocks_(blocks),
      shape_(shape),
      rows_(blocks.rows),
      late_(late),
      share_(share),
      prefetches_(prefetches),
      operands_(context, shape, blocks.rows, !share.alone()) {
  for (const Node& node : context.region.nodes) {
    if (is_batch_product(blocks, node) && node.request.transpose_b) {
      operands_.place_backward(node.operands[0], node.operands[1]);
    } else if (is_batch_product(blocks, node)) {
      operands_.place_forward(node.operands[0], node.operands[1]);
    }
    if (is_gradient(blocks, node)) operands_.place_gradient(node.operands[0], node.operands[1]);
  }
  operands_.place_sums();
}

std::optional<ValueId> TileProducts::updated_by(const Group& group) const {
  const Node& update = context_.region.nodes[group.nodes.back()];
  if (update.op() != Op::update || !is_gradient(blocks_, context_.region.nodes[group.nodes.front()])) return {};
  return update.operands[kUpdatedParameter];
}

bool TileProducts::keeps_weights() const {
  return std::ranges::all_of(context_.region.nodes, [&](const Node& node) {
    if (!is_batch_product(blocks_, node) || node.request.transpose_b) return true;
    return std::ranges::any_of(late_, [&](const Group& late) { return updated_by(late) == node.operands[1]; });
  });
}

void TileProducts::begin() {
  if (keeps_weights()) write_weights();
}

void TileProducts::begin_step() {
  if (!keeps_weights()) write_weights();
}

void TileProducts::write_weights() {
  context_.builder.note("weights, in pairs of bfloat16");
  std::set<ValueId> written;
  for (const Node& node : context_.region.nodes) {
    if (!is_batch_product(blocks_, node) || node.request.transpose_b) continue;
    const ValueId weights = node.operands[1];
    if (!written.insert(weights).second) continue;
    operands_.write_weights(weights, own_columns(context_.region[weights].columns));
  }
}

void TileProducts::write(ValueId value, const ForEachPanel& for_each_panel) {
  const Value& shape = context_.region[value];
  const Range columns = shape.is_batch() ? Range{0, shape.columns} : own_columns(shape.columns);
  for_each_panel([&](const Affine& panel, std::int64_t rows) { operands_.write(value, panel, rows, columns); });
}

void TileProducts::lower_product(const Group& group, const ForEachPanel& for_each_panel) {
  const Node& root = context_.region.nodes[group.nodes.front()];
  for_each_part(context_.builder, own_columns(group.columns), kTiledSide, [&](const Affine& first, std::int64_t count) {
    if (root.request.transpose_b) operands_.write_part(root.operands[1], first, count);
    ProductByTiles(context_, group, operands_, first, count).lower(for_each_panel);
  });
}

void TileProducts::lower_gradient(const Group& group, const std::set<ValueId>& blocked) {
  const std::optional<ValueId> kept = keeps_weights() ? updated_by(group) : std::nullopt;
  GradientByTiles(context_, group, rows_, shape_, blocked, operands_, kept)
      .lower(own_columns(group.columns), prefetches_);
}

}  // namespace gdbench::backends::jit
