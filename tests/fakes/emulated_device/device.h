// The emulated device's own: its state, and what every call of the runtime begins and ends with.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <functional>
#include <set>
#include <vector>

#include "tests/fakes/emulated_device/control.h"

using EmulatedWork = std::vector<std::function<void()>>;

struct EmulatedGraph {
  EmulatedWork work;
};

struct EmulatedExecutable {
  EmulatedWork work;
};

struct EmulatedEvent {
  enum class State { unrecorded, pending, complete };
  State state = State::unrecorded;
  std::chrono::steady_clock::time_point at;
};

struct EmulatedStream {
  EmulatedGraph* recording = nullptr;
  bool invalidated = false;  // the recording, by a call that cannot be recorded
};

namespace emulated {

// Those of a small device, so that tests meet their limits.
constexpr int kMultiprocessors = 12;
constexpr int kThreadsOfABlock = 1024;
constexpr std::size_t kSharedBytes = 99 << 10;
// A kernel that was not allowed more gets less, as on devices.
constexpr std::size_t kSharedBytesOfAnyKernel = 48 << 10;

// The handles of a kind that are alive.
template <class Object>
class Living {
 public:
  explicit Living(std::int64_t EmulatedControl::*count) : count_(count) {}

  Object* add(Object* object) {
    all_.insert(object);
    ++(gdbench_emulated_control()->*count_);
    return object;
  }
  // False, and a misuse, where it is not among them.
  bool has(Object* object) const {
    if (all_.contains(object)) return true;
    ++gdbench_emulated_control()->misuses;
    return false;
  }
  cudaError_t remove(Object* object) {
    if (!has(object)) return cudaErrorInvalidResourceHandle;
    all_.erase(object);
    --(gdbench_emulated_control()->*count_);
    delete object;
    return cudaSuccess;
  }

 private:
  std::set<Object*> all_;
  std::int64_t EmulatedControl::*count_;
};

struct Device {
  Living<EmulatedStream> streams{&EmulatedControl::streams};
  Living<EmulatedEvent> events{&EmulatedControl::events};
  Living<EmulatedGraph> graphs{&EmulatedControl::graphs};
  Living<EmulatedExecutable> executables{&EmulatedControl::graphs};
  EmulatedWork queued;                  // of all streams, in the order of the calls
  EmulatedStream* capturing = nullptr;  // there is one thread
  std::set<const void*> allowed;        // kernels that may have all shared memory
};
Device& device();

// Does what is queued. Ends the process where that wrote beyond its memory.
void finish();

// Puts work into the stream or its recording.
cudaError_t enqueue(cudaStream_t stream, std::function<void()> work);

// Why the calling thread must not do now what no recording sees, such as to allocate or to wait; its recording is then
// invalid.
cudaError_t refuse_while_capturing();

// Counts a call of the runtime, and says whether it is one that is to fail.
cudaError_t failure_of(const char* call);
// Keeps what is wrong as the last error.
cudaError_t ended(cudaError_t error);

// A call of the runtime that does `body`.
template <class Body>
cudaError_t called(const char* call, const Body& body) {
  const cudaError_t failure = failure_of(call);
  return ended(failure == cudaSuccess ? body() : failure);
}

// One that gives something back, which it does in any case.
template <class Body>
cudaError_t called_to_give_back(const char* call, const Body& body) {
  const cudaError_t failure = failure_of(call);
  const cudaError_t error = body();
  return ended(failure == cudaSuccess ? error : failure);
}

}  // namespace emulated
