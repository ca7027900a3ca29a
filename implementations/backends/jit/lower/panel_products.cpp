#include "implementations/backends/jit/lower/panel_products.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace gdbench::backends::jit {

// The sums of a tile: lines of vectors.
class TileSums {
 public:
  template <class Start>
  TileSums(Context& context, std::int64_t lines, int vectors, const Start& start)
      : builder_(context.builder), lanes_(context.lanes()), lines_(lines), vectors_(vectors) {
    for (std::int64_t i = 0; i < lines; ++i) {
      for (int v = 0; v < vectors; ++v) {
        variables_.push_back(builder_.variable({context.real(), lanes_}));
        builder_.set(variables_.back(), start(i, v));
      }
    }
  }

  // A term of each: vector(v) times entry(line); of arrays of pairs two terms.
  template <class Vector, class Entry>
  void add(const Vector& vector, const Entry& entry) {
    std::vector<Register> vectors;
    for (int v = 0; v < vectors_; ++v) vectors.push_back(builder_.load(vector(v), lanes_));
    for (std::int64_t i = 0; i < lines_; ++i) {
      const Register factor = builder_.splat(builder_.load(entry(i), 1), lanes_);
      for (int v = 0; v < vectors_; ++v) {
        const Register own = vectors[static_cast<std::size_t>(v)];
        const bool pairs = builder_.type_of(own).scalar == Scalar::i32;
        builder_.set(at(i, v), pairs ? builder_.add_pairs(factor, own, get(i, v))
                                     : builder_.multiply_add(factor, own, get(i, v)));
      }
    }
  }

  Register get(std::int64_t line, int vector) { return builder_.get(at(line, vector)); }

 private:
  VariableId at(std::int64_t line, int vector) const {
    return variables_[static_cast<std::size_t>(line * vectors_ + vector)];
  }

  Builder& builder_;
  int lanes_;
  std::int64_t lines_;
  int vectors_;
  std::vector<VariableId> variables_;
};

namespace {

constexpr std::int64_t kUnrolled = 4;  // terms of a sum in one round of a loop

// body(first, count) in rounds of kUnrolled, and what is left over.
template <class Body>
void in_rounds(Builder& builder, std::int64_t count, const Body& body) {
  for_each_part(builder, {0, count}, kUnrolled, body);
}

int vectors_of(std::int64_t rows, int lanes) { return static_cast<int>(rounded_up_quotient(rows, lanes)); }

int active_lanes(std::int64_t rows, int lanes, int vector) {
  return static_cast<int>(std::min<std::int64_t>(lanes, rows - static_cast<std::int64_t>(vector) * lanes));
}

}  // namespace

// Of 32 registers tiles of 8 x 2 vectors leave room for loads that run ahead. Shorter vectors make up for it by more of
// them, and 16 registers allow 6 x 2.
TileShape::TileShape(const Target& target, int of_vectors) : vectors(of_vectors) {
  constexpr std::int64_t kLines[] = {16, 8, 8, 6};
  constexpr std::int64_t kFewLines[] = {12, 6};
  lines = (target.registers >= 32 ? kLines : kFewLines)[vectors - 1];
}

PanelShape::PanelShape(const Target& target, Scalar real, std::int64_t rows, bool tiles)
    : batch(target, 1), gradient(target, target.registers >= 32 && target.vector_bits < 512 ? 4 : 2) {
  const int lanes = target.lanes(real);
  const std::int64_t vectors = rounded_up_quotient(rows, lanes);
  batch = TileShape(target, static_cast<int>(std::clamp<std::int64_t>(tiles ? 2 : vectors, 1, gradient.vectors)));
  panel = static_cast<std::int64_t>(batch.vectors) * lanes;
  block = std::max<std::int64_t>(lanes, kLineBytes / static_cast<std::int64_t>(bytes_of(real)));
}

PanelProduct::PanelProduct(Context& context, const Group& group, const PanelShape& shape, const Pairs* pairs,
                           bool prefetches)
    : context_(context),
      group_(group),
      request_(context.region.nodes[group.nodes.front()].request),
      shape_(shape),
      pairs_(pairs),
      prefetches_(prefetches),
      columns_(group.columns) {}

