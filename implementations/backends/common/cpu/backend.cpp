#include "implementations/backends/common/cpu/backend.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <unordered_set>

#include "implementations/backends/common/rules/shapes.h"

namespace gdbench::backends {

struct Context {
  ContextSettings settings;
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

// Of x86-64 and of 64-bit Arm with small pages.
constexpr std::size_t kHugePage = std::size_t{2} << 20;

gdbench_status allocate(Context* context, std::size_t bytes, Buffer* buffer) {
  const std::size_t rounded = (bytes / GDBENCH_ALIGNMENT + 1) * GDBENCH_ALIGNMENT;
  const bool large = rounded >= kHugePage;
  void* memory = nullptr;
  if (posix_memalign(&memory, large ? kHugePage : GDBENCH_ALIGNMENT, rounded) != 0) {
    return report(context->settings, GDBENCH_OUT_OF_MEMORY, "no memory for " + std::to_string(bytes) + " bytes");
  }
  // A wish: with small pages an update of ten million parameters waits for address translation half of its time.
  if (large) madvise(memory, rounded, MADV_HUGEPAGE);
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

// Why the backend cannot take a request whose shapes are consistent; empty where it may.
std::string missing(const Request& request) {
  const Definition& backend = definition();
  if ((backend.dtypes & catalogue::bit_of(request.dtype)) == 0) return name_of(request.dtype);
  const auto lacks = [&](BackendFlag flag) { return (backend.flags & flag) == 0; };
  for (std::size_t i = 0; i < request.operand_count; ++i) {
    const Layout layout = request.operands[i].layout;
    const bool sparse = layout == Layout::sparse_csr && request.op == Op::product && i == 0 && !lacks(kSparse);
    if (layout != Layout::row_major && !sparse) return "such layout of an operand but row-major";
  }
  if (request.op != Op::product) return {};
  if (request.epilogue_bias && lacks(kEpilogueBias)) return "bias epilogue";
  if (request.epilogue_activation != Activation::identity && lacks(kEpilogueActivation)) return "activation epilogue";
  if (request.epilogue_update && lacks(kEpilogueUpdate)) return "update epilogue";
  return {};
}

// Runs `make`, which reports what it cannot do by itself.
template <class Make>
gdbench_status guarded(const ContextSettings& settings, const Make& make) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return report(settings, GDBENCH_OUT_OF_MEMORY, "no memory");
  } catch (const std::exception& exception) {
    return report(settings, GDBENCH_FAILED, std::string(definition().name) + ": " + exception.what());
  }
}

gdbench_status lacks(const ContextSettings& settings, const std::string& what) {
  return report(settings, GDBENCH_UNSUPPORTED, std::string(definition().name) + " has no " + what);
}

gdbench_status bind(Context* context, const Request& request, Call** call) {
  const ContextSettings& settings = context->settings;
  return guarded(settings, [&] {
    if (const std::string error = shape_error(request); !error.empty()) {
      return report(settings, GDBENCH_INVALID, error);
    }
    if (const std::string what = missing(request); !what.empty()) return lacks(settings, what);
    const Binding binding = bind_request(request);
    if (binding.call == nullptr) return lacks(settings, binding.reason);
    *call = binding.call;
    return GDBENCH_OK;
  });
}

gdbench_status bind_region(Context* context, const TrainingRegion& region, RegionCall** call) {
  const ContextSettings& settings = context->settings;
  return guarded(settings, [&] {
    std::string unsupported;
    *call = definition().bind_region(region, settings.compute_threads, unsupported);
    return *call == nullptr ? lacks(settings, unsupported) : GDBENCH_OK;
  });
}

void unbind(Context* /*context*/, Call* call) {
  auto* owned = static_cast<OwnedCall*>(call);
  owned->destroy(owned);
}

gdbench_status create(const ContextSettings& settings, Context** context) {
  const std::int32_t most = definition().max_compute_threads;
  if (settings.compute_threads < 1 || settings.compute_threads > most) {
    return report(settings, GDBENCH_UNSUPPORTED,
                  std::string(definition().name) + " has at most " + std::to_string(most) + " compute thread(s)");
  }
  *context = new (std::nothrow) Context{settings, {}};
  return *context == nullptr ? report(settings, GDBENCH_OUT_OF_MEMORY, "no memory") : GDBENCH_OK;
}

Backend make_backend() {
  const Definition& kernels = definition();
  Backend backend;
  backend.name = kernels.name;
  backend.build = kernels.build;
  backend.flags = kernels.flags;
  backend.dtypes = kernels.dtypes;
  backend.optimizers = kernels.optimizers;
  backend.max_compute_threads = kernels.max_compute_threads;
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
  if (kernels.bind_region != nullptr) backend.regions.bind = bind_region;
  backend.regions.options = kernels.region_options.data();
  backend.regions.option_count = kernels.region_options.size();
  backend.regions.passes = kernels.region_passes;
  backend.regions.pass_descriptions = kernels.region_pass_descriptions;
  return backend;
}

}  // namespace

Binding bind_request(const Request& request) {
  const Definition& backend = definition();
  Binding binding;
  if (backend.bind != nullptr) binding = backend.bind(request);
  if (binding.call != nullptr || binding.reason != nullptr) return binding;
  switch (request.dtype) {
    case Dtype::f32:
      return bind_function(request, backend.f32);
    case Dtype::f64:
      return bind_function(request, backend.f64);
  }
  return unsupported("such dtype");
}

}  // namespace cpu
}  // namespace gdbench::backends

extern "C" GDBENCH_EXPORT const gdbench::backends::Backend* gdbench_kernels() {
  static const gdbench::backends::Backend backend = gdbench::backends::cpu::make_backend();
  return &backend;
}
