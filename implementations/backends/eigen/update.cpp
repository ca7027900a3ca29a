// The optimizers' updates, in expressions over segments as wide as a vector or two. All expressions of a segment come
// before the next one's, so that memory is read and written once, and is read while the processor still divides.
#include "implementations/backends/common/cpu/elementwise_loops.h"
#include "implementations/backends/eigen/backend.h"
#include "implementations/backends/eigen/maps.h"

namespace gdbench::backends::eigen {
namespace {

using cpu::UpdateCall;

// With epsilon outside of the root, as usual: another addition in each entry would be measurable.
template <class T>
struct OutsideStep : UpdateStep<T> {
  auto root(const auto& squares) const { return squares.sqrt() + this->epsilon; }
};

// Inlined by force: where it is called, constants are read from memory anew for each segment.
template <OptimizerKind kind, int width, class T>
[[gnu::always_inline]] inline void descend(const auto& step, const auto& g, auto& p, T* const (&slots)[2],
                                           Eigen::Index first) {
  using Rule = RuleOf<kind>;
  if constexpr (kSlots<kind> == 0) {
    p -= Rule::descent(step, g);
  } else if constexpr (kSlots<kind> == 1) {
    auto slot = segment<width>(slots[0] + first);
    p -= Rule::descent(step, g, slot);
  } else {
    auto slot = segment<width>(slots[0] + first);
    auto other = segment<width>(slots[1] + first);
    p -= Rule::descent(step, g, slot, other);
  }
}

template <class T, OptimizerKind kind, Decay decay>
void run_update(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const UpdateCall<T>&>(*call);
  const UpdateStep<T> step(self.constants, *cpu::data<const UpdateScalars>(buffers[1]));
  const T* gradient = cpu::data<const T>(buffers[0]);
  T* parameter = cpu::data<T>(buffers[2]);
  T* slots[2] = {kSlots<kind> > 0 ? cpu::data<T>(buffers[3]) : nullptr,
                 kSlots<kind> > 1 ? cpu::data<T>(buffers[4]) : nullptr};
  const auto run = [&](const auto& step_of_type) {
    for_segments(self.size(), [&](Eigen::Index first, auto width) {
      const auto g = segment<width>(gradient + first);
      auto p = segment<width>(parameter + first);
      if constexpr (decay == Decay::decoupled) p -= step_of_type.shrinkage * p;
      if constexpr (decay == Decay::coupled) {
        descend<kind, width>(step_of_type, g + step_of_type.weight_decay * p, p, slots, first);
      } else {
        descend<kind, width>(step_of_type, g, p, slots, first);
      }
    });
  };
  if constexpr (catalogue::row_of(kind).other_place == catalogue::EpsilonPlace::inside) {
    if (step.epsilon_inside == 0) return run(OutsideStep<T>{step});
  }
  run(step);
}

// Without slots and decay there is one expression.
template <class T>
void run_sgd(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const UpdateCall<T>&>(*call);
  const T rate = static_cast<T>(cpu::data<const UpdateScalars>(buffers[1])->learning_rate);
  output_array<T>(buffers[2], self.size()) -= rate * input_array<T>(buffers[0], self.size());
}

}  // namespace

template <class T>
void set_updates(cpu::ElementwiseFunctions& functions) {
  cpu::set_updates(functions, [](auto kind, auto decay) -> cpu::Run {
    // A choice between numbers, which arrays do not have; a slot that is read before it is written.
    if constexpr (kind.value == OptimizerKind::lion || kind.value == OptimizerKind::schedule_free_sgd) {
      return cpu::run_update<T, kind.value, decay.value>;
    } else {
      return run_update<T, kind.value, decay.value>;
    }
  });
  cpu::entry_of(functions.update, OptimizerKind::sgd)[static_cast<std::size_t>(Decay::none)] = run_sgd<T>;
}

template void set_updates<float>(cpu::ElementwiseFunctions& functions);
template void set_updates<double>(cpu::ElementwiseFunctions& functions);

}  // namespace gdbench::backends::eigen
