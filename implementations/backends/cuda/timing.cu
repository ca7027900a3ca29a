#include <algorithm>

#include "implementations/backends/cuda/call.h"
#include "implementations/backends/cuda/timing.h"

namespace gdbench::backends::cuda {
namespace {

// A launch and its event take the host some microseconds, and a device's queue has room for a thousand or so: who has
// not queued a step by then never will.
constexpr std::chrono::nanoseconds kLongestHold = std::chrono::milliseconds(10);

#ifdef __CUDACC__

__device__ unsigned long long global_nanoseconds() {
  unsigned long long nanoseconds = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}

// Keeps the stream busy: what is launched meanwhile waits behind it.
__global__ void spin(unsigned long long nanoseconds) {
  const unsigned long long start = global_nanoseconds();
  while (global_nanoseconds() - start < nanoseconds) {
  }
}

cudaError_t hold_back(cudaStream_t stream, std::chrono::nanoseconds time) {
  spin<<<1, 1, 0, stream>>>(static_cast<unsigned long long>(time.count()));
  return cudaGetLastError();
}

#else

cudaError_t hold_back(cudaStream_t stream, std::chrono::nanoseconds time) {
  return emulated_launch(stream, {}, [time] {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
    }
  });
}

#endif

// Runs a function of the context's clock.
template <class Body>
gdbench_status timed(Context& context, const Body& body) {
  return guarded(context.settings, "cuda", [&] {
    if (context.timing == nullptr) context.timing = std::make_unique<Timing>(context.stream);
    note(context, body(*context.timing), "timing by events");
    return noted(context);  // what was timed, too
  });
}

template <cudaError_t (Timing::*function)()>
gdbench_status simple(Context* context) {
  return timed(*context, [](Timing& timing) { return (timing.*function)(); });
}

gdbench_status span_ns(Context* context, double* nanoseconds) {
  return timed(*context, [&](Timing& timing) { return timing.span_ns(nanoseconds); });
}

gdbench_status end_marks(Context* context, double* nanoseconds, std::size_t count, bool* held) {
  return timed(*context, [&](Timing& timing) { return timing.end_marks(nanoseconds, count, held); });
}

}  // namespace

cudaError_t Timing::record(Event& event) const {
  if (event == nullptr) {
    cudaEvent_t made = nullptr;
    if (const cudaError_t error = cudaEventCreate(&made); error != cudaSuccess) return error;
    event.reset(made);
  }
  return cudaEventRecord(event.get(), stream_);
}

cudaError_t Timing::elapsed(const Event& from, const Event& to, double* nanoseconds) {
  if (from == nullptr || to == nullptr) return cudaErrorInvalidValue;
  float milliseconds = 0;
  const cudaError_t error = cudaEventElapsedTime(&milliseconds, from.get(), to.get());
  *nanoseconds = 1e6 * static_cast<double>(milliseconds);
  return error;
}

cudaError_t Timing::begin_marks() {
  begun_ = std::chrono::steady_clock::now();
  marked_ = 0;
  cudaError_t error = hold_back(stream_, hold_);
  for (int i = 0; i < 2 && error == cudaSuccess; ++i) error = mark();
  return error;
}

cudaError_t Timing::mark() {
  if (marked_ == marks_.size()) marks_.emplace_back();
  return record(marks_[marked_++]);
}

cudaError_t Timing::end_marks(double* nanoseconds, std::size_t count, bool* held) {
  if (marked_ != count + 2) return cudaErrorInvalidValue;
  cudaError_t error = cudaEventQuery(marks_.front().get());
  *held = error == cudaErrorNotReady;
  if (*held) {
    cudaGetLastError();  // which is no error
  } else if (error != cudaSuccess) {
    return error;
  } else {
    const std::chrono::nanoseconds queued = std::chrono::steady_clock::now() - begun_;
    hold_ = std::min(2 * std::max(hold_, queued), kLongestHold);
  }
  error = cudaEventSynchronize(marks_[marked_ - 1].get());
  double empty_ns = 0;
  if (error == cudaSuccess) error = elapsed(marks_[0], marks_[1], &empty_ns);
  for (std::size_t i = 0; i < count && error == cudaSuccess; ++i) {
    error = elapsed(marks_[i + 1], marks_[i + 2], &nanoseconds[i]);
    nanoseconds[i] = std::max(0.0, nanoseconds[i] - empty_ns);
  }
  return error;
}

void add_clock(DeviceFunctions& functions) {
  functions.begin_span = simple<&Timing::begin_span>;
  functions.end_span = simple<&Timing::end_span>;
  functions.span_ns = span_ns;
  functions.begin_marks = simple<&Timing::begin_marks>;
  functions.mark = simple<&Timing::mark>;
  functions.end_marks = end_marks;
}

}  // namespace gdbench::backends::cuda
