#include "implementations/kernels/cpu/backend.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <unordered_set>

#include "implementations/kernels/cpu/shapes.h"

namespace gdbench::kernels {

struct Context {
  ContextSettings settings;
  const cpu::Kernels& kernels;
  std::unordered_set<Buffer> owned;  // what allocate returned; imported buffers belong to the host
};

namespace cpu {
namespace {

gdbench_status report(const ContextSettings& settings, gdbench_status status, const std::string& message) {
  if (settings.error != nullptr) settings.error(settings.error_context, message.c_str());
  return status;
}

void destroy(Context* context) {
  for (const Buffer buffer : context->owned) std::free(data<void>(buffer));
  delete context;
}

gdbench_status allocate(Context* context, std::size_t bytes, Buffer* buffer) {
  const std::size_t rounded = (bytes / GDBENCH_ALIGNMENT + 1) * GDBENCH_ALIGNMENT;
  void* memory = std::aligned_alloc(GDBENCH_ALIGNMENT, rounded);
  if (memory == nullptr) {
    return report(context->settings, GDBENCH_OUT_OF_MEMORY, "no memory for " + std::to_string(bytes) + " bytes");
  }
  std::memset(memory, 0, rounded);  // also takes the page faults here, not in the first step
  *buffer = static_cast<Buffer>(memory);
  try {
    context->owned.insert(*buffer);
  } catch (const std::bad_alloc&) {
    std::free(memory);
    return report(context->settings, GDBENCH_OUT_OF_MEMORY, "no memory");
  }
  return GDBENCH_OK;
}

void release(Context* context, Buffer buffer) {
  if (context->owned.erase(buffer) != 0) std::free(data<void>(buffer));
}

gdbench_status import_host(Context* /*context*/, const void* host, std::size_t /*bytes*/, Buffer* buffer) {
  // Ops write to their outputs only, and imported memory is never bound as one.
  *buffer = static_cast<Buffer>(const_cast<void*>(host));
  return GDBENCH_OK;
}

Buffer slice(Buffer buffer, std::size_t offset) { return reinterpret_cast<Buffer>(data<std::byte>(buffer) + offset); }

void upload(Context* /*context*/, Buffer buffer, const void* from, std::size_t bytes, Stream* /*stream*/) {
  std::memcpy(data<void>(buffer), from, bytes);
}

void download(Context* /*context*/, Buffer buffer, void* to, std::size_t bytes, Stream* /*stream*/) {
  std::memcpy(to, data<void>(buffer), bytes);
}

gdbench_status synchronise(Context* /*context*/, Stream* /*stream*/) { return GDBENCH_OK; }

gdbench_status bind(Context* context, const Request& request, Call** call) {
  const ContextSettings& settings = context->settings;
  const std::string backend = context->kernels.name;
  try {
    if (const std::string error = shape_error(request); !error.empty()) {
      return report(settings, GDBENCH_INVALID, error);
    }
    for (std::size_t i = 0; i < request.operand_count; ++i) {
      if (request.operands[i].layout == Layout::row_major) continue;
      return report(settings, GDBENCH_UNSUPPORTED, backend + " takes row-major operands only");
    }
    const Binder binder = context->kernels.binders[static_cast<std::size_t>(request.op)];
    if (binder == nullptr) return report(settings, GDBENCH_UNSUPPORTED, backend + " has no " + name_of(request.op));
    const Binding binding = binder(request);
    if (binding.call == nullptr) return report(settings, GDBENCH_UNSUPPORTED, backend + " has no " + binding.reason);
    *call = binding.call;
    return GDBENCH_OK;
  } catch (const std::bad_alloc&) {
    return report(settings, GDBENCH_OUT_OF_MEMORY, "no memory");
  }
}

void unbind(Context* /*context*/, Call* call) {
  auto* owned = static_cast<OwnedCall*>(call);
  owned->destroy(owned);
}

}  // namespace

Backend make_backend(const Kernels& kernels, const char* build, std::uint32_t optimizers) {
  Backend backend;
  backend.name = kernels.name;
  backend.build = build;
  backend.dtypes = GDBENCH_BIT(GDBENCH_F32) | GDBENCH_BIT(GDBENCH_F64);
  backend.optimizers = optimizers;
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
  return backend;
}

gdbench_status create_context(const ContextSettings& settings, const Kernels& kernels, Context** context) {
  if (settings.compute_threads != 1) {
    return report(settings, GDBENCH_UNSUPPORTED, std::string(kernels.name) + " has one compute thread");
  }
  *context = new (std::nothrow) Context{settings, kernels, {}};
  return *context == nullptr ? report(settings, GDBENCH_OUT_OF_MEMORY, "no memory") : GDBENCH_OK;
}

}  // namespace cpu
}  // namespace gdbench::kernels
