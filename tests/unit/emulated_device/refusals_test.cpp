// What a device refuses, as the CUDA runtime documents it.
#include <cstdlib>

#include "tests/unit/emulated_device/emulated_runtime.h"

namespace {

class RefusalsTest : public EmulatedDeviceTest {
 protected:
  cudaError_t launched(const EmulatedLaunch& launch) {
    return emulated_launch(stream_, launch, [] {});
  }
};

TEST_F(RefusalsTest, AreTheLastErrorUntilItIsTaken) {
  EXPECT_EQ(launched({0, 32}), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launched({1, 32}), cudaSuccess);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInvalidConfiguration), "cudaErrorInvalidConfiguration");
}

TEST_F(RefusalsTest, LaunchesBeyondTheLimits) {
  constexpr std::int64_t kMaxBlocks = (std::int64_t{1} << 31) - 1;
  constexpr std::size_t kAll = 99 << 10;  // shared memory that a kernel may be allowed
  const char kernel = 0;
  int most = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&most, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
  EXPECT_EQ(launched({1, 32, kAll, &kernel}), cudaErrorInvalidConfiguration) << "was not allowed";
  const auto attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
  EXPECT_EQ(cudaFuncSetAttribute(&kernel, attribute, 1 << 20), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(&kernel, attribute, kAll), cudaSuccess);
  for (const EmulatedLaunch& right : {EmulatedLaunch{kMaxBlocks, 1024},
                                      {1, 32, kAll, &kernel},
                                      {most, 32, 0, nullptr, true},
                                      {most + 1, 32, 0, nullptr, false}}) {
    EXPECT_EQ(launched(right), cudaSuccess);
  }
  for (const EmulatedLaunch& wrong :
       {EmulatedLaunch{kMaxBlocks + 1, 1024}, {1, 0}, {1, 1025}, {1, 32, kAll + 1, &kernel}}) {
    EXPECT_EQ(launched(wrong), cudaErrorInvalidConfiguration);
  }
  EXPECT_EQ(launched({most + 1, 32, 0, nullptr, true}), cudaErrorCooperativeLaunchTooLarge);
}

TEST_F(RefusalsTest, WhatNoRecordingSees) {
  auto* memory = allocate<float>(4);
  float host[4] = {};
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  void* other = nullptr;
  const std::function<cudaError_t()> calls[] = {
      [&] { return cudaMalloc(&other, 4); },
      [&] { return cudaFree(memory); },
      [&] { return cudaHostAlloc(&other, 4, cudaHostAllocDefault); },
      [&] { return cudaStreamSynchronize(stream_); },
      [&] { return cudaEventSynchronize(event); },
      [&] { return cudaMemcpyAsync(memory, host, sizeof(host), cudaMemcpyHostToDevice, stream_); },
      [&] { return cudaMemcpyAsync(host, memory, sizeof(host), cudaMemcpyDeviceToHost, stream_); },
  };
  for (const auto& call : calls) {
    ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    EXPECT_EQ(call(), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(launched({1, 32}), cudaErrorStreamCaptureInvalidated);
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(graph, nullptr);
    EXPECT_EQ(launched({1, 32}), cudaSuccess);
  }
  EXPECT_EQ(control().graphs, 0);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
}

TEST_F(RefusalsTest, WhatIsNotThereAnyMore) {
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 4), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(&memory), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(memory, 0, 4, stream_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(&memory), cudaErrorInvalidValue);

  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(event), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(event, stream_), cudaErrorInvalidResourceHandle);

  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, stream_), cudaErrorInvalidValue);
  EXPECT_EQ(control().misuses, 10U);
}

TEST_F(RefusalsTest, TimesOfEventsThatWereNotRecorded) {
  cudaEvent_t events[2] = {};
  for (cudaEvent_t& event : events) ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  float milliseconds = 0;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, events[0], events[1]), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(launched({1, 1}), cudaSuccess);  // an idle device is at once where an event is
  for (const cudaEvent_t event : events) EXPECT_EQ(cudaEventRecord(event, stream_), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(events[1]), cudaErrorNotReady);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, events[0], events[1]), cudaErrorNotReady);
  EXPECT_EQ(cudaEventSynchronize(events[1]), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(events[1]), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, events[0], events[1]), cudaSuccess);
  for (const cudaEvent_t event : events) EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
}

TEST_F(RefusalsTest, CallsThatATestWantsToFail) {
  control().failure = {.call = "cudaMalloc", .number = 2};
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 4), cudaSuccess);
  allocated_.push_back(memory);
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&memory, 4), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&memory, 4), cudaSuccess);
  allocated_.push_back(memory);
  control() = EmulatedControl{.failure = {.number = 2, .lasting = true}};
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaErrorUnknown);
  EXPECT_EQ(launched({1, 32}), cudaErrorUnknown);
  EXPECT_EQ(control().failed, (std::vector<std::string>{"cudaStreamSynchronize", "cudaLaunchKernel"}));
}

TEST(EmulatedFailureTest, IsReadFromTheEnvironment) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the process is begun anew
  setenv("GDBENCH_EMULATED_FAILURE", "cudaSetDevice:2+", 1);
  const auto fails_as_wanted = [] {
    const bool counted = cudaSetDevice(0) == cudaSuccess && cudaSetDevice(0) == cudaErrorUnknown;
    int count = 0;
    return counted && cudaGetDeviceCount(&count) == cudaErrorUnknown;
  };
  EXPECT_EXIT(std::exit(fails_as_wanted() ? 0 : 1), testing::ExitedWithCode(0), "");
  unsetenv("GDBENCH_EMULATED_FAILURE");
}

}  // namespace