std::int64_t PanelProduct::columns_within(double bytes, std::int64_t own) const {
  const Matrix& weights = context_.place(context_.region.nodes[group_.nodes.front()].operands[1]);
  const std::int64_t inner = request_.transpose_b ? weights.columns : request_.operands[0].columns;
  const auto entry = static_cast<std::int64_t>(bytes_of(context_.real())) / (pairs_ != nullptr ? 2 : 1);
  const auto fitting = static_cast<std::int64_t>(bytes / static_cast<double>(inner * entry));
  if (fitting >= own) return own;
  const std::int64_t unit = request_.transpose_b ? shape_.block : EvenParts(own, shape_.batch.lines).size;
  // Parts of about the same size, so that there is no small one.
  const std::int64_t parts = rounded_up_quotient(own, std::max(fitting, unit));
  return rounded_up(rounded_up_quotient(own, parts), unit);
}

void PanelProduct::lower(const Affine& first, std::int64_t columns, const Affine& panel, std::int64_t rows) {
  GroupWriter writer(context_, group_);
  Builder& builder = context_.builder;
  // Of the rows left over at the end of a batch there may be fewer vectors.
  const std::int64_t lines = TileShape(context_.target, vectors_of(rows, context_.lanes())).lines;
  if (!request_.transpose_b) {
    EvenParts(columns, lines).for_each(builder, [&](const Affine& column, std::int64_t count) {
      tile(writer, {.block = 0,
                    .column = first + column,
                    .columns = count,
                    .panel = panel,
                    .rows = rows,
                    .before = column,
                    .of = columns});
    });
    return;
  }
  const auto block = [&](const Affine& begin, std::int64_t size, const Affine& before) {
    EvenParts(size, lines).for_each(builder, [&](const Affine& in_block, std::int64_t count) {
      tile(writer, {.block = begin,
                    .column = begin + in_block,
                    .in_block = in_block,
                    .columns = count,
                    .panel = panel,
                    .rows = rows,
                    .before = before + in_block,
                    .of = columns});
    });
  };
  for_each_part(builder, {0, columns}, shape_.block,
                [&](const Affine& begin, std::int64_t size) { block(first + begin, size, begin); });
}

void PanelProduct::tile(GroupWriter& writer, const Tile& tile) {
  const int lanes = context_.lanes();
  const int vectors = vectors_of(tile.rows, lanes);
  const auto position = [&](std::int64_t line, int v) {
    return Position{static_cast<std::int64_t>(v) * lanes, tile.column + Affine(line), true, lanes,
                    active_lanes(tile.rows, lanes, v)};
  };
  const std::optional<ValueId> addend = request_.alpha == 1 ? writer.addend() : std::nullopt;
  TileSums sums(context_, tile.columns, vectors, [&](std::int64_t line, int v) {
    return addend ? writer.load(*addend, position(line, v)) : context_.real_number(0, lanes);
  });
  if (pairs_ != nullptr) {
    add_pairs(sums, tile);
  } else {
    add_terms(sums, tile);
  }
  for (std::int64_t i = 0; i < tile.columns; ++i) {
    for (int v = 0; v < vectors; ++v) {
      if (addend) {
        writer.finish_with_addend(position(i, v), sums.get(i, v));
      } else {
        writer.finish_product(position(i, v), sums.get(i, v));
      }
    }
  }
}

