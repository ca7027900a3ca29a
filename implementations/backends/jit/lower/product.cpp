#include "implementations/backends/jit/lower/product.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "implementations/backends/jit/lower/even_parts.h"
#include "implementations/backends/jit/lower/reductions.h"

namespace gdbench::backends::jit {
namespace {

// C = alpha A B + beta C0 with A [m, k] and B [k, n].
struct Operands {
  Matrix a;
  Matrix b;
  std::int64_t inner() const { return a.columns; }
};

class ProductLowering {
 public:
  ProductLowering(Context& context, GroupWriter& writer)
      : context_(context),
        builder_(context.builder),
        writer_(writer),
        request_(writer.root().request),
        lanes_(context.lanes()) {}

  void run() {
    const ValueId left = writer_.root().operands[0];
    const ValueId right = writer_.root().operands[1];
    Operands operands{operand(0, request_.transpose_a), operand(1, request_.transpose_b)};
    const bool in_lanes = context_.in_lanes.contains(left);
    const bool sum_of_rows = request_.transpose_a && in_lanes;
    const bool rows_beside = operands.a.row_stride == 1 && (operands.a.rows > 1 || in_lanes);
    if (writer_.along_rows() && rows_beside && !sum_of_rows) {
      // C' = B' A': its columns lie side by side.
      over_columns({operands.b.transposed(), operands.a.transposed()}, true);
    } else if (operands.b.columns == 1) {
      over_inner({operands.b.transposed(), operands.a.transposed()}, true);
    } else if (sum_of_rows || (operands.a.rows == 1 && operands.b.column_stride != 1)) {
      over_inner(operands, false);
    } else {
      if (operands.b.column_stride != 1) operands.b = context_.transposes.at(right);
      over_columns(operands, false);
    }
  }

 private:
  // Where the tile's entries are: of C, or of C' where that is what is computed.
  struct Tile {
    Affine row;
    std::int64_t rows = 0;
    Affine column;
    int vectors = 0;
    int last_active = 0;  // lanes of the last vector that are entries
  };

  Matrix operand(std::size_t index, bool transpose) {
    const Matrix& matrix = context_.place(writer_.root().operands[index]);
    return transpose ? matrix.transposed() : matrix;
  }

  // Rows of a tile that the registers are enough for: accumulators, a row of B's vectors and one entry of A.
  std::int64_t max_rows(int vectors) const {
    constexpr int kMaxRows = 12;  // more chains of sums than hide the latency of their additions are code for nothing
    return std::clamp((context_.target.registers - vectors - 1) / vectors, 1, kMaxRows);
  }

  // Vectors of a tile: few of them share many of A's entries; where A has few rows, more hide the latency of additions.
  std::int64_t widest(std::int64_t rows) const {
    const std::int64_t usual = context_.target.registers >= 32 ? 4 : 2;
    return std::max(usual, std::min(kChains / rows, 2 * usual));
  }

  // Vectors along C's columns, which are B's; A's entries one by one.
  void over_columns(const Operands& operands, bool transposed) {
    const std::int64_t columns = operands.b.columns;
    const std::int64_t vectors = rounded_up_quotient(columns, lanes_);
    const std::int64_t wide = std::min(vectors, widest(operands.a.rows));
    const int last_active = static_cast<int>(columns - (vectors - 1) * lanes_);
    const auto columns_from = [&](const Affine& column, std::int64_t count, int active) {
      EvenParts(operands.a.rows, max_rows(static_cast<int>(count)))
          .for_each(builder_, [&](const Affine& row, std::int64_t rows) {
            tile(operands, {row, rows, column, static_cast<int>(count), active}, transposed);
          });
    };
    // The last block has the vector that is not full, and what is left over.
    const std::int64_t blocks = (vectors - 1) / wide;
    builder_.loop(0, blocks * wide * lanes_, wide * lanes_,
                  [&](const Affine& column) { columns_from(column, wide, lanes_); });
    columns_from(blocks * wide * lanes_, vectors - blocks * wide, last_active);
  }

  void tile(const Operands& operands, const Tile& tile, bool transposed) {
    const bool plain = request_.alpha == 1 && request_.beta == 0;
    const std::optional<ValueId> addend = plain ? writer_.addend() : std::nullopt;
    SumChains sums(context_, tile.rows * tile.vectors, operands.inner(), 1, [&](std::int64_t sum) {
      const Position position = position_of(tile, sum / tile.vectors, static_cast<int>(sum % tile.vectors), transposed);
      return addend ? writer_.load(*addend, position) : context_.real_number(0, lanes_);
    });
    std::vector<Line> rows;
    for (std::int64_t i = 0; i < tile.rows; ++i) rows.push_back(context_.row_of(operands.a, tile.row + Affine(i)));
    sums.for_each_unit([&](std::int64_t chain, const Affine& inner, int /*entries*/) {
      std::vector<Register> b;
      const Line b_row = context_.row_of(operands.b, inner);
      for (int v = 0; v < tile.vectors; ++v) b.push_back(load_b(operands.b, b_row, tile, v));
      const Line column = context_.column_of(operands.a, inner);
      for (std::int64_t i = 0; i < tile.rows; ++i) {
        const Address address = operands.a.at(rows[static_cast<std::size_t>(i)], column);
        const Register a = builder_.splat(builder_.load(address, 1), lanes_);
        for (int v = 0; v < tile.vectors; ++v) {
          const VariableId sum = sums.at(chain, i * tile.vectors + v);
          builder_.set(sum, builder_.multiply_add(a, b[static_cast<std::size_t>(v)], builder_.get(sum)));
        }
      }
    });
    const std::vector<Register> totals = sums.totals();
    for (std::int64_t i = 0; i < tile.rows; ++i) {
      for (int v = 0; v < tile.vectors; ++v) {
        const Register total = totals[static_cast<std::size_t>(i * tile.vectors + v)];
        const Position position = position_of(tile, i, v, transposed);
        if (addend) {
          writer_.finish_with_addend(position, total);
        } else {
          writer_.finish_product(position, total);
        }
      }
    }
  }

