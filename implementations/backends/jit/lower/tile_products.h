// Panels (panels.h) of a mixed region whose products AMX's tiles make, of what tile_operands.h has for them. Sums go
// through memory to what follows them, and from one part of their terms to the next.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "implementations/backends/jit/lower/entries.h"
#include "implementations/backends/jit/lower/row_blocks.h"
#include "implementations/backends/jit/lower/tile_operands.h"

namespace gdbench::backends::jit {

// body(panel, rows), of the panels of a batch, which take_rows has chosen.
using ForEachPanel = std::function<void(const std::function<void(const Affine&, std::int64_t)>&)>;

class TileProducts {
 public:
  // `late`: the groups behind those of the batch, which outlive this. Threads share columns of results and weights.
  TileProducts(Context& context, const RowBlocks& blocks, const PanelShape& shape, const std::vector<Group>& late,
               Share share, bool prefetches);

  // Before the loop over steps, and where a step begins.
  void begin();
  void begin_step();
  // Whether products read the value of the batch, and what they read of it: of a result this thread's columns.
  bool reads(ValueId value) const { return operands_.is_placed(value); }
  void write(ValueId value, const ForEachPanel& for_each_panel);
  // Y = X W or dX = dZ W', the product that is the group's root, and what follows.
  void lower_product(const Group& group, const ForEachPanel& for_each_panel);
  // dW = X' dZ and what follows, of which `blocked` are the values in blocks of rows.
  void lower_gradient(const Group& group, const std::set<ValueId>& blocked);

 private:
  // This thread's of so many.
  Range own_columns(std::int64_t columns) const { return share_.of(columns, kTileTerms); }
  // Of all weights that are read forward.
  void write_weights();
  // The weights that a group updates behind the product of their gradient.
  std::optional<ValueId> updated_by(const Group& group) const;
  // Whether the next step reads what updates wrote: all weights that are read forward are updated so.
  bool keeps_weights() const;

  Context& context_;
  const RowBlocks& blocks_;
  PanelShape shape_;
  std::int64_t rows_;  // of the batch
  const std::vector<Group>& late_;
  Share share_;
  bool prefetches_;
  TileOperands operands_;
};

}  // namespace gdbench::backends::jit
