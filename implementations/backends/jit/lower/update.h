// The optimizers' update of entries, by the rules of rules/updates.h.
#pragma once

#include "implementations/backends/jit/lower/context.h"

namespace gdbench::backends::jit {

struct EntryState {
  Register parameter = 0;
  Register gradient = 0;
  Register slots[2] = {};
};

// Loads what the updates of a step have in common, which all are by one optimizer. `step` counts the steps.
void load_factors(Context& context, const Affine& step);

// Parameter and slots after the update; the gradient is the one that was given.
EntryState updated(Context& context, const gdbench_optimizer& optimizer, EntryState entries);

}  // namespace gdbench::backends::jit
