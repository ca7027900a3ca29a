// The part of the CUDA runtime that implementations/backends/cuda calls, on the host: what is in front of its kernels
// when the tests run them where there is no device. Device memory can be read and written by launches and copies alone:
// other accesses crash. Streams do nothing until the host waits for one of them, and recordings are lists of
// what to do. Calls are refused as the runtime documents it, and fail where a test says so (control.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

using cudaStream_t = struct EmulatedStream*;
using cudaEvent_t = struct EmulatedEvent*;
using cudaGraph_t = struct EmulatedGraph*;
using cudaGraphExec_t = struct EmulatedExecutable*;

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600,
  cudaErrorCooperativeLaunchTooLarge = 720,
  cudaErrorStreamCaptureUnsupported = 900,
  cudaErrorStreamCaptureInvalidated = 901,
  cudaErrorUnknown = 999,
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice = 3 };
enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal = 1 };
enum cudaDeviceAttr {
  cudaDevAttrClockRate = 13,  // in kHz
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrCooperativeLaunch = 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
struct cudaDeviceProp {
  char name[256];
  int major;
  int minor;
  int multiProcessorCount;
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
constexpr unsigned cudaStreamNonBlocking = 1;
constexpr unsigned cudaHostAllocDefault = 0;

const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value);

cudaError_t cudaMalloc(void** address, std::size_t bytes);
cudaError_t cudaFree(void* address);
cudaError_t cudaHostAlloc(void** address, std::size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void* address);
cudaError_t cudaMemsetAsync(void* address, int value, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags);
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);

// What the device is asked for with a kernel.
struct EmulatedLaunch {
  std::int64_t blocks = 1;
  std::int64_t threads = 1;      // of a block
  std::size_t shared_bytes = 0;  // of a block, static and dynamic
  const void* kernel = nullptr;  // that cudaFuncSetAttribute allowed more shared memory than others have
  bool cooperative = false;      // all blocks have to be there at once
  const char* call = "cudaLaunchKernel";
};

// Puts what a kernel does into the stream or into the stream's recording. What is refused is the last error.
cudaError_t emulated_launch(cudaStream_t stream, const EmulatedLaunch& launch, std::function<void()> work);

// In which order blocks and threads take turns, by the environment's GDBENCH_EMULATED_ORDER: "ordered", which is what
// is done without it, "reversed", or "shuffled", differently in each launch and phase, and "ahead", which is that with
// blocks that run ahead. A kernel must not tell them apart.
class EmulatedOrder {
 public:
  // Of `count` blocks or threads.
  explicit EmulatedOrder(std::int64_t count);
  // Who is the turn'th.
  std::int64_t at(std::int64_t turn) const { return (first_ + turn * step_) % count_; }

 private:
  std::int64_t count_;
  std::int64_t first_ = 0;
  std::int64_t step_ = 1;  // has no divisor in common with count_
};

// Whether GDBENCH_EMULATED_ORDER is "ahead": a block of a grid whose blocks wait for each other then runs as far as it
// may before the next one does.
bool emulated_blocks_run_ahead();
