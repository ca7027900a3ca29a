// What bind returns on the device: a call that knows its context, since run gets none.
#pragma once

#include <type_traits>
#include <utility>

#include "implementations/backends/common/backend.h"
#include "implementations/backends/cuda/context.h"
#include "implementations/backends/cuda/range.h"

namespace gdbench::backends::cuda {

// Only regions read the number of steps.
struct OwnedCall : RegionCall {
  void (*destroy)(OwnedCall* call) = nullptr;
  Context* context = nullptr;
};

// A call that launches what `launch(context, buffers)` launches, or of a region `launch(context, buffers, steps)`.
template <class Launch>
struct LaunchCall : OwnedCall {
  explicit LaunchCall(Launch launching) : launch(std::move(launching)) {}
  Launch launch;
};

template <class Launch>
OwnedCall* make_call(Context& context, const char* name, Launch launch) {
  struct Named : LaunchCall<Launch> {
    using LaunchCall<Launch>::LaunchCall;
    const char* name = nullptr;
  };
  auto* call = new Named(std::move(launch));
  call->name = name;
  call->context = &context;
  call->run = [](const Call* base, const Buffer* buffers, Stream* /*stream*/) {
    const auto& self = static_cast<const Named&>(*base);
    const Range range(self.name);
    if constexpr (std::is_invocable_v<const Launch&, Context&, const Buffer*, std::uint64_t>) {
      self.launch(*self.context, buffers, self.steps);
    } else {
      self.launch(*self.context, buffers);
    }
    check_launch(*self.context, self.name);
  };
  call->destroy = [](OwnedCall* owned) { delete static_cast<Named*>(owned); };
  return call;
}

// Each makes the call of its ops, for a request whose shapes are consistent. Null: the backend does not offer it.
// May throw std::bad_alloc, and Failure where the device has no memory for what the call needs.
OwnedCall* bind_elementwise(Context& context, const Request& request);
OwnedCall* bind_update(Context& context, const Request& request);
OwnedCall* bind_reduction(Context& context, const Request& request);
OwnedCall* bind_loss_gradient(Context& context, const Request& request);
OwnedCall* bind_product(Context& context, const Request& request);
OwnedCall* bind_training_region(Context& context, const TrainingRegion& region);

}  // namespace gdbench::backends::cuda
