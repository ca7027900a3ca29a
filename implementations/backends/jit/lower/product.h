// Matrix products in register tiles, each followed at once by what is elementwise in its result.
#pragma once

#include "implementations/backends/jit/lower/entries.h"

namespace gdbench::backends::jit {

// Copies what products of the nodes before `last` read as its transpose, so that it lies in the order in which it is
// read; at the start of a step, before anything is updated.
void copy_transposes(Context& context, NodeIndex last);

// The group whose root is a product.
void lower_product(Context& context, GroupWriter& writer);

}  // namespace gdbench::backends::jit
