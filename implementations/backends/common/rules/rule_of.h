// Where the formula of each value of the catalogue is found by the compiler.
#pragma once

namespace gdbench::backends {

// Specialised for each activation (activations.h), each optimizer (updates.h) and each loss of entries (losses.h). An
// error that calls it incomplete names the value whose formula is missing.
template <auto value>
struct RuleOf;

}  // namespace gdbench::backends
