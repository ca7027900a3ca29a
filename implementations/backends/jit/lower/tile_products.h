// Products of panels (panels.h) by AMX's tiles, of what tile_operands.h has for them. Sums go through memory to what
// follows them, and from one part of their terms to the next.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>

#include "implementations/backends/jit/lower/entries.h"
#include "implementations/backends/jit/lower/tile_operands.h"

namespace gdbench::backends::jit {

// body(panel, rows), of the panels of a batch, which take_rows has chosen.
using ForEachPanel = std::function<void(const std::function<void(const Affine&, std::int64_t)>&)>;

// Y = X W or dX = dZ W', the product that is the group's root, up to kTiledSide columns of it from the first one on.
// Backward their rows of weights have to be the operands' part.
void lower_product_by_tiles(Context& context, const Group& group, const TileOperands& operands, const Affine& first,
                            std::int64_t columns, const ForEachPanel& for_each_panel);

// dW = X' dZ and what follows, of a batch of `rows` rows, for up to kTiledSide rows of the weights from the first one
// on, of which `blocked` are the values in blocks of `block` rows. `kept`: the weights, if the next step reads them as
// operands have them.
struct TiledGradient {
  const Group& group;
  std::set<ValueId> blocked;
  std::int64_t block = 0;
  std::int64_t rows = 0;
  std::optional<ValueId> kept = {};
  bool prefetches = false;
};
void lower_gradient_by_tiles(Context& context, const TiledGradient& gradient, TileOperands& operands,
                             const Affine& first, std::int64_t count);

}  // namespace gdbench::backends::jit
