// What the tests of the emulated device share.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/fakes/emulated_device/control.h"

// A stream, and device memory as the host sees it.
class EmulatedDeviceTest : public testing::Test {
 protected:
  EmulatedDeviceTest() { EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess); }
  ~EmulatedDeviceTest() override {
    for (void* memory : allocated_) cudaFree(memory);
    cudaStreamDestroy(stream_);
    cudaGetLastError();
    control() = EmulatedControl();
  }

  static EmulatedControl& control() { return *gdbench_emulated_control(); }

  template <class T>
  T* allocate(std::size_t entries) {
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, entries * sizeof(T)), cudaSuccess);
    allocated_.push_back(memory);
    return static_cast<T*>(memory);
  }
  template <class T>
  std::vector<T> download(const T* memory, std::size_t entries) {
    std::vector<T> values(entries);
    const std::size_t bytes = entries * sizeof(T);
    EXPECT_EQ(cudaMemcpyAsync(values.data(), memory, bytes, cudaMemcpyDeviceToHost, stream_), cudaSuccess);
    return values;
  }

  cudaStream_t stream_ = nullptr;
  std::vector<void*> allocated_;
};
