// Products of panels (panels.h) by AMX's tiles, of a mixed region: two tiles by two of sums, whose terms are pairs of
// bfloat16 (pairs.h). Sums go through memory to what follows them.
#pragma once

#include <cstdint>
#include <set>

#include "implementations/backends/jit/lower/entries.h"
#include "implementations/backends/jit/lower/pairs.h"
#include "implementations/backends/jit/lower/panel_shape.h"

namespace gdbench::backends::jit {

// Y = X W or dX = dZ W', the product that is the group's root.
class TileProduct {
 public:
  TileProduct(Context& context, const Group& group, const PanelShape& shape, const Pairs& pairs);

  // Of `own` columns of the result, as many as Pairs has memory for the weights of.
  std::int64_t columns_within(std::int64_t own) const;
  // Before a part of them is computed.
  void begin_part(const Affine& first, std::int64_t columns);
  // The tiles of that part, of the panel that take_rows has chosen, which begins with row `panel` and has so many rows.
  void lower(const Affine& first, std::int64_t columns, const Affine& panel, std::int64_t rows);

 private:
  void forward(GroupWriter& writer, const Affine& first, const Affine& in_part, std::int64_t columns,
               const Affine& panel, std::int64_t rows);
  void backward(GroupWriter& writer, const Affine& first, const Affine& in_part, std::int64_t columns,
                const Affine& panel, std::int64_t rows);
  void finish(GroupWriter& writer, const Position& position, Register sum) const;

  Context& context_;
  const Group& group_;
  const Request& request_;
  PanelShape shape_;
  const Pairs& pairs_;
  ValueId operand_;
  ValueId weights_;
  std::int64_t part_ = 0;  // columns of the part
};

// lower_gradient (panel_products.h) of all columns, by tiles.
void lower_gradient_by_tiles(Context& context, const Group& group, const PanelShape& shape, const Pairs& pairs,
                             const std::set<ValueId>& blocked, std::int64_t rows, bool prefetches);

}  // namespace gdbench::backends::jit
