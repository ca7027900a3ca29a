// The optimizers' update of entries, by the rules of rules/updates.h.
#pragma once

#include <functional>

#include "implementations/backends/jit/lower/context.h"

namespace gdbench::backends::jit {

// Loads what the updates of a step have in common, which all are by one optimizer. `step` counts the steps.
void load_factors(Context& context, const Affine& step);

// An update of entries: load(value) gives those of the gradient, the parameter and its slots, store(value, entries)
// takes what the latter become.
void update_entries(Context& context, const Node& node, const std::function<Register(ValueId)>& load,
                    const std::function<void(ValueId, Register)>& store);

}  // namespace gdbench::backends::jit
