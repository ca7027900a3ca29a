// What a device refuses, as the CUDA runtime documents it.
#include <utility>

#include "tests/unit/emulated_device/emulated_runtime.h"

namespace {

class RefusalsTest : public EmulatedDeviceTest {
 protected:
  cudaError_t launched(const EmulatedLaunch& launch) {
    return emulated_launch(stream_, launch, [] {});
  }
};

TEST_F(RefusalsTest, LaunchesBeyondTheLimits) {
  constexpr std::int64_t kMaxBlocks = (std::int64_t{1} << 31) - 1;
  constexpr std::size_t kAll = 99 << 10;  // shared memory that a kernel may be allowed
  constexpr int kMost = 12;               // blocks at once
  const char kernel = 0;
  EXPECT_EQ(launched({1, 32, kAll, &kernel}), cudaErrorInvalidConfiguration) << "was not allowed";
  const auto attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
  EXPECT_EQ(cudaFuncSetAttribute(&kernel, attribute, 1 << 20), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(&kernel, attribute, kAll), cudaSuccess);
  const std::pair<EmulatedLaunch, cudaError_t> launches[] = {
      {{kMaxBlocks, 1024}, cudaSuccess},
      {{1, 32, kAll, &kernel}, cudaSuccess},
      {{kMost, 32, 0, nullptr, true}, cudaSuccess},
      {{kMost + 1, 32, 0, nullptr, false}, cudaSuccess},
      {{kMost + 1, 32, 0, nullptr, true}, cudaErrorCooperativeLaunchTooLarge},
      {{kMaxBlocks + 1, 1024}, cudaErrorInvalidConfiguration},
      {{1, 0}, cudaErrorInvalidConfiguration},
      {{1, 1025}, cudaErrorInvalidConfiguration},
      {{1, 32, kAll + 1, &kernel}, cudaErrorInvalidConfiguration},
      {{0, 32}, cudaErrorInvalidConfiguration},
  };
  for (const auto& [launch, error] : launches) {
    EXPECT_EQ(launched(launch), error) << launch.blocks << " blocks of " << launch.threads << launch.cooperative;
  }
  EXPECT_EQ(launched({1, 32}), cudaSuccess);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidConfiguration) << "until it is taken";
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
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
    SCOPED_TRACE(&call - calls);
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
  cudaEvent_t event = nullptr;
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 4), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(control().misuses, 0U);
  const std::vector<cudaError_t> values = {cudaFree(memory),
                                           cudaFree(&memory),
                                           cudaGraphInstantiate(&executable, graph, 0),
                                           cudaFreeHost(&memory),
                                           cudaMemsetAsync(memory, 0, 4, stream_),
                                           cudaGraphLaunch(executable, stream_)};
  EXPECT_EQ(values, std::vector(6, cudaErrorInvalidValue));
  const std::vector<cudaError_t> handles = {cudaEventDestroy(event), cudaEventRecord(event, stream_),
                                            cudaStreamDestroy(stream), cudaStreamSynchronize(stream)};
  EXPECT_EQ(handles, std::vector(4, cudaErrorInvalidResourceHandle));
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
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, events[0], events[1]), cudaSuccess);
  for (const cudaEvent_t event : events) EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
}

}  // namespace
