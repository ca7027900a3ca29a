// The device as a backend: memory, transfers, recording, and the binding of calls. Everything is ordered on one stream.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

#include "implementations/backends/common/operands.h"
#include "implementations/backends/common/rules/updates.h"
#include "implementations/backends/cuda/call.h"
#include "implementations/backends/cuda/errors.h"

namespace gdbench::backends {

struct Recording {
  cudaGraphExec_t executable = nullptr;
};

namespace cuda {

void note(Context& context, const std::string& what) {
  if (context.failure.empty()) context.failure = what;
}

void note(Context& context, cudaError_t error, const char* what) {
  if (error != cudaSuccess) note(context, described(error, what));
}

gdbench_status noted(const Context& context) {
  if (context.failure.empty()) return GDBENCH_OK;
  return report(context.settings, GDBENCH_FAILED, "cuda: " + context.failure);
}

void check_launch(Context& context, const char* what) { note(context, cudaGetLastError(), what); }

namespace {

// A CUDA call's status as the interface has it.
gdbench_status checked(const ContextSettings& settings, cudaError_t error, const std::string& what) {
  if (error == cudaSuccess) return GDBENCH_OK;
  return report(settings, status_of(error), "cuda: " + described(error, what));
}

gdbench_status no_memory(const ContextSettings& settings) {
  return report(settings, GDBENCH_OUT_OF_MEMORY, "no memory");
}

// Empty where there is one.
std::string why_no_device() {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaSuccess && devices > 0) return "";
  discard_error(error);
  int driver = 0;
  const cudaError_t unknown = cudaDriverGetVersion(&driver);
  discard_error(unknown);
  if (unknown == cudaSuccess && driver == 0) return "no CUDA device (no driver is installed)";
  if (error == cudaSuccess || error == cudaErrorNoDevice) return "no CUDA device (none is visible)";
  return "no CUDA device; " + described(error, "counting them");
}

void release(Context* context, Buffer buffer) {
  context->owned.erase(buffer);
  discard_error(cudaFree(data<void>(buffer)));
}

// Also of what create did not finish.
void destroy(Context* context) {
  if (context->stream != nullptr) discard_error(cudaStreamSynchronize(context->stream));
  context->blas.reset();
  for (const Buffer buffer : context->owned) discard_error(cudaFree(data<void>(buffer)));
  context->timing.reset();
  if (context->stream != nullptr) discard_error(cudaStreamDestroy(context->stream));
  delete context;
}

gdbench_status create(const ContextSettings& settings, Context** created) {
  if (settings.compute_threads != 1) {
    return report(settings, GDBENCH_UNSUPPORTED, "cuda has one compute thread on the host");
  }
  if (const std::string why = why_no_device(); !why.empty()) {
    return report(settings, GDBENCH_UNSUPPORTED, why);
  }
  auto* context = new (std::nothrow) Context;
  if (context == nullptr) return no_memory(settings);
  context->settings = settings;
  cudaError_t error = cudaSetDevice(0);
  if (error == cudaSuccess) error = cudaStreamCreateWithFlags(&context->stream, cudaStreamNonBlocking);
  const gdbench_status status = checked(settings, error, "the first CUDA device");
  if (status != GDBENCH_OK) {
    destroy(context);
    return status;
  }
  *created = context;
  return GDBENCH_OK;
}

gdbench_status allocate(Context* context, std::size_t bytes, Buffer* buffer) {
  const std::size_t some = std::max<std::size_t>(bytes, 1);  // of no bytes there would be no address
  void* memory = nullptr;
  gdbench_status status =
      checked(context->settings, cudaMalloc(&memory, some), std::to_string(bytes) + " bytes on the device");
  if (status != GDBENCH_OK) return status;
  status = checked(context->settings, cudaMemsetAsync(memory, 0, some, context->stream), "clearing memory");
  try {
    context->owned.insert(static_cast<Buffer>(memory));
  } catch (const std::bad_alloc&) {
    status = no_memory(context->settings);
  }
  if (status != GDBENCH_OK) {
    release(context, static_cast<Buffer>(memory));
    return status;
  }
  *buffer = static_cast<Buffer>(memory);
  return GDBENCH_OK;
}

void upload(Context* context, Buffer buffer, const void* from, std::size_t bytes, Stream* /*stream*/) {
  note(*context, cudaMemcpyAsync(data<void>(buffer), from, bytes, cudaMemcpyHostToDevice, context->stream),
       "a copy to the device");
}

void download(Context* context, Buffer buffer, void* to, std::size_t bytes, Stream* /*stream*/) {
  note(*context, cudaMemcpyAsync(to, data<void>(buffer), bytes, cudaMemcpyDeviceToHost, context->stream),
       "a copy from the device");
}

gdbench_status synchronise(Context* context, Stream* /*stream*/) {
  note(*context, cudaStreamSynchronize(context->stream), "waiting for the device");
  return noted(*context);
}

// A copy made now: device memory does not show host memory.
gdbench_status import_host(Context* context, const void* host, std::size_t bytes, Buffer* buffer) {
  const gdbench_status status = allocate(context, bytes, buffer);
  if (status != GDBENCH_OK) return status;
  upload(context, *buffer, host, bytes, nullptr);
  return synchronise(context, nullptr);
}

gdbench_status allocate_pinned(Context* context, std::size_t bytes, void** memory) {
  const std::size_t some = std::max<std::size_t>(bytes, 1);
  const gdbench_status status = checked(context->settings, cudaHostAlloc(memory, some, cudaHostAllocDefault),
                                        std::to_string(bytes) + " bytes of page-locked memory");
  if (status == GDBENCH_OK) std::memset(*memory, 0, some);
  return status;
}

// A copy may still be reading.
void release_pinned(Context* context, void* memory) {
  discard_error(cudaStreamSynchronize(context->stream));
  discard_error(cudaFreeHost(memory));
}

gdbench_status begin_recording(Context* context) {
  return checked(context->settings, cudaStreamBeginCapture(context->stream, cudaStreamCaptureModeThreadLocal),
                 "recording");
}

void discard(Context* /*context*/, Recording* recording) {
  if (recording->executable != nullptr) discard_error(cudaGraphExecDestroy(recording->executable));
  delete recording;
}

// A recording that lacks a call is invalid: what could not be recorded is reported here.
gdbench_status end_recording(Context* context, Recording** recording) {
  const ContextSettings& settings = context->settings;
  cudaGraph_t graph = nullptr;
  note(*context, cudaStreamEndCapture(context->stream, &graph), "recording");
  gdbench_status status = noted(*context);
  auto* recorded = new (std::nothrow) Recording;
  if (status == GDBENCH_OK && recorded == nullptr) status = no_memory(settings);
  if (status == GDBENCH_OK) {
    status = checked(settings, cudaGraphInstantiate(&recorded->executable, graph, 0), "making a CUDA graph");
  }
  if (graph != nullptr) discard_error(cudaGraphDestroy(graph));
  if (status == GDBENCH_OK) {
    status = checked(settings, cudaGraphUpload(recorded->executable, context->stream), "uploading a CUDA graph");
  }
  if (status == GDBENCH_OK) {
    *recording = recorded;
  } else if (recorded != nullptr) {
    discard(context, recorded);
  }
  return status;
}

void replay(Context* context, const Recording* recording) {
  note(*context, cudaGraphLaunch(recording->executable, context->stream), "launching a CUDA graph");
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
    case Op::scale_columns:
    case Op::normalize:
    case Op::normalize_gradient:
      break;
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
    if (catalogue::scales_loss(request.dtype) && !context->overflown) context->overflown.emplace(sizeof(unsigned));
    context->unsupported.clear();
    *call = bind_op(*context, request);
    if (*call != nullptr) return GDBENCH_OK;
    const std::string why = context->unsupported;
    return report(settings, GDBENCH_UNSUPPORTED,
                  why.empty() ? "cuda: this " + what_of(request.op) + " is not supported" : why);
  });
}

