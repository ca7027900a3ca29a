// Calls of the CUDA runtime that fail.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "implementations/common/failure.h"

namespace gdbench::backends::cuda {

// "a copy to the device: cudaErrorInvalidValue (invalid argument)". The runtime forgets the error, where it can: it is
// answered for, and the next launch is not blamed for it.
inline std::string described(cudaError_t error, const std::string& what) {
  cudaGetLastError();
  return what + ": " + cudaGetErrorName(error) + " (" + cudaGetErrorString(error) + ")";
}

inline gdbench_status status_of(cudaError_t error) {
  if (error == cudaSuccess) return GDBENCH_OK;
  return error == cudaErrorMemoryAllocation ? GDBENCH_OUT_OF_MEMORY : GDBENCH_FAILED;
}

// Throws Failure.
inline void check(cudaError_t error, const std::string& what) {
  if (error != cudaSuccess) throw implementations::Failure(status_of(error), described(error, what));
}

// Of a call that frees something: no caller can handle its error, which must not be taken for the next launch's.
inline void discard_error(cudaError_t error) {
  if (error != cudaSuccess) cudaGetLastError();
}

}  // namespace gdbench::backends::cuda