void PanelProduct::add_terms(TileSums& sums, const Tile& tile) const {
  Builder& builder = context_.builder;
  const Node& node = context_.region.nodes[group_.nodes.front()];
  const int lanes = context_.lanes();
  const Matrix& left = context_.place(node.operands[0]);
  const ArrayId weights = context_.place(node.operands[1]).array;
  const auto vector_at = [&](const Affine& inner) {
    return [&left, inner, lanes](int v) { return left.at(static_cast<std::int64_t>(v) * lanes, inner); };
  };
  const std::int64_t line = kLineBytes / static_cast<std::int64_t>(bytes_of(context_.real()));
  if (request_.transpose_b) {
    // Entries side by side, one line or less for each term; fetched a few terms ahead.
    constexpr std::int64_t kAhead = 16;
    in_rounds(builder, request_.operands[1].columns, [&](const Affine& first, std::int64_t count) {
      fetch_next_panel(tile, first);
      for (std::int64_t j = 0; j < count; ++j) {
        const Affine inner = first + Affine(j);
        const Affine entries = tile.block * request_.operands[1].columns + inner * shape_.block + tile.in_block;
        if (prefetches_) builder.prefetch({weights, entries + Affine(kAhead * shape_.block)});
        sums.add(vector_at(inner), [&](std::int64_t i) { return Address{weights, entries + Affine(i)}; });
      }
    });
  } else {
    // A line's entries lie side by side; those of a few blocks ahead are fetched, a few lines in each round.
    const std::int64_t depth = request_.operands[0].columns;
    const std::int64_t lines = rounded_up_quotient(rounded_up_quotient(tile.columns * shape_.block, line),
                                                   rounded_up_quotient(shape_.block, kUnrolled));
    constexpr std::int64_t kBlocksAhead = 3;
    const auto terms = [&](const Affine& block, const Affine& inner, std::int64_t count, const Affine& first) {
      for (std::int64_t j = 0; j < count; ++j) {
        const Affine entries = block + tile.column * shape_.block + first + Affine(j);
        sums.add(vector_at(inner + Affine(j)), [&](std::int64_t i) {
          return Address{weights, entries + Affine(i * shape_.block)};
        });
      }
    };
    const std::int64_t whole = depth / shape_.block * shape_.block;
    builder.loop(0, whole, shape_.block, [&](const Affine& begin) {
      const Affine block = begin * columns_;
      in_rounds(builder, shape_.block, [&](const Affine& first, std::int64_t count) {
        if (prefetches_) {
          fetch_next_panel(tile, begin + first);
          const Affine next = (begin + Affine(kBlocksAhead * shape_.block)) * columns_ + tile.column * shape_.block;
          for (std::int64_t l = 0; l < lines; ++l) {
            // Rounds are kUnrolled terms apart.
            builder.prefetch({weights, next + first * (lines * line / kUnrolled) + Affine(l * line)});
          }
        }
        terms(block, begin + first, count, first);
      });
    });
    if (whole < depth) {
      in_rounds(builder, depth - whole, [&](const Affine& first, std::int64_t count) {
        terms(whole * columns_, Affine(whole) + first, count, first);
      });
    }
  }
}

// The same of operands in pairs: half as many terms.
void PanelProduct::add_pairs(TileSums& sums, const Tile& tile) const {
  Builder& builder = context_.builder;
  const Node& node = context_.region.nodes[group_.nodes.front()];
  const ValueId weights = node.operands[1];
  const int lanes = context_.lanes();
  const auto vector_at = [&](const Affine& pair) {
    return [this, &tile, &node, pair, lanes](int v) {
      return pairs_->column_pair(node.operands[0], tile.panel, pair, Affine(static_cast<std::int64_t>(v) * lanes));
    };
  };
  if (request_.transpose_b) {
    in_rounds(builder, rounded_up_quotient(request_.operands[1].columns, 2),
              [&](const Affine& first, std::int64_t count) {
                for (std::int64_t j = 0; j < count; ++j) {
                  const Affine pair = first + Affine(j);
                  sums.add(vector_at(pair), [&](std::int64_t i) {
                    return pairs_->weight_column_pair(weights, tile.block, pair, tile.in_block + Affine(i));
                  });
                }
              });
    return;
  }
  const std::int64_t depth = request_.operands[0].columns;
  const auto terms = [&](const Affine& block, const Affine& first, std::int64_t count) {
    for (std::int64_t j = 0; j < count; ++j) {
      const Affine in_block = first + Affine(j);
      // A pair's number is half of its first column's.
      const auto vector = [&](int v) {
        Address address = vector_at(in_block)(v);
        address.index = address.index + block * (shape_.panel / 2);
        return address;
      };
      sums.add(vector, [&](std::int64_t i) {
        return pairs_->weight_row_pair(weights, block, tile.column + Affine(i), in_block);
      });
    }
  };
  const std::int64_t whole = depth / shape_.block * shape_.block;
  builder.loop(0, whole, shape_.block, [&](const Affine& block) {
    in_rounds(builder, shape_.block / 2, [&](const Affine& first, std::int64_t count) { terms(block, first, count); });
  });
  if (whole < depth) {
    in_rounds(builder, rounded_up_quotient(depth - whole, 2),
              [&](const Affine& first, std::int64_t count) { terms(whole, first, count); });
  }
}

