// Memory on the device that a call keeps for its own intermediate results.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <utility>

#include "implementations/backends/cuda/errors.h"

namespace gdbench::backends::cuda {

class Scratch {
 public:
  Scratch() = default;
  // Throws Failure, as the other one does.
  explicit Scratch(std::size_t bytes) {
    check(cudaMalloc(&address_, bytes), std::to_string(bytes) + " bytes on the device");
  }
  // Filled with zeros by work on `stream`.
  Scratch(std::size_t bytes, cudaStream_t stream) : Scratch(bytes) {
    check(cudaMemsetAsync(address_, 0, bytes, stream), "clearing memory");
  }
  Scratch(Scratch&& other) noexcept : address_(std::exchange(other.address_, nullptr)) {}
  Scratch& operator=(Scratch&& other) noexcept {
    std::swap(address_, other.address_);
    return *this;
  }
  ~Scratch() {
    if (address_ != nullptr) discard_error(cudaFree(address_));
  }

  template <class T>
  T* as() const {
    return static_cast<T*>(address_);
  }

 private:
  void* address_ = nullptr;
};

}  // namespace gdbench::backends::cuda
