// Accesses that a device's memory does not bear.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>

#include "harness/base/unique_descriptor.h"
#include "implementations/backends/cuda/launch.h"
#include "tests/unit/emulated_device/emulated_runtime.h"

namespace {

using gdbench::backends::cuda::launch_elements;

class EmulatedMemoryTest : public EmulatedDeviceTest {
 protected:
  // 64 floats end where their page does, 3 do not.
  static constexpr std::size_t kWhole = 64;

  void write(float* memory, std::int64_t at) {
    launch_elements(stream_, 1, [=](std::int64_t /*i*/) { memory[at] = 1; });
    cudaStreamSynchronize(stream_);
  }
  float read(const float* memory, std::int64_t at) {
    auto* result = allocate<float>(1);
    launch_elements(stream_, 1, [=](std::int64_t /*i*/) { *result = memory[at]; });
    return download(result, 1)[0];
  }

  // Old systems have no guards, and QEMU says that it sets them and does not.
  static bool has_guards() {
    void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const gdbench::UniqueDescriptor file(memfd_create("guard", MFD_CLOEXEC));
    const bool guards = madvise(page, 4096, 102) == 0 && ::write(file.number(), page, 1) < 0;
    munmap(page, 4096);
    return guards;
  }
};

TEST_F(EmulatedMemoryTest, EntriesWithinABufferAreTheDevicesAlone) {
  auto* memory = allocate<float>(kWhole);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 256, 0U);
  EXPECT_TRUE(std::isnan(read(memory, 0))) << "before it is written";
  write(memory, kWhole - 1);
  EXPECT_EQ(read(memory, kWhole - 1), 1);
  EXPECT_DEATH(std::printf("%g", static_cast<double>(*memory)), "");
}

TEST_F(EmulatedMemoryTest, AnEntryBehindABufferOrOfOneThatWasFreed) {
  auto* some = allocate<float>(3);
  EXPECT_DEATH(write(some, 3), "a kernel has written behind a buffer");
  EXPECT_TRUE(std::isnan(read(some, 3)));
  auto* whole = allocate<float>(kWhole);
  EXPECT_DEATH(write(some, -1), "a kernel has written before a buffer");
  if (!has_guards()) GTEST_SKIP() << "the system has no guard pages (Linux 6.13 has)";
  EXPECT_DEATH(write(whole, kWhole), "");
  EXPECT_DEATH(read(whole, kWhole), "");
  EXPECT_DEATH(read(whole, -1024), "");
  void* freed = nullptr;
  ASSERT_EQ(cudaMalloc(&freed, 256), cudaSuccess);
  ASSERT_EQ(cudaFree(freed), cudaSuccess);
  EXPECT_NE(allocate<float>(kWhole), freed);
  EXPECT_DEATH(read(static_cast<float*>(freed), 0), "");
}

TEST_F(EmulatedMemoryTest, CopiesBeyondABuffer) {
  auto* memory = allocate<float>(3);
  float host[4] = {};
  EXPECT_EQ(cudaMemcpyAsync(memory, host, sizeof(host), cudaMemcpyHostToDevice, stream_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyAsync(host, memory + 1, 3 * sizeof(float), cudaMemcpyDeviceToHost, stream_),
            cudaErrorInvalidValue);
}

}  // namespace
