// The device as a backend: memory, transfers, recording, and the binding of calls. Everything is ordered on one stream.
#include <cuda_runtime_api.h>

#include <cstring>
#include <new>
#include <string>

#include "implementations/backends/common/rules/shapes.h"
#include "implementations/backends/common/rules/updates.h"
#include "implementations/backends/cuda/call.h"

namespace gdbench::backends {

struct Recording {
  cudaGraphExec_t executable = nullptr;
};

namespace cuda {

void note(Context& context, const std::string& what) {
  if (context.failure.empty()) context.failure = what;
}

void check_launch(Context& context, const char* what) {
  const cudaError_t error = cudaPeekAtLastError();
  if (error != cudaSuccess) note(context, std::string(what) + ": " + cudaGetErrorString(error));
}

namespace {

// A CUDA call's status as the interface has it; the error is not left behind for the next call to find.
gdbench_status checked(const Context& context, cudaError_t error, const std::string& what) {
  if (error == cudaSuccess) return GDBENCH_OK;
  cudaGetLastError();
  const gdbench_status status = error == cudaErrorMemoryAllocation ? GDBENCH_OUT_OF_MEMORY : GDBENCH_FAILED;
  return report(context.settings, status, what + ": " + cudaGetErrorString(error));
}

// Empty where there is one.
std::string why_no_device() {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaSuccess && devices > 0) return "";
  cudaGetLastError();
  int driver = 0;
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) return "no CUDA device (no driver is installed)";
  const bool none = error == cudaSuccess || error == cudaErrorNoDevice;
  return std::string("no CUDA device (") + (none ? "none is visible" : cudaGetErrorString(error)) + ")";
}

gdbench_status create(const ContextSettings& settings, Context** created) {
  if (settings.compute_threads != 1) {
    return report(settings, GDBENCH_UNSUPPORTED, "cuda has one compute thread on the host");
  }
  if (const std::string why = why_no_device(); !why.empty()) {
    return report(settings, GDBENCH_UNSUPPORTED, why);
  }
  auto* context = new (std::nothrow) Context;
  if (context == nullptr) return report(settings, GDBENCH_OUT_OF_MEMORY, "no memory");
  context->settings = settings;
  cudaError_t error = cudaSetDevice(0);
  if (error == cudaSuccess) error = cudaStreamCreateWithFlags(&context->stream, cudaStreamNonBlocking);
  for (cudaEvent_t& event : context->timing) {
    if (error == cudaSuccess) error = cudaEventCreate(&event);
  }
  const gdbench_status status = checked(*context, error, "the first CUDA device");
  if (status != GDBENCH_OK) {
    delete context;
    return status;
  }
  *created = context;
  return GDBENCH_OK;
}

void destroy(Context* context) {
  cudaStreamSynchronize(context->stream);
  context->blas.reset();
  for (const Buffer buffer : context->owned) cudaFree(data<void>(buffer));
  for (const cudaEvent_t event : context->timing) cudaEventDestroy(event);
  cudaStreamDestroy(context->stream);
  delete context;
}

gdbench_status allocate(Context* context, std::size_t bytes, Buffer* buffer) {
  const std::size_t rounded = (bytes / GDBENCH_ALIGNMENT + 1) * GDBENCH_ALIGNMENT;
  void* memory = nullptr;
  gdbench_status status =
      checked(*context, cudaMalloc(&memory, rounded), std::to_string(bytes) + " bytes on the device");
  if (status != GDBENCH_OK) return status;
  status = checked(*context, cudaMemsetAsync(memory, 0, rounded, context->stream), "clearing memory");
  try {
    context->owned.insert(static_cast<Buffer>(memory));
  } catch (const std::bad_alloc&) {
    status = report(context->settings, GDBENCH_OUT_OF_MEMORY, "no memory");
  }
  if (status != GDBENCH_OK) {
    cudaFree(memory);
    return status;
  }
  *buffer = static_cast<Buffer>(memory);
  return GDBENCH_OK;
}

void release(Context* context, Buffer buffer) {
  if (context->owned.erase(buffer) != 0) cudaFree(data<void>(buffer));
}

void upload(Context* context, Buffer buffer, const void* from, std::size_t bytes, Stream* /*stream*/) {
  const cudaError_t error = cudaMemcpyAsync(data<void>(buffer), from, bytes, cudaMemcpyHostToDevice, context->stream);
  if (error != cudaSuccess) note(*context, std::string("a copy to the device: ") + cudaGetErrorString(error));
}

void download(Context* context, Buffer buffer, void* to, std::size_t bytes, Stream* /*stream*/) {
  const cudaError_t error = cudaMemcpyAsync(to, data<void>(buffer), bytes, cudaMemcpyDeviceToHost, context->stream);
  if (error != cudaSuccess) note(*context, std::string("a copy from the device: ") + cudaGetErrorString(error));
}

gdbench_status synchronise(Context* context, Stream* /*stream*/) {
  const cudaError_t error = cudaStreamSynchronize(context->stream);
  if (error != cudaSuccess) note(*context, cudaGetErrorString(error));
  if (context->failure.empty()) return GDBENCH_OK;
  return report(context->settings, GDBENCH_FAILED, "cuda: " + context->failure);
}

// A copy made now: device memory does not show host memory.
gdbench_status import_host(Context* context, const void* host, std::size_t bytes, Buffer* buffer) {
  const gdbench_status status = allocate(context, bytes, buffer);
  if (status != GDBENCH_OK) return status;
  upload(context, *buffer, host, bytes, nullptr);
  return synchronise(context, nullptr);
}

gdbench_status begin_timing(Context* context) {
  return checked(*context, cudaEventRecord(context->timing[0], context->stream), "recording an event");
}

gdbench_status end_timing(Context* context, double* nanoseconds) {
  float milliseconds = 0;
  cudaError_t error = cudaEventRecord(context->timing[1], context->stream);
  if (error == cudaSuccess) error = cudaEventSynchronize(context->timing[1]);
  if (error == cudaSuccess) error = cudaEventElapsedTime(&milliseconds, context->timing[0], context->timing[1]);
  *nanoseconds = 1e6 * static_cast<double>(milliseconds);
  return checked(*context, error, "timing by events");
}

// The data are mapped for reading only.
gdbench_status pin(Context* context, const void* host, std::size_t bytes) {
  const cudaError_t error = cudaHostRegister(const_cast<void*>(host), bytes, cudaHostRegisterReadOnly);
  if (error == cudaErrorNotSupported || error == cudaErrorInvalidValue) {
    cudaGetLastError();
    return report(context->settings, GDBENCH_UNSUPPORTED, "this device reads no locked pages that are read-only");
  }
  return checked(*context, error, "locking " + std::to_string(bytes) + " bytes of pages");
}

void unpin(Context* /*context*/, const void* host) { cudaHostUnregister(const_cast<void*>(host)); }

gdbench_status begin_recording(Context* context) {
  return checked(*context, cudaStreamBeginCapture(context->stream, cudaStreamCaptureModeThreadLocal), "recording");
}

gdbench_status end_recording(Context* context, Recording** recording) {
  cudaGraph_t graph = nullptr;
  gdbench_status status = checked(*context, cudaStreamEndCapture(context->stream, &graph), "recording");
  if (status != GDBENCH_OK) return status;
  auto* recorded = new (std::nothrow) Recording;
  status = recorded == nullptr
               ? report(context->settings, GDBENCH_OUT_OF_MEMORY, "no memory")
               : checked(*context, cudaGraphInstantiate(&recorded->executable, graph, 0), "making a CUDA graph");
  cudaGraphDestroy(graph);
  if (status != GDBENCH_OK) {
    delete recorded;
    return status;
  }
  *recording = recorded;
  return checked(*context, cudaGraphUpload(recorded->executable, context->stream), "uploading a CUDA graph");
}

void replay(Context* context, const Recording* recording) {
  const cudaError_t error = cudaGraphLaunch(recording->executable, context->stream);
  if (error != cudaSuccess) note(*context, std::string("launching a CUDA graph: ") + cudaGetErrorString(error));
}

void discard(Context* /*context*/, Recording* recording) {
  cudaGraphExecDestroy(recording->executable);
  delete recording;
}

OwnedCall* bind_op(Context& context, const Request& request) {
  switch (request.op) {
    case Op::product:
      return bind_product(context, request);
    case Op::column_sum:
    case Op::loss:
      return bind_reduction(context, request);
    case Op::update:
      return bind_update(context, request);
    case Op::loss_gradient:
      if (takes_labels(request.loss)) return bind_loss_gradient(context, request);
      return bind_elementwise(context, request);
    case Op::add_bias:
    case Op::activation:
    case Op::activation_gradient:
    case Op::combine:
    case Op::multiply:
    case Op::gather:
      return bind_elementwise(context, request);
  }
  return nullptr;
}

std::string what_of(Op op) { return op == Op::update ? "optimizer" : name_of(op); }

constexpr std::uint32_t kFlags =
    kDevice | kEpilogueBias | kEpilogueActivation | kEpilogueGradients | kEpilogueLayerUpdate | kTf32;

gdbench_status bind(Context* context, const Request& request, Call** call) {
  const ContextSettings& settings = context->settings;
  return guarded(settings, "cuda", [&] {
    if (const std::string error = shape_error(request); !error.empty()) {
      return report(settings, GDBENCH_INVALID, error);
    }
    if (const std::string reason = reason_unsupported(request, catalogue::kAll<Dtype>, kFlags); !reason.empty()) {
      return report(settings, GDBENCH_UNSUPPORTED, "cuda: " + reason);
    }
    context->unsupported.clear();
    *call = bind_op(*context, request);
    if (*call != nullptr) return GDBENCH_OK;
    const std::string why = context->unsupported;
    return report(settings, GDBENCH_UNSUPPORTED,
                  why.empty() ? "cuda: this " + what_of(request.op) + " is not supported" : why);
  });
}

gdbench_status bind_region(Context* context, const TrainingRegion& region, RegionCall** call) {
  return guarded(context->settings, "cuda", [&] {
    context->unsupported.clear();
    *call = bind_training_region(*context, region);
    if (*call != nullptr) return GDBENCH_OK;
    return report(context->settings, GDBENCH_UNSUPPORTED, "cuda: " + context->unsupported);
  });
}

// The runtime's own threads: it starts a few with the first context, and sleeps on them.
constexpr std::int32_t kRuntimeThreads = 8;

Backend make_backend() {
  Backend backend;
  backend.name = GDBENCH_CUDA_BACKEND;
  backend.build = GDBENCH_KERNEL_BUILD;
  backend.flags = kFlags;
  backend.dtypes = catalogue::kAll<Dtype>;
  backend.optimizers = catalogue::kAll<OptimizerKind>;
  backend.helper_threads = kRuntimeThreads;
  backend.create = create;
  backend.destroy = destroy;
  backend.allocate = allocate;
  backend.release = release;
  backend.import_host = import_host;
  backend.slice = slice;
  backend.upload = upload;
  backend.download = download;
  backend.synchronise = synchronise;
  backend.bind = bind;
  backend.unbind = unbind;
  backend.regions.bind = bind_region;
  backend.device.begin_timing = begin_timing;
  backend.device.end_timing = end_timing;
  backend.device.pin = pin;
  backend.device.unpin = unpin;
  backend.device.begin_recording = begin_recording;
  backend.device.end_recording = end_recording;
  backend.device.replay = replay;
  backend.device.discard = discard;
  static const std::string why = why_no_device();
  if (!why.empty()) backend.unavailable = why.c_str();
  return backend;
}

}  // namespace
}  // namespace cuda
}  // namespace gdbench::backends

extern "C" GDBENCH_EXPORT const gdbench::backends::Backend* gdbench_kernels() {
  static const gdbench::backends::Backend backend = gdbench::backends::cuda::make_backend();
  return &backend;
}
