// Every optimizer's update: one pass over gradient, parameter and slots, by vectorised access; and what precedes it
// where the loss is scaled.
#include <cmath>

#include "implementations/backends/common/rules/updates.h"
#include "implementations/backends/cuda/call.h"
#include "implementations/backends/cuda/elementwise.h"

namespace gdbench::backends::cuda {
namespace {

template <class T, OptimizerKind kind, Decay decay>
struct Update {
  const T* gradient;
  const UpdateScalars* scalars;
  T* parameter;
  T* first;
  T* second;
  std::int64_t packs;
  UpdateConstants<T> constants;

  GDBENCH_HOST_DEVICE UpdateStep<T> prepare() const { return {constants, *scalars}; }

  GDBENCH_HOST_DEVICE void operator()(const UpdateStep<T>& step, std::int64_t i) const {
    if (i >= packs) {
      const std::int64_t at = packs * kPackWidth<T> + (i - packs);
      parameter[at] = updated<kind, decay>(step, parameter[at], gradient[at], first + at, second + at);
      return;
    }
    const Pack<T> g = reinterpret_cast<const Pack<T>*>(gradient)[i];
    Pack<T> p = reinterpret_cast<Pack<T>*>(parameter)[i];
    Pack<T> one{};
    Pack<T> two{};
    if constexpr (kSlots < kind >> 0) one = reinterpret_cast<Pack<T>*>(first)[i];
    if constexpr (kSlots < kind >> 1) two = reinterpret_cast<Pack<T>*>(second)[i];
    for (int l = 0; l < kPackWidth<T>; ++l) {
      p.entries[l] = updated<kind, decay>(step, p.entries[l], g.entries[l], one.entries + l, two.entries + l);
    }
    reinterpret_cast<Pack<T>*>(parameter)[i] = p;
    if constexpr (kSlots < kind >> 0) reinterpret_cast<Pack<T>*>(first)[i] = one;
    if constexpr (kSlots < kind >> 1) reinterpret_cast<Pack<T>*>(second)[i] = two;
  }
};

template <class T, OptimizerKind kind, Decay decay>
OwnedCall* bind_with(Context& context, const Request& request) {
  const std::int64_t size = size_of(request.operands[2]);
  const UpdateConstants<T> constants(*request.optimizer);
  return make_call(context, "update", [size, constants](Context& to, const Buffer* buffers) {
    // A slot that the rule does not have is never read: any address serves.
    Update<T, kind, decay> update{data<const T>(buffers[0]),
                                  data<const UpdateScalars>(buffers[1]),
                                  data<T>(buffers[2]),
                                  data<T>(buffers[2]),
                                  data<T>(buffers[2]),
                                  0,
                                  constants};
    bool packed = packs(update.gradient) && packs(update.parameter);
    if constexpr (kSlots < kind >> 0) {
      update.first = data<T>(buffers[3]);
      packed = packed && packs(update.first);
    }
    if constexpr (kSlots < kind >> 1) {
      update.second = data<T>(buffers[4]);
      packed = packed && packs(update.second);
    }
    const Split split = split_of<T>(size, packed);
    update.packs = split.packs;
    launch_elements(to.stream, split.bodies(), update);
  });
}

template <class T>
OwnedCall* bind_of(Context& context, const Request& request) {
  return with_rule(*request.optimizer, [&](auto kind, auto decay) {
    return bind_with<T, decltype(kind)::value, decltype(decay)::value>(context, request);
  });
}

struct Unscaling {
  float factor;
  unsigned* overflown;
  GDBENCH_HOST_DEVICE float operator()(float gradient) const {
    const float unscaled = gradient * factor;
    if (!std::isfinite(unscaled)) *overflown = 1;  // all threads that write do write the same
    return unscaled;
  }
};

}  // namespace

OwnedCall* bind_update(Context& context, const Request& request) {
  return catalogue::with_element(request.dtype, [&](auto zero) { return bind_of<decltype(zero)>(context, request); });
}

bool unscale(Context* context, Buffer values, std::int64_t count) {
  auto* const flag = context->overflown->as<unsigned>();
  unsigned overflown = 0;
  note(*context, cudaMemsetAsync(flag, 0, sizeof(overflown), context->stream), "clearing memory");
  auto* const gradients = data<float>(values);
  launch_map(context->stream, count, static_cast<const float*>(gradients), gradients,
             Unscaling{1 / context->loss_scale, flag});
  check_launch(*context, "unscale");
  note(*context, cudaMemcpyAsync(&overflown, flag, sizeof(overflown), cudaMemcpyDeviceToHost, context->stream),
       "a copy from the device");
  note(*context, cudaStreamSynchronize(context->stream), "waiting for the device");
  return overflown == 0;
}

}  // namespace gdbench::backends::cuda
