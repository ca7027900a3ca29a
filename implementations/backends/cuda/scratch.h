// Memory on the device that a call keeps for its own intermediate results.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <new>
#include <utility>

namespace gdbench::backends::cuda {

class Scratch {
 public:
  Scratch() = default;
  // Throws std::bad_alloc where the device has no such memory left.
  explicit Scratch(std::size_t bytes) {
    if (cudaMalloc(&address_, bytes) != cudaSuccess) {
      cudaGetLastError();  // it is not sticky, and was answered for
      throw std::bad_alloc();
    }
  }
  // Filled with zeros by work on `stream`.
  Scratch(std::size_t bytes, cudaStream_t stream) : Scratch(bytes) { cudaMemsetAsync(address_, 0, bytes, stream); }
  Scratch(Scratch&& other) noexcept : address_(std::exchange(other.address_, nullptr)) {}
  Scratch& operator=(Scratch&& other) noexcept {
    std::swap(address_, other.address_);
    return *this;
  }
  ~Scratch() {
    if (address_ != nullptr) cudaFree(address_);
  }

  template <class T>
  T* as() const {
    return static_cast<T*>(address_);
  }

 private:
  void* address_ = nullptr;
};

}  // namespace gdbench::backends::cuda
