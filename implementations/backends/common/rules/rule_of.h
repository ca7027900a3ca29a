// Where the formula of each value of the catalogue is found by the compiler, for every backend, on a host or in a
// kernel of a device.
#pragma once

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

}  // namespace gdbench::backends
