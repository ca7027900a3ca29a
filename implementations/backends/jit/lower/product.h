// Matrix products in register tiles, each followed at once by what is elementwise in its result.
#pragma once

#include "implementations/backends/jit/lower/entries.h"

namespace gdbench::backends::jit {

// The group whose root is a product.
void lower_product(Context& context, GroupWriter& writer);

}  // namespace gdbench::backends::jit
