// Plain loops over row-major arrays, no vendor library.
#include "implementations/backends/naive/naive.h"
#include "implementations/common/compute_threads.h"

namespace gdbench::backends {

const cpu::Definition& cpu::definition() {
  static const Definition definition = [] {
    Definition backend = naive::definition();
    backend.max_compute_threads = implementations::kMaxComputeThreads;
    backend.sharing = &kSharing;
    return backend;
  }();
  return definition;
}

}  // namespace gdbench::backends
