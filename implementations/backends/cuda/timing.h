// The device's own clock, read by events: the time of all that a run gave to the device, and that of single calls.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include "implementations/backends/common/backend.h"
#include "implementations/backends/cuda/errors.h"

namespace gdbench::backends::cuda {

struct DestroyEvent {
  void operator()(cudaEvent_t event) const { discard_error(cudaEventDestroy(event)); }
};
using Event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, DestroyEvent>;

// What DeviceFunctions says of each function; all return the first error that CUDA has.
class Timing {
 public:
  explicit Timing(cudaStream_t stream) : stream_(stream) {}

  cudaError_t begin_span() { return record(span_[0]); }
  cudaError_t end_span() { return record(span_[1]); }
  cudaError_t span_ns(double* nanoseconds) const { return elapsed(span_[0], span_[1], nanoseconds); }

  cudaError_t begin_marks();
  cudaError_t mark();
  cudaError_t end_marks(double* nanoseconds, std::size_t count, bool* held);

 private:
  // Makes the event with its first use.
  cudaError_t record(Event& event) const;
  static cudaError_t elapsed(const Event& from, const Event& to, double* nanoseconds);

  cudaStream_t stream_;
  Event span_[2];
  // The first two have nothing between them: what is left in there is what a mark takes. A mark follows each call.
  std::vector<Event> marks_;
  std::size_t marked_ = 0;  // of these
  std::chrono::nanoseconds hold_ = std::chrono::microseconds(200);
  std::chrono::steady_clock::time_point begun_;
};

// Enters the functions of a clock into a backend's.
void add_clock(DeviceFunctions& functions);

}  // namespace gdbench::backends::cuda
