#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <string_view>
#include <utility>
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
constexpr std::size_t kDeviceBytes = std::size_t{1} << 34;  // of addresses; memory is used as it is allocated

struct Device {
  Device()
      : memory(static_cast<std::byte*>(
            mmap(nullptr, kDeviceBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {}

  void allow(int protection) {
    if (!allocated.empty()) mprotect(memory, allocated.rbegin()->first + allocated.rbegin()->second, protection);
  }

  // One pair of system calls for all work of a step: a pair for each kernel took most of the time of the tests.
  void finish() {
    if (queued.empty()) return;
    allow(PROT_READ | PROT_WRITE);
    for (const auto& work : std::exchange(queued, {})) work();
    allow(PROT_NONE);
  }

  std::byte* memory;
  std::map<std::size_t, std::size_t> allocated;        // bytes by offset, both in whole pages
  std::map<const std::byte*, std::size_t> registered;  // bytes of the host's memory that copies read when they run
  std::vector<std::function<void()>> queued;           // of all streams, in the order of the calls
};

Device& device() {
  static Device one;
  return one;
}

bool is_registered(const void* address) {
  const auto* byte = static_cast<const std::byte*>(address);
  const auto after = device().registered.upper_bound(byte);
  return after != device().registered.begin() && byte < std::prev(after)->first + std::prev(after)->second;
}

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

// Those of a small device, so that tests meet their limits.
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int /*device*/) {
  *value = attribute == cudaDevAttrMultiProcessorCount ? 12 : 99 << 10;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** address, std::size_t bytes) {
  const std::size_t rounded = (bytes / kPage + 1) * kPage;
  std::size_t offset = 0;
  for (const auto& [start, size] : device().allocated) {
    if (start - offset >= rounded) break;
    offset = start + size;
  }
  std::byte* memory = device().memory + offset;
  if (offset + rounded > kDeviceBytes || mprotect(memory, rounded, PROT_READ | PROT_WRITE) != 0) {
    return cudaErrorMemoryAllocation;
  }
  std::memset(memory, 0xa5, rounded);  // nothing is zero by itself
  mprotect(memory, rounded, PROT_NONE);
  device().allocated[offset] = rounded;
  *address = memory;
  return cudaSuccess;
}

cudaError_t cudaFree(void* address) {
  device().finish();
  const auto found =
      device().allocated.find(static_cast<std::size_t>(static_cast<std::byte*>(address) - device().memory));
  if (found == device().allocated.end()) return cudaErrorInvalidValue;
  madvise(address, found->second, MADV_DONTNEED);
  device().allocated.erase(found);
  return cudaSuccess;
}

namespace {

std::string_view order_wanted() {
  static const char* const wanted = std::getenv("GDBENCH_EMULATED_ORDER");
  return wanted == nullptr ? "ordered" : wanted;
}

}  // namespace

EmulatedOrder::EmulatedOrder(std::int64_t count) : count_(count) {
  if (count < 2) return;
  if (order_wanted() == "reversed") {
    first_ = count - 1;
    step_ = count - 1;
  } else if (order_wanted() == "shuffled") {
    static std::mt19937_64 generator;  // the same in every run
    first_ = static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(count));
    do {
      step_ = 1 + static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(count - 1));
    } while (std::gcd(step_, count) != 1);
  }
}

bool emulated_blocks_run_ahead() { return order_wanted() == "ahead"; }

void emulated_launch(cudaStream_t stream, std::function<void()> work) {
  (stream->recording != nullptr ? stream->recording->work : device().queued).push_back(std::move(work));
}

cudaError_t cudaMemsetAsync(void* address, int value, std::size_t bytes, cudaStream_t stream) {
  emulated_launch(stream, [=] { std::memset(address, value, bytes); });
  return cudaSuccess;
}

// As the runtime has it, pageable memory may be changed or read as soon as the call returns, registered memory not
// before the stream has been waited for. A recording reads and writes either when it runs.
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  void* there = kind == cudaMemcpyHostToDevice ? to : const_cast<void*>(from);
  if (stream->recording != nullptr || is_registered(there == to ? from : to)) {
    emulated_launch(stream, [=] { std::memcpy(to, from, bytes); });
    return cudaSuccess;
  }
  device().finish();
  const std::size_t into_page = static_cast<std::size_t>(static_cast<std::byte*>(there) - device().memory) % kPage;
  std::byte* page = static_cast<std::byte*>(there) - into_page;
  mprotect(page, into_page + bytes, PROT_READ | PROT_WRITE);
  std::memcpy(to, from, bytes);
  mprotect(page, into_page + bytes, PROT_NONE);
  return cudaSuccess;
}

cudaError_t cudaHostRegister(void* address, std::size_t bytes, unsigned /*flags*/) {
  device().registered[static_cast<std::byte*>(address)] = bytes;
  return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* address) {
  device().finish();
  return device().registered.erase(static_cast<std::byte*>(address)) == 1 ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned /*flags*/) {
  *stream = new EmulatedStream;
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  device().finish();
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (stream->recording != nullptr) return cudaErrorNotSupported;
  device().finish();
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new EmulatedEvent;
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  device().finish();
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  emulated_launch(stream, [event] { event->at = std::chrono::steady_clock::now(); });
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t /*event*/) {
  device().finish();
  return cudaSuccess;
}

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
