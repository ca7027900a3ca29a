// Products of panels (panels.h) in register tiles. Each line of a tile takes one entry after the other of the operand
// that is read one by one.
#pragma once

#include <cstdint>
#include <set>

#include "implementations/backends/jit/lower/entries.h"
#include "implementations/backends/jit/lower/even_parts.h"
#include "implementations/backends/jit/lower/pairs.h"
#include "implementations/backends/jit/lower/panel_shape.h"

namespace gdbench::backends::jit {

class TileSums;

// Y = X W or dX = dZ W', the product that is the group's root.
class PanelProduct {
 public:
  // `pairs`: of a mixed region's operands; else null.
  PanelProduct(Context& context, const Group& group, const PanelShape& shape, const Pairs* pairs, bool prefetches);

  // Of `own` columns of the result, as many as are computed with weights which a cache of so many bytes holds.
  std::int64_t columns_within(double bytes, std::int64_t own) const;
  // The tiles of a part, of the panel that take_rows has chosen, which begins with row `panel` and has so many rows.
  // Backward `first` is a multiple of a block.
  void lower(const Affine& first, std::int64_t columns, const Affine& panel, std::int64_t rows);

 private:
  struct Tile {
    Affine block;         // of weights, its first row: forward the first one's
    Affine column;        // of the result
    Affine in_block = 0;  // where its rows of weights start, backward
    std::int64_t columns = 0;
    Affine panel;           // its first row
    std::int64_t rows = 0;  // of the panel
    Affine before = 0;      // columns of the part's tiles before this one
    std::int64_t of = 0;    // columns of the part
  };
  void tile(GroupWriter& writer, const Tile& tile);
  void add_terms(TileSums& sums, const Tile& tile) const;
  void add_pairs(TileSums& sums, const Tile& tile) const;
  void fetch_next_panel(const Tile& tile, const Affine& inner) const;

  Context& context_;
  const Group& group_;
  const Request& request_;
  PanelShape shape_;
  const Pairs* pairs_;
  bool prefetches_;
  std::int64_t columns_;  // of the result
};

// dW = X' dZ and what follows, for columns `own` of the weights, of the whole batch of `rows` rows. `inputs` is X in
// blocks of columns, `blocked` are the values in blocks of rows.
void lower_gradient(Context& context, const Group& group, const PanelShape& shape, const Pairs* pairs,
                    const Matrix& inputs, const std::set<ValueId>& blocked, std::int64_t rows, Range own,
                    bool prefetches);

}  // namespace gdbench::backends::jit