  int active_of(const Tile& tile, int vector) const { return vector + 1 == tile.vectors ? tile.last_active : lanes_; }

  Register load_b(const Matrix& b, const Line& row, const Tile& tile, int vector) {
    const int active = b.padded ? lanes_ : active_of(tile, vector);
    const Address address = b.at(row, Line{tile.column + Affine(vector * lanes_)});
    const std::int64_t entry = vector * lanes_;
    if (entry % entries_per_line() == 0) fetch_ahead(b, address, entry / entries_per_line());
    return builder_.load(address, lanes_, active);
  }

  std::int64_t entries_per_line() const { return kLineBytes / static_cast<std::int64_t>(bytes_of(context_.real())); }

  // Of what lies behind `address`. Both products that read the batch take part, one the even lines, one the odd ones:
  // so the memory has as much time as the arithmetic.
  void fetch_ahead(const Matrix& matrix, Address address, std::int64_t line) {
    if (matrix.ahead == 0 || (line % 2 != 0) != request_.transpose_a) return;
    address.index = address.index + Affine(matrix.ahead);
    builder_.prefetch(address);
  }

  Position position_of(const Tile& tile, std::int64_t row, int vector, bool transposed) const {
    const Affine along = tile.column + Affine(vector * lanes_);
    const Affine across = tile.row + Affine(row);
    const int active = active_of(tile, vector);
    return transposed ? Position{along, across, true, lanes_, active} : Position{across, along, false, lanes_, active};
  }

  // Vectors along what is summed over, which lies side by side in A's rows and B's columns: tiles of dot products. A
  // row of a tile ends as one vector of sums, along C's columns or, of a C' (`transposed`), along C's rows.
  void over_inner(const Operands& operands, bool transposed) {
    const bool few = operands.a.rows < 4;
    const std::int64_t registers = context_.target.registers;
    const std::int64_t square = registers >= 32 ? 5 : 3;
    const std::int64_t max_columns = std::min<std::int64_t>(lanes_, few ? registers / 4 : square);
    const std::int64_t max_rows = few ? std::min<std::int64_t>(operands.a.rows, 2) : max_columns;
    EvenParts(operands.b.columns, max_columns).for_each(builder_, [&](const Affine& column, std::int64_t columns) {
      EvenParts(operands.a.rows, max_rows).for_each(builder_, [&](const Affine& row, std::int64_t rows) {
        inner_tile(operands, {row, rows, column, 0, static_cast<int>(columns)}, transposed);
      });
    });
  }

  void inner_tile(const Operands& operands, const Tile& tile, bool transposed) {
    const std::vector<Register> sums = inner_sums(operands, tile);
    const auto columns = static_cast<std::size_t>(tile.last_active);
    for (std::int64_t i = 0; i < tile.rows; ++i) {
      const auto first = sums.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(i) * columns);
      const Register row = sums_of_lanes(builder_, {first, first + static_cast<std::ptrdiff_t>(columns)});
      const Affine across = tile.row + Affine(i);
      const int lanes = builder_.type_of(row).lanes;
      writer_.finish_product(transposed ? Position{tile.column, across, true, lanes, tile.last_active, false}
                                        : Position{across, tile.column, false, lanes, tile.last_active, false},
                             row);
    }
  }

  // [rows][columns] of a tile, whose last_active are its columns: vectors whose lanes add up to C's entries.
  std::vector<Register> inner_sums(const Operands& operands, const Tile& tile) {
    const std::int64_t columns = tile.last_active;
    SumChains sums(context_, tile.rows * columns, operands.inner(), lanes_);
    std::vector<Line> a_rows;
    std::vector<Line> b_columns;
    for (std::int64_t i = 0; i < tile.rows; ++i) a_rows.push_back(context_.row_of(operands.a, tile.row + Affine(i)));
    for (std::int64_t j = 0; j < columns; ++j)
      b_columns.push_back(context_.column_of(operands.b, tile.column + Affine(j)));
    for (const Line& column : b_columns) {
      for (std::int64_t inner = 0; inner < operands.inner(); inner += entries_per_line()) {
        fetch_ahead(operands.b, operands.b.at(Line{inner, {}}, column), inner / entries_per_line());
      }
    }
    sums.for_each_unit([&](std::int64_t chain, const Affine& inner, int active) {
      // Neither operand's padding is known to be zero.
      const Line along{inner, {}};
      std::vector<Register> b;
      for (const Line& column : b_columns) b.push_back(builder_.load(operands.b.at(along, column), lanes_, active));
      for (std::int64_t i = 0; i < tile.rows; ++i) {
        const Register a = builder_.load(operands.a.at(a_rows[static_cast<std::size_t>(i)], along), lanes_, active);
        for (std::int64_t j = 0; j < columns; ++j) {
          const VariableId sum = sums.at(chain, i * columns + j);
          builder_.set(sum, builder_.multiply_add(a, b[static_cast<std::size_t>(j)], builder_.get(sum)));
        }
      }
    });
    return sums.totals();
  }

  Context& context_;
  Builder& builder_;
  GroupWriter& writer_;
  const Request& request_;
  int lanes_;
};

}  // namespace

void lower_product(Context& context, GroupWriter& writer) { ProductLowering(context, writer).run(); }

}  // namespace gdbench::backends::jit
