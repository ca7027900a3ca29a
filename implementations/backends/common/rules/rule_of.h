// Where the formula of each value of the catalogue is found by the compiler, for every backend, on a host or in a
// kernel of a device.
#pragma once

#include <type_traits>

#ifdef __CUDACC__
#define GDBENCH_HOST_DEVICE __host__ __device__
#else
#define GDBENCH_HOST_DEVICE
#endif

namespace gdbench::backends {

// Specialised for each activation (activations.h), each optimizer (updates.h) and each loss of entries (losses.h). An
// error that calls it incomplete names the value whose formula is missing.
template <auto value>
struct RuleOf;

// Rules without a choice take numbers and Eigen's arrays alike, whose entries are of this type.
template <class Values>
struct EntryOf {
  using Type = Values;
};
template <class Values>
requires requires { typename Values::Scalar; }
struct EntryOf<Values> {
  using Type = typename Values::Scalar;
};
template <class Values>
using Entry = typename EntryOf<std::remove_cvref_t<Values>>::Type;

// What an expression of arrays is, computed here and now, since it is read twice or reads what goes with its scope.
GDBENCH_HOST_DEVICE auto evaluated(const auto& values) {
  if constexpr (requires { values.eval(); }) {
    return values.eval();
  } else {
    return values;
  }
}

}  // namespace gdbench::backends
