// Streams, events and recordings.
#include <utility>

#include "tests/fakes/emulated_device/device.h"

namespace emulated {

cudaError_t enqueue(cudaStream_t stream, std::function<void()> work) {
  if (!device().streams.has(stream)) return cudaErrorInvalidResourceHandle;
  if (stream->invalidated) return cudaErrorStreamCaptureInvalidated;
  (stream->recording != nullptr ? stream->recording->work : device().queued).push_back(std::move(work));
  return cudaSuccess;
}

cudaError_t refuse_while_capturing() {
  if (device().capturing == nullptr) return cudaSuccess;
  device().capturing->invalidated = true;
  return cudaErrorStreamCaptureUnsupported;
}

namespace {

// The stream is out of capture mode afterwards; what was recorded so far.
EmulatedGraph* end_capture(cudaStream_t stream) {
  device().capturing = nullptr;
  stream->invalidated = false;
  return std::exchange(stream->recording, nullptr);
}

}  // namespace
}  // namespace emulated

using emulated::called, emulated::called_to_give_back, emulated::device;

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned /*flags*/) {
  return called("cudaStreamCreateWithFlags", [&] {
    *stream = device().streams.add(new EmulatedStream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return called_to_give_back("cudaStreamDestroy", [&] {
    if (!device().streams.has(stream)) return cudaErrorInvalidResourceHandle;
    if (stream->recording != nullptr) device().graphs.remove(emulated::end_capture(stream));
    emulated::finish();
    return device().streams.remove(stream);
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return called("cudaStreamSynchronize", [&] {
    if (!device().streams.has(stream)) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = emulated::refuse_while_capturing(); error != cudaSuccess) return error;
    emulated::finish();
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return called("cudaEventCreate", [&] {
    *event = device().events.add(new EmulatedEvent);
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return called_to_give_back("cudaEventDestroy", [&] {
    emulated::finish();
    return device().events.remove(event);
  });
}

// A device that has nothing to do is at once where the event is; launches that follow it wait for the host, as they
// would for their way to the device, and both count in the time between two events.
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return called("cudaEventRecord", [&] {
    if (!device().events.has(event)) return cudaErrorInvalidResourceHandle;
    const auto happen = [event] {
      event->at = std::chrono::steady_clock::now();
      event->state = EmulatedEvent::State::complete;
    };
    if (device().streams.has(stream) && stream->recording == nullptr && device().queued.empty()) {
      happen();
      return cudaSuccess;
    }
    const cudaError_t error = emulated::enqueue(stream, happen);
    if (error == cudaSuccess) event->state = EmulatedEvent::State::pending;
    return error;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return called("cudaEventQuery", [&] {
    if (!device().events.has(event)) return cudaErrorInvalidResourceHandle;
    return event->state == EmulatedEvent::State::pending ? cudaErrorNotReady : cudaSuccess;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return called("cudaEventSynchronize", [&] {
    if (!device().events.has(event)) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = emulated::refuse_while_capturing(); error != cudaSuccess) return error;
    emulated::finish();
    return cudaSuccess;
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return called("cudaEventElapsedTime", [&] {
    for (const cudaEvent_t event : {start, end}) {
      if (!device().events.has(event)) return cudaErrorInvalidResourceHandle;
      if (event->state == EmulatedEvent::State::unrecorded) return cudaErrorInvalidResourceHandle;
      if (event->state == EmulatedEvent::State::pending) return cudaErrorNotReady;
    }
    *milliseconds = std::chrono::duration<float, std::milli>(end->at - start->at).count();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode /*mode*/) {
  return called("cudaStreamBeginCapture", [&] {
    if (!device().streams.has(stream)) return cudaErrorInvalidResourceHandle;
    if (device().capturing != nullptr) return cudaErrorInvalidValue;
    device().capturing = stream;
    stream->recording = device().graphs.add(new EmulatedGraph);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const cudaError_t failure = emulated::failure_of("cudaStreamEndCapture");
  *graph = nullptr;
  if (!device().streams.has(stream)) return emulated::ended(cudaErrorInvalidResourceHandle);
  if (stream->recording == nullptr) return emulated::ended(cudaErrorInvalidValue);
  const bool invalidated = stream->invalidated;
  EmulatedGraph* recorded = emulated::end_capture(stream);
  if (failure == cudaSuccess && !invalidated) {
    *graph = recorded;
    return cudaSuccess;
  }
  device().graphs.remove(recorded);
  return emulated::ended(failure != cudaSuccess ? failure : cudaErrorStreamCaptureInvalidated);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long /*flags*/) {
  return called("cudaGraphInstantiate", [&] {
    if (!device().graphs.has(graph)) return cudaErrorInvalidValue;
    *executable = device().executables.add(new EmulatedExecutable{graph->work});
    return cudaSuccess;
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
  return called("cudaGraphUpload", [&] {
    return device().executables.has(executable) && device().streams.has(stream) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return called("cudaGraphLaunch", [&] {
    if (!device().executables.has(executable)) return cudaErrorInvalidValue;
    for (const auto& work : executable->work) {
      if (const cudaError_t error = emulated::enqueue(stream, work); error != cudaSuccess) return error;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return called_to_give_back("cudaGraphDestroy", [&] { return device().graphs.remove(graph); });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return called_to_give_back("cudaGraphExecDestroy", [&] { return device().executables.remove(executable); });
}
