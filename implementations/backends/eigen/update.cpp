// Every optimizer's update, in expressions over segments as wide as a vector or two. All expressions of a segment come
// before the next one's, so that memory is read and written once, and is read while the processor still divides.
#include <limits>

#include "implementations/backends/eigen/backend.h"
#include "implementations/backends/eigen/maps.h"

namespace gdbench::backends::eigen {
namespace {

using cpu::UpdateCall;

// A step whose epsilon stands inside the root, a type of its own: another addition in each entry would be measurable.
template <class T>
struct InsideStep : UpdateStep<T> {};

template <class T>
auto root_of(const UpdateStep<T>& step, const auto& squares) {
  return squares.sqrt() + step.epsilon;
}
template <class T>
auto root_of(const InsideStep<T>& step, const auto& squares) {
  return (squares + step.epsilon_inside).sqrt();
}

// Each rule has how far a parameter's entries descend in a step, as an expression of their gradients g and their slots,
// which it brings up to date. Constants as in gdbench_optimizer: mu momentum, rate the learning rate, eps epsilon, t
// the number of the update from 1.
template <OptimizerKind kind>
struct ArrayRule;

// torch.optim.SGD: rate g.
template <>
struct ArrayRule<OptimizerKind::sgd> {
  static auto descent(const auto& step, const auto& g) { return step.rate * g; }
};
// torch.optim.SGD with momentum: b = mu b + g; rate b.
template <>
struct ArrayRule<OptimizerKind::momentum> {
  static auto descent(const auto& step, const auto& g, auto& b) {
    b = step.momentum * b + g;
    return step.rate * b;
  }
};
// torch.optim.SGD with nesterov: b = mu b + g; rate (g + mu b).
template <>
struct ArrayRule<OptimizerKind::nesterov> {
  static auto descent(const auto& step, const auto& g, auto& b) {
    b = step.momentum * b + g;
    return step.rate * (g + step.momentum * b);
  }
};
// torch.optim.Adagrad: s = s + g^2; rate g / (sqrt(s) + eps), or with eps inside rate g / sqrt(s + eps).
template <>
struct ArrayRule<OptimizerKind::adagrad> {
  static auto descent(const auto& step, const auto& g, auto& s) {
    s += g * g;
    return step.rate * g / root_of(step, s);
  }
};
// torch.optim.RMSprop: v = rho v + (1 - rho) g^2; rate g / (sqrt(v) + eps), or with eps inside rate g / sqrt(v + eps).
template <>
struct ArrayRule<OptimizerKind::rmsprop> {
  static auto descent(const auto& step, const auto& g, auto& v) {
    v = step.rho * v + step.rest_of_rho * g * g;
    return step.rate * g / root_of(step, v);
  }
};
// torch.optim.Adam; torch.optim.AdamW is the same except for its decay: m = beta1 m + (1 - beta1) g,
// v = beta2 v + (1 - beta2) g^2; rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps).
template <>
struct ArrayRule<OptimizerKind::adam> {
  static auto descent(const auto& step, const auto& g, auto& m, auto& v) {
    m = step.beta1 * m + step.rest_of_beta1 * g;
    v = step.beta2 * v + step.rest_of_beta2 * g * g;
    return step.corrected_rate * m / (step.root_factor * v.sqrt() + step.epsilon);
  }
};

template <>
struct ArrayRule<OptimizerKind::adamw> : ArrayRule<OptimizerKind::adam> {};
// Chen et al., NeurIPS 2023, algorithm 2: rate sign(beta1 m + (1 - beta1) g); m = beta2 m + (1 - beta2) g.
template <>
struct ArrayRule<OptimizerKind::lion> {
  static auto descent(const auto& step, const auto& g, auto& m) {
    const auto direction = (step.beta1 * m + step.rest_of_beta1 * g).eval();
    m = step.beta2 * m + step.rest_of_beta2 * g;
    // Eigen's sign has no vectors. Below the smallest normal number this is less than 1.
    using T = std::remove_cvref_t<decltype(step.rate)>;
    return (step.rate * direction / direction.abs().max(std::numeric_limits<T>::min())).eval();
  }
};
// torch.optim.NAdam: m and v as Adam's; see rules/updates.h.
template <>
struct ArrayRule<OptimizerKind::nadam> {
  static auto descent(const auto& step, const auto& g, auto& m, auto& v) {
    m = step.beta1 * m + step.rest_of_beta1 * g;
    v = step.beta2 * v + step.rest_of_beta2 * g * g;
    return (step.corrected_rate * m + step.added_rate * g) / (step.root_factor * v.sqrt() + step.epsilon);
  }
};
// torch.optim.RAdam: m and v as Adam's; see rules/updates.h.
template <>
struct ArrayRule<OptimizerKind::radam> {
  static auto descent(const auto& step, const auto& g, auto& m, auto& v) {
    m = step.beta1 * m + step.rest_of_beta1 * g;
    v = step.beta2 * v + step.rest_of_beta2 * g * g;
    return (step.corrected_rate / (v.sqrt() + step.epsilon) + step.added_rate) * m;
  }
};

// Inlined by force: where it is called, constants are read from memory anew for each segment.
template <OptimizerKind kind, int width, class T>
[[gnu::always_inline]] inline void descend(const auto& step, const auto& g, auto& p, T* const (&slots)[2],
                                           Eigen::Index first) {
  using Rule = ArrayRule<kind>;
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
    if (step.epsilon_inside != 0) return run(InsideStep<T>{step});
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
  cpu::set_updates(functions, [](auto kind, auto decay) -> cpu::Run { return run_update<T, kind.value, decay.value>; });
  cpu::entry_of(functions.update, OptimizerKind::sgd)[static_cast<std::size_t>(Decay::none)] = run_sgd<T>;
}

template void set_updates<float>(cpu::ElementwiseFunctions& functions);
template void set_updates<double>(cpu::ElementwiseFunctions& functions);

}  // namespace gdbench::backends::eigen
