// Whether the lanes of vectors are a batch's columns or its rows: columns where layers are wide, rows where they are
// narrow and there are many rows.
#pragma once

#include <cstdint>

#include "implementations/kernels/jit/lower/row_blocks.h"
#include "implementations/kernels/jit/lower/target.h"

namespace gdbench::kernels::jit {

// Vector operations of a step, roughly, by which the layout is chosen.
struct LayoutCosts {
  double columns_in_lanes = 0;
  double rows_in_lanes = 0;
};
LayoutCosts layout_costs(const Region& region, const RowBlocks& blocks, const Target& target);

// Whether rows can be lanes: what the batch consists of lies so already, or may be copied once for all steps.
bool can_have_rows_in_lanes(const Region& region, const RowBlocks& blocks);

}  // namespace gdbench::kernels::jit
