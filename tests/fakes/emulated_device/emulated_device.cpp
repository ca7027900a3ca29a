#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include <chrono>
#include <cstring>
#include <map>
#include <vector>

struct EmulatedGraph {
  std::vector<std::function<void()>> work;
};

struct EmulatedEvent {
  std::chrono::steady_clock::time_point at;
};

struct EmulatedStream {
  EmulatedGraph* recording = nullptr;
};

namespace {

constexpr std::size_t kPage = 4096;

// Allocations by address. The device's memory is out of reach but for the time of an Access.
std::map<std::byte*, std::size_t>& allocations() {
  static std::map<std::byte*, std::size_t> all;
  return all;
}

void protect(int protection) {
  for (const auto& [address, bytes] : allocations()) mprotect(address, bytes, protection);
}

class Access {
 public:
  Access() { protect(PROT_READ | PROT_WRITE); }
  ~Access() { protect(PROT_NONE); }
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;
};

}  // namespace

const char* cudaGetErrorString(cudaError_t error) { return error == cudaSuccess ? "no error" : "an emulated error"; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaPeekAtLastError() { return cudaSuccess; }

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidValue; }

// Few of each, so that tests meet their limits.
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int /*device*/) {
  *value = attribute == cudaDevAttrMultiProcessorCount ? 6 : 48 << 10;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** address, std::size_t bytes) {
  const std::size_t rounded = (bytes / kPage + 1) * kPage;
  void* memory = mmap(nullptr, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return cudaErrorMemoryAllocation;
  std::memset(memory, 0xa5, rounded);  // nothing is zero by itself
  mprotect(memory, rounded, PROT_NONE);
  allocations()[static_cast<std::byte*>(memory)] = rounded;
  *address = memory;
  return cudaSuccess;
}

cudaError_t cudaFree(void* address) {
  const auto found = allocations().find(static_cast<std::byte*>(address));
  if (found == allocations().end()) return cudaErrorInvalidValue;
  munmap(address, found->second);
  allocations().erase(found);
  return cudaSuccess;
}

void emulated_launch(cudaStream_t stream, std::function<void()> work) {
  if (stream->recording != nullptr) {
    stream->recording->work.push_back(std::move(work));
    return;
  }
  const Access access;
  work();
}

cudaError_t cudaMemsetAsync(void* address, int value, std::size_t bytes, cudaStream_t stream) {
  emulated_launch(stream, [=] { std::memset(address, value, bytes); });
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind /*kind*/,
                            cudaStream_t stream) {
  emulated_launch(stream, [=] { std::memcpy(to, from, bytes); });
  return cudaSuccess;
}

cudaError_t cudaHostRegister(void* /*address*/, std::size_t /*bytes*/, unsigned /*flags*/) { return cudaSuccess; }
cudaError_t cudaHostUnregister(void* /*address*/) { return cudaSuccess; }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned /*flags*/) {
  *stream = new EmulatedStream;
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return stream->recording == nullptr ? cudaSuccess : cudaErrorNotSupported;  // not while it records
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new EmulatedEvent;
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t /*stream*/) {
  event->at = std::chrono::steady_clock::now();
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t /*event*/) { return cudaSuccess; }

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  *milliseconds = std::chrono::duration<float, std::milli>(end->at - start->at).count();
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode /*mode*/) {
  if (stream->recording != nullptr) return cudaErrorInvalidValue;
  stream->recording = new EmulatedGraph;
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  if (stream->recording == nullptr) return cudaErrorInvalidValue;
  *graph = stream->recording;
  stream->recording = nullptr;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long /*flags*/) {
  *executable = new EmulatedGraph(*graph);
  return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t /*executable*/, cudaStream_t /*stream*/) { return cudaSuccess; }

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  for (const auto& work : executable->work) emulated_launch(stream, work);
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}