// Of the next panel a part, for a round that starts at term `inner` of the tile's sums: the first tile of a panel would
// wait for all of it, so that it is spread over the tiles of the panel before. With many tiles it does not matter.
void PanelProduct::fetch_next_panel(const Tile& tile, const Affine& inner) const {
  if (!prefetches_ || tile.of > 2 * shape_.panel * tile.columns) return;
  const Matrix& left = context_.place(context_.region.nodes[group_.nodes.front()].operands[0]);
  const std::int64_t per_term = rounded_up_quotient(shape_.panel * tile.columns, tile.of);
  const std::int64_t per_column = rounded_up_quotient(left.columns * per_term, tile.columns);
  const Affine next = left.first + Affine(left.columns * shape_.panel) + tile.before * per_column + inner * per_term;
  const std::int64_t line = kLineBytes / static_cast<std::int64_t>(bytes_of(context_.real()));
  for (std::int64_t entry = 0; entry < per_term * kUnrolled; entry += line) {
    context_.builder.prefetch({left.array, next + Affine(entry)});
  }
}

namespace {

class GradientLowering {
 public:
  GradientLowering(Context& context, const Group& group, const PanelShape& shape, const Pairs* pairs,
                   const Matrix& inputs, const std::set<ValueId>& blocked, std::int64_t rows, bool prefetches)
      : context_(context),
        builder_(context.builder),
        group_(group),
        writer_(context, group),
        shape_(shape),
        pairs_(pairs),
        inputs_(inputs),
        blocked_(blocked),
        rows_(rows),
        prefetches_(prefetches),
        lanes_(context.lanes()) {}

  void run(const Range& own) {
    if (own.size() == 0) return;
    const EvenParts parts(own.size(), shape_.gradient.lines);
    const std::int64_t width = shape_.gradient.vectors * lanes_;
    for_each_part(builder_, {0, group_.rows}, width, [&](const Affine& first, std::int64_t count) {
      parts.for_each(builder_, [&](const Affine& column, std::int64_t columns) {
        tile(first, count, Affine(own.begin) + column, columns);
      });
    });
  }

 private:
  // Of the weights, `count` rows from `first` on, which is a multiple of a block.
  void tile(const Affine& first, std::int64_t count, const Affine& column, std::int64_t columns) {
    const int vectors = vectors_of(count, lanes_);
    if (prefetches_) fetch(first, count, column, columns);
    TileSums sums(context_, columns, vectors, [&](std::int64_t, int) { return context_.real_number(0, lanes_); });
    if (pairs_ != nullptr) {
      add_pairs(sums, first, column);
    } else {
      add_terms(sums, first, column);
    }
    for (std::int64_t i = 0; i < columns; ++i) {
      for (int v = 0; v < vectors; ++v) {
        context_.take_rows(blocked_, shape_.block, first + Affine(block_of(v)));
        const Position at{within(v), column + Affine(i), true, lanes_, active_lanes(count, lanes_, v)};
        writer_.finish_product(at, sums.get(i, v));
      }
    }
  }