gdbench_status bind_region(Context* context, const TrainingRegion& region, RegionCall** call) {
  if (catalogue::is_mixed(region.dtype)) {
    return report(context->settings, GDBENCH_UNSUPPORTED, "cuda: one kernel of all steps rounds no operands");
  }
  return guarded(context->settings, "cuda", [&] {
    context->unsupported.clear();
    *call = bind_training_region(*context, region);
    if (*call != nullptr) return GDBENCH_OK;
    return report(context->settings, GDBENCH_UNSUPPORTED, "cuda: " + context->unsupported);
  });
}

void set_loss_scale(Context* context, float scale) { context->loss_scale = scale; }

// The runtime's own threads: it starts a few with the first context, and sleeps on them.
constexpr std::int32_t kRuntimeThreads = 8;

Backend make_backend() {
  Backend backend;
  backend.name = GDBENCH_CUDA_BACKEND;
  backend.build = GDBENCH_KERNEL_BUILD;
  backend.flags = kFlags;
  backend.dtypes = catalogue::kAll<Dtype>;
  backend.optimizers = catalogue::kAll<OptimizerKind> & ~catalogue::bit_of(OptimizerKind::muon);  // see ops.h
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
  backend.loss_scaling = {set_loss_scale, unscale};
  backend.regions.bind = bind_region;
  add_clock(backend.device);
  backend.device.allocate_pinned = allocate_pinned;
  backend.device.release_pinned = release_pinned;
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
