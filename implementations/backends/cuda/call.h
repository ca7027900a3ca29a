// What a strategy's use of the device consists of: a stream, its failures, and cuBLAS once a product needs it; and what
// bind returns: a call that knows its context, since run gets none.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>

#ifdef __CUDACC__
#include <nvtx3/nvToolsExt.h>
#endif

#include "implementations/backends/common/call.h"
#include "implementations/backends/cuda/blas.h"
#include "implementations/backends/cuda/scratch.h"
#include "implementations/backends/cuda/timing.h"

namespace gdbench::backends {

struct Context {
  ContextSettings settings;
  cudaStream_t stream = nullptr;
  std::unordered_set<Buffer> owned;      // what allocate and import_host returned
  std::unique_ptr<cuda::Blas> blas;      // of the first product that needs it
  std::unique_ptr<cuda::Timing> timing;  // made when it is first asked for
  float loss_scale = 1;
  std::optional<cuda::Scratch> overflown;  // of the first call of a dtype that scales the loss: what unscale found
  std::string unsupported;                 // why the last bind was refused, where it was
  std::string failure;                     // the first one of a call, which synchronise reports from then on
};

namespace cuda {

// Remembers what went wrong, for synchronise.
void note(Context& context, const std::string& what);
void note(Context& context, cudaError_t error, const char* what);
// Reports what was noted, if anything was.
gdbench_status noted(const Context& context);
// To be called after every launch: a launch that cannot be made shows here and nowhere else.
void check_launch(Context& context, const char* what);

// Names what is launched, for NVIDIA's profilers: a range of NVTX, which costs a few nanoseconds where none listens.
class Range {
 public:
#ifdef __CUDACC__
  explicit Range(const char* name) { nvtxRangePushA(name); }
  ~Range() { nvtxRangePop(); }
#else
  explicit Range(const char* /*name*/) {}
  ~Range() = default;
#endif
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

// A call that launches what `launch(context, buffers)` launches, or of a region `launch(context, buffers, steps)`.
template <class Launch>
OwnedCall* make_call(Context& context, const char* name, Launch launch) {
  struct LaunchCall : OwnedCall {
    LaunchCall(Context& on, const char* called, Launch launching)
        : context(on), name(called), launch(std::move(launching)) {}
    Context& context;
    const char* name;
    Launch launch;
  };
  auto* call = new LaunchCall(context, name, std::move(launch));
  call->run = [](const Call* base, const Buffer* buffers, Stream* /*stream*/) {
    const auto& self = static_cast<const LaunchCall&>(*base);
    const Range range(self.name);
    if constexpr (std::is_invocable_v<const Launch&, Context&, const Buffer*, std::uint64_t>) {
      self.launch(self.context, buffers, self.steps);
    } else {
      self.launch(self.context, buffers);
    }
    check_launch(self.context, self.name);
  };
  call->destroy = [](OwnedCall* owned) { delete static_cast<LaunchCall*>(owned); };
  return call;
}

// Each makes the call of its ops, for a request whose shapes are consistent. Null: the backend does not offer it.
// May throw std::bad_alloc, and Failure where the device has no memory for what the call needs.
OwnedCall* bind_elementwise(Context& context, const Request& request);
OwnedCall* bind_update(Context& context, const Request& request);
OwnedCall* bind_reduction(Context& context, const Request& request);
OwnedCall* bind_loss_gradient(Context& context, const Request& request);
OwnedCall* bind_product(Context& context, const Request& request);
// Null: it is not so small, or something else than a linear regression.
OwnedCall* bind_tiny_region(Context& context, const TrainingRegion& region);
// Null: it has other layers than a short hidden one and one output, or too many rows. Of a device that launches blocks
// together.
OwnedCall* bind_warp_region(Context& context, const TrainingRegion& region);
// Null: the model does not fit into a block.
OwnedCall* bind_training_region(Context& context, const TrainingRegion& region);

// LossScalingFunctions::unscale; waits for the device.
bool unscale(Context* context, Buffer values, std::int64_t count);

}  // namespace cuda
}  // namespace gdbench::backends
