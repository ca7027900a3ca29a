// Ops that several compute threads do together. Each thread runs the backend's own call for one thread on its rows of
// the operands (or columns, of product's A), so that kernels know nothing of threads. Where that leaves sums (a loss, a
// column sum, some products), every thread has one of its own, and these are added up in the threads' order. So results
// do not change from run to run, but they do with the number of threads.
//
// The threads are OpenMP's. What a backend's library does with threads of its own is the backend's business
// (Definition::bind_in_library).
#pragma once

#include "implementations/backends/common/cpu/call.h"

namespace gdbench::backends::cpu {

struct Sharing {
  // Whether an op can be divided, and is large enough to be; by its shapes alone.
  bool (*shares)(const Request& request, int threads) = nullptr;
  // The call of such an op.
  Binding (*bind)(const Request& request, int threads) = nullptr;
  // Starts the threads, the caller being one of them, and binds each to its processor; except for the caller where the
  // library has threads of its own, which run where the one does that starts them. `settings` may be null.
  void (*start)(const gdbench_settings* settings, int threads, bool in_library) = nullptr;
};

// For the Definition of a backend that is linked to OpenMP.
extern const Sharing kSharing;

// For backends that have Definition::bind_in_library.
inline constexpr gdbench_option kSharingOption = {
    "sharing",
    GDBENCH_OPTION_CHOICE,
    0,
    "rows",
    "rows|library",
    "with several compute threads, who divides an op that the library can divide by itself: the backend by rows, or "
    "the library by rules of its own"};

}  // namespace gdbench::backends::cpu
