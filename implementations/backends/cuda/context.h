// What a strategy's use of the device consists of: a stream, its failures, and cuBLAS once a product needs it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_set>

#include "implementations/backends/common/backend.h"
#include "implementations/backends/cuda/blas.h"

namespace gdbench::backends {

struct Context {
  ContextSettings settings;
  cudaStream_t stream = nullptr;
  cudaEvent_t timing[2] = {nullptr, nullptr};
  std::unordered_set<Buffer> owned;  // what allocate and import_host returned
  std::unique_ptr<cuda::Blas> blas;  // of the first product that needs it
  std::string unsupported;           // why the last bind was refused, where it was
  std::string failure;               // the first one of a call, which synchronise reports
};

namespace cuda {

// A buffer is the data's address on the device.
template <class Element>
Element* data(Buffer buffer) {
  return reinterpret_cast<Element*>(buffer);
}

// Remembers what went wrong, for synchronise.
void note(Context& context, const std::string& what);
// To be called after every launch: a launch that cannot be made shows here and nowhere else.
void check_launch(Context& context, const char* what);

}  // namespace cuda
}  // namespace gdbench::backends
