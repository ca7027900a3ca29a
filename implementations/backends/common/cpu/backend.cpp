#include "implementations/backends/common/cpu/backend.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <unordered_set>

#include "implementations/backends/common/cpu/mixed_precision.h"
#include "implementations/backends/common/cpu/muon.h"
#include "implementations/backends/common/operands.h"
#include "implementations/common/options.h"

namespace gdbench::backends {

struct Context {
  ContextSettings settings;
  bool in_library = false;                // the library divides what it can, the backend the rest
  Dtype products = Dtype::f32;            // of what was bound last
  const char* region_products = nullptr;  // RegionCall::mixed_products of a whole batch's steps
  float loss_scale = 1;
  std::string runtime{};
  std::unordered_set<Buffer> owned{};  // what allocate returned; imported buffers belong to the host
};

namespace cpu {
namespace {

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

void upload(Context* /*context*/, Buffer buffer, const void* from, std::size_t bytes, Stream* /*stream*/) {
  std::memcpy(data<void>(buffer), from, bytes);
}

void download(Context* /*context*/, Buffer buffer, void* to, std::size_t bytes, Stream* /*stream*/) {
  std::memcpy(to, data<void>(buffer), bytes);
}

gdbench_status synchronise(Context* /*context*/, Stream* /*stream*/) { return GDBENCH_OK; }

gdbench_status refuse(const ContextSettings& settings, const std::string& reason) {
  return report(settings, GDBENCH_UNSUPPORTED, std::string(definition().name) + ": " + reason);
}

// Of all compute threads, where they share the op.
Binding bind_for_threads(const Context& context, const Request& request) {
  const int threads = context.settings.compute_threads;
  if (request.moves_as_matrix && (definition().flags & kNoArithmetic) == 0) {
    return bind_matrix_update(request, [&](const Request& product) { return bind_for_threads(context, product); });
  }
  Binding binding;
  if (context.in_library) {
    binding = catalogue::is_mixed(request.dtype) ? bind_rounding(request, definition().bind_in_library)
                                                 : definition().bind_in_library(request);
  }
  const bool open = binding.call == nullptr && binding.reason == nullptr;
  if (open && threads > 1 && definition().sharing != nullptr) binding = definition().sharing->bind(request, threads);
  return binding.call == nullptr && binding.reason == nullptr ? bind_request(request) : binding;
}

gdbench_status bind(Context* context, const Request& given, Call** call) {
  const ContextSettings& settings = context->settings;
  Request request = given;
  request.loss_scale = &context->loss_scale;
  return guarded(settings, definition().name, [&] {
    if (const std::string error = shape_error(request); !error.empty()) {
      return report(settings, GDBENCH_INVALID, error);
    }
    const std::string reason = reason_unsupported(request, definition().dtypes, definition().flags);
    if (!reason.empty()) return refuse(settings, reason);
    if (request.op == Op::product) context->products = request.dtype;
    const Binding binding = bind_for_threads(*context, request);
    if (binding.call == nullptr) return refuse(settings, binding.reason);
    *call = binding.call;
    return GDBENCH_OK;
  });
}

void set_loss_scale(Context* context, float scale) { context->loss_scale = scale; }

bool unscale_values(Context* context, Buffer values, std::int64_t count) {
  return unscale(data<float>(values), count, context->loss_scale);
}

gdbench_status bind_region(Context* context, const TrainingRegion& region, RegionCall** call) {
  const ContextSettings& settings = context->settings;
  return guarded(settings, definition().name, [&] {
    std::string unsupported;
    *call = definition().bind_region(region, settings.compute_threads, unsupported);
    if (*call == nullptr) return refuse(settings, unsupported);
    context->products = region.dtype;
    if (!region.minor) context->region_products = (*call)->mixed_products;
    return GDBENCH_OK;
  });
}

// What the library says of itself, and how products of a mixed dtype are computed.
const char* runtime(Context* context) {
  const Definition& backend = definition();
  std::string& text = context->runtime;
  text = backend.runtime == nullptr ? "" : backend.runtime();
  if (catalogue::is_mixed(context->products)) {
    const bool asked = context->products == Dtype::bf16 && backend.bfloat16_products != nullptr;
    const char* const native = asked ? backend.bfloat16_products() : context->region_products;
    text += text.empty() ? "" : "; ";
    text += native != nullptr ? native : "products of a mixed dtype emulated: rounded floats are multiplied as floats";
  }
  return text.empty() ? nullptr : text.c_str();
}

enum class SharedBy { rows, library };  // the values of kSharingOption

gdbench_status create(const ContextSettings& settings, Context** context) {
  const Definition& backend = definition();
  const std::int32_t threads = settings.compute_threads;
  if (threads < 1 || threads > backend.max_compute_threads) {
    return refuse(settings, "at most " + std::to_string(backend.max_compute_threads) + " compute thread(s)");
  }
  return guarded(settings, backend.name, [&] {
    const bool in_library = backend.bind_in_library != nullptr && settings.settings != nullptr &&
                            implementations::chosen<SharedBy>(*settings.settings, kSharingOption) == SharedBy::library;
    if (in_library && threads == 1) return refuse(settings, "one compute thread shares nothing, so no sharing=library");
    if (backend.start_library != nullptr) backend.start_library(settings.settings, in_library ? threads : 1);
    if (threads > 1 && backend.sharing != nullptr) backend.sharing->start(settings.settings, threads, in_library);
    *context = new Context{.settings = settings, .in_library = in_library};
    return GDBENCH_OK;
  });
}

Backend make_backend() {
  const Definition& kernels = definition();
  Backend backend;
  backend.name = kernels.name;
  backend.build = GDBENCH_KERNEL_BUILD;
  backend.flags = kernels.flags;
  backend.dtypes = kernels.dtypes;
  backend.optimizers = kernels.optimizers;
  backend.max_compute_threads = kernels.max_compute_threads;
  if (kernels.sharing != nullptr) backend.shares = kernels.sharing->shares;
  backend.options = kernels.options.data();
  backend.option_count = kernels.options.size();
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
  backend.runtime = runtime;
  backend.loss_scaling = {set_loss_scale, unscale_values};
  backend.regions = kernels.regions;
  if (kernels.bind_region != nullptr) backend.regions.bind = bind_region;
  return backend;
}

}  // namespace

Binding bind_request(const Request& request) {
  const Definition& backend = definition();
  Binding binding;
  if (catalogue::is_mixed(request.dtype)) {
    if (request.op == Op::product && request.dtype == Dtype::bf16 && backend.bind_bfloat16_product != nullptr)
      binding = backend.bind_bfloat16_product(request);
    return binding.call == nullptr && binding.reason == nullptr ? bind_rounding(request, bind_request) : binding;
  }
  if (backend.bind != nullptr) binding = backend.bind(request);
  if (binding.call != nullptr || binding.reason != nullptr) return binding;
  return bind_function(request, request.dtype == Dtype::f32 ? backend.f32 : backend.f64);
}

}  // namespace cpu
}  // namespace gdbench::backends

extern "C" GDBENCH_EXPORT const gdbench::backends::Backend* gdbench_kernels() {
  static const gdbench::backends::Backend backend = gdbench::backends::cpu::make_backend();
  return &backend;
}
