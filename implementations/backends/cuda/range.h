// Names what is launched, for NVIDIA's profilers: a range of NVTX, which costs a few nanoseconds where none listens.
#pragma once

#ifdef __CUDACC__
#include <nvtx3/nvToolsExt.h>
#endif

namespace gdbench::backends::cuda {

class Range {
 public:
#ifdef __CUDACC__
  explicit Range(const char* name) { nvtxRangePushA(name); }
  ~Range() { nvtxRangePop(); }
#else
  explicit Range(const char* /*name*/) {}
  ~Range() = default;
#endif
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

}  // namespace gdbench::backends::cuda