  void add_terms(TileSums& sums, const Affine& first, const Affine& column) {
    const ArrayId errors = context_.place(writer_.root().operands[1]).array;
    const auto terms = [&](const Affine& panel, const Affine& in_panel, std::int64_t count_of_terms) {
      for (std::int64_t j = 0; j < count_of_terms; ++j) {
        const Affine row = panel + in_panel + Affine(j);
        const Affine entries = panel * group_.columns + column * shape_.panel + in_panel + Affine(j);
        sums.add(
            [&](int v) {
              return Address{inputs_.array,
                             (first + Affine(block_of(v))) * rows_ + row * shape_.block + Affine(within(v))};
            },
            [&](std::int64_t i) {
              return Address{errors, entries + Affine(i * shape_.panel)};
            });
      }
    };
    const std::int64_t whole = rows_ / shape_.panel * shape_.panel;
    builder_.loop(0, whole, shape_.panel, [&](const Affine& panel) {
      in_rounds(builder_, shape_.panel, [&](const Affine& row, std::int64_t n) { terms(panel, row, n); });
    });
    if (whole < rows_) {
      in_rounds(builder_, rows_ - whole, [&](const Affine& row, std::int64_t n) { terms(whole, row, n); });
    }
  }

  void add_pairs(TileSums& sums, const Affine& first, const Affine& column) {
    const ValueId inputs = writer_.root().operands[0];
    const ValueId errors = writer_.root().operands[1];
    const auto terms = [&](const Affine& panel, const Affine& pair, std::int64_t count) {
      for (std::int64_t j = 0; j < count; ++j) {
        const Affine in_panel = pair + Affine(j);
        // A pair's number is half of its first row's.
        const auto vector = [&](int v) {
          Address address = pairs_->input_pair(inputs, first + Affine(block_of(v)), in_panel, Affine(within(v)));
          address.index = address.index + panel * (shape_.block / 2);
          return address;
        };
        sums.add(vector, [&](std::int64_t i) { return pairs_->row_pair(errors, panel, column + Affine(i), in_panel); });
      }
    };
    const std::int64_t whole = rows_ / shape_.panel * shape_.panel;
    builder_.loop(0, whole, shape_.panel, [&](const Affine& panel) {
      in_rounds(builder_, shape_.panel / 2, [&](const Affine& pair, std::int64_t n) { terms(panel, pair, n); });
    });
    if (whole < rows_) {
      in_rounds(builder_, rounded_up_quotient(rows_ - whole, 2),
                [&](const Affine& pair, std::int64_t n) { terms(whole, pair, n); });
    }
  }

  // Vector v of a tile: how many rows behind its first one its block starts, and where in the block it is.
  std::int64_t block_of(int v) const { return v * lanes_ / shape_.block * shape_.block; }
  std::int64_t within(int v) const { return v * lanes_ % shape_.block; }

  // What the tile's update reads, while its sums are computed.
  void fetch(const Affine& first, std::int64_t count, const Affine& column, std::int64_t columns) {
    const std::int64_t line = kLineBytes / static_cast<std::int64_t>(bytes_of(context_.real()));
    for (const NodeIndex index : group_.nodes) {
      const Node& node = context_.region.nodes[index];
      if (node.op() != Op::update) continue;
      for (std::size_t i = kUpdatedParameter; i < node.operands.size(); ++i) {
        for (std::int64_t block = 0; block < count; block += shape_.block) {
          for (std::int64_t entry = 0; entry < columns * shape_.block; entry += line) {
            builder_.prefetch({context_.place(node.operands[i]).array,
                               (first + Affine(block)) * group_.columns + column * shape_.block + Affine(entry)});
          }
        }
      }
    }
  }

  Context& context_;
  Builder& builder_;
  const Group& group_;
  GroupWriter writer_;
  PanelShape shape_;
  const Pairs* pairs_;
  const Matrix& inputs_;
  const std::set<ValueId>& blocked_;
  std::int64_t rows_;
  bool prefetches_;
  int lanes_;
};

}  // namespace

void lower_gradient(Context& context, const Group& group, const PanelShape& shape, const Pairs* pairs,
                    const Matrix& inputs, const std::set<ValueId>& blocked, std::int64_t rows, Range own,
                    bool prefetches) {
  GradientLowering(context, group, shape, pairs, inputs, blocked, rows, prefetches).run(own);
}

}  // namespace gdbench::backends::jit
