// What each optimizer does to an entry of a parameter.
//
// The rules are PyTorch's (torch.optim). Weight decay is coupled where wd times the parameter is added to the gradient
// before the rule sees it, and decoupled where the parameter loses (learning rate) wd times itself before the rule
// changes it (torch.optim.AdamW).
#pragma once

#include <cmath>
#include <type_traits>

#include "implementations/backends/common/ops.h"
#include "implementations/backends/common/rules/rule_of.h"

namespace gdbench::backends {

enum class Decay : std::uint32_t { none, coupled, decoupled };
constexpr std::size_t kDecayCount = 3;

inline Decay decay_of(const gdbench_optimizer& optimizer) {
  if (optimizer.weight_decay == 0) return Decay::none;
  const bool decoupled =
      catalogue::row_of(catalogue::kind_of(optimizer)).always_decoupled || optimizer.decoupled_weight_decay != 0;
  return decoupled ? Decay::decoupled : Decay::coupled;
}

inline bool is_inside(const gdbench_optimizer& optimizer) {
  return catalogue::epsilon_place_of(optimizer) == catalogue::EpsilonPlace::inside;
}

// An optimizer's constants, converted once.
template <class T>
struct UpdateConstants {
  explicit UpdateConstants(const gdbench_optimizer& optimizer)
      : momentum(static_cast<T>(optimizer.momentum)),
        beta1(static_cast<T>(optimizer.beta1)),
        rest_of_beta1(static_cast<T>(1 - optimizer.beta1)),
        beta2(static_cast<T>(optimizer.beta2)),
        rest_of_beta2(static_cast<T>(1 - optimizer.beta2)),
        rho(static_cast<T>(optimizer.rho)),
        rest_of_rho(static_cast<T>(1 - optimizer.rho)),
        epsilon(is_inside(optimizer) ? T(0) : static_cast<T>(optimizer.epsilon)),
        epsilon_inside(is_inside(optimizer) ? static_cast<T>(optimizer.epsilon) : T(0)),
        weight_decay(static_cast<T>(optimizer.weight_decay)),
        exact_weight_decay(optimizer.weight_decay),
        rate_factor(catalogue::kind_of(optimizer) == OptimizerKind::muon ? optimizer.adamw_rate_factor : 1) {}

  T momentum;
  T beta1;
  T rest_of_beta1;  // 1 - beta1
  T beta2;
  T rest_of_beta2;
  T rho;
  T rest_of_rho;
  T epsilon;         // added to a root
  T epsilon_inside;  // added to what Adagrad and RMSprop take it of
  T weight_decay;
  double exact_weight_decay;
  double rate_factor;  // of the learning rate, for the entries that the rule is applied to one by one
};

// All that the update of an entry reads but the entry: a local copy, so that compilers keep it in registers.
template <class T>
struct UpdateStep : UpdateConstants<T> {
  GDBENCH_HOST_DEVICE UpdateStep(const UpdateConstants<T>& constants, const UpdateScalars& scalars)
      : UpdateConstants<T>(constants),
        rate(static_cast<T>(scalars.learning_rate * constants.rate_factor)),
        shrinkage(static_cast<T>(scalars.learning_rate * constants.rate_factor * constants.exact_weight_decay)),
        corrected_rate(static_cast<T>(scalars.learning_rate * constants.rate_factor * scalars.first_moment_factor)),
        root_factor(static_cast<T>(scalars.second_moment_root_factor)),
        added_rate(static_cast<T>(scalars.learning_rate * constants.rate_factor * scalars.added_factor)) {}

  T rate;
  T shrinkage;       // what decoupled decay takes off a parameter of 1
  T corrected_rate;  // Adam's rate / (1 - beta1^t)
  T root_factor;     // 1 / sqrt(1 - beta2^t)
  T added_rate;      // by which Nadam's gradient counts itself, or RAdam's first moment undivided

  // By which Adagrad and RMSprop divide.
  GDBENCH_HOST_DEVICE auto root(const auto& squares) const {
    using std::sqrt;
    return sqrt(squares + this->epsilon_inside) + this->epsilon;
  }
};

// Each rule has how far a parameter's entry descends in a step, by its gradient g and its slots, which it brings up to
// date. Constants as in gdbench_optimizer: mu momentum, rate the learning rate, eps epsilon, t the number from 1.

// torch.optim.SGD: rate g.
template <>
struct RuleOf<OptimizerKind::sgd> {
  GDBENCH_HOST_DEVICE static auto descent(const auto& step, const auto& g) { return step.rate * g; }
};
// torch.optim.SGD with momentum: b = mu b + g; rate b.
template <>
struct RuleOf<OptimizerKind::momentum> {
  GDBENCH_HOST_DEVICE static auto descent(const auto& step, const auto& g, auto& b) {
    b = step.momentum * b + g;
    return step.rate * b;
  }
};
// torch.optim.SGD with nesterov: b = mu b + g; rate (g + mu b).
template <>
struct RuleOf<OptimizerKind::nesterov> {
  GDBENCH_HOST_DEVICE static auto descent(const auto& step, const auto& g, auto& b) {
    b = step.momentum * b + g;
    return step.rate * (g + step.momentum * b);
  }
};
// torch.optim.Adagrad: s = s + g^2; rate g / (sqrt(s) + eps), or with eps inside rate g / sqrt(s + eps).
template <>
struct RuleOf<OptimizerKind::adagrad> {
  GDBENCH_HOST_DEVICE static auto descent(const auto& step, const auto& g, auto& s) {
    s += g * g;
    return step.rate * g / step.root(s);
  }
};
// torch.optim.RMSprop: v = rho v + (1 - rho) g^2; rate g / (sqrt(v) + eps), or with eps inside rate g / sqrt(v + eps).
template <>
struct RuleOf<OptimizerKind::rmsprop> {
  GDBENCH_HOST_DEVICE static auto descent(const auto& step, const auto& g, auto& v) {
    v = step.rho * v + step.rest_of_rho * g * g;
    return step.rate * g / step.root(v);
  }
};
// torch.optim.Adam; torch.optim.AdamW is the same except for its decay: m = beta1 m + (1 - beta1) g,
// v = beta2 v + (1 - beta2) g^2; rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps).
template <>
struct RuleOf<OptimizerKind::adam> {
  GDBENCH_HOST_DEVICE static auto descent(const auto& step, const auto& g, auto& m, auto& v) {
    using std::sqrt;
    m = step.beta1 * m + step.rest_of_beta1 * g;
    v = step.beta2 * v + step.rest_of_beta2 * g * g;
    return step.corrected_rate * m / (step.root_factor * sqrt(v) + step.epsilon);
  }
};
template <>
struct RuleOf<OptimizerKind::adamw> : RuleOf<OptimizerKind::adam> {};
// Of what it does not move as a matrix; its rates are multiplied by rate_factor.
template <>
struct RuleOf<OptimizerKind::muon> : RuleOf<OptimizerKind::adam> {};
// Chen et al., NeurIPS 2023, algorithm 2: rate sign(beta1 m + (1 - beta1) g); m = beta2 m + (1 - beta2) g.
template <>
struct RuleOf<OptimizerKind::lion> {
  GDBENCH_HOST_DEVICE static auto descent(const auto& step, const auto& g, auto& m) {
    const auto direction = step.beta1 * m + step.rest_of_beta1 * g;
    m = step.beta2 * m + step.rest_of_beta2 * g;
    return direction > 0 ? step.rate : direction < 0 ? -step.rate : direction;  // a NaN stays one
  }
};
// torch.optim.NAdam: m and v as Adam's, mu_t = beta1 (1 - 0.96^(t psi) / 2) with psi the momentum's decay, M_t the
// product of mu_1 to mu_t; rate (mu_(t+1) m / (1 - M_(t+1)) + (1 - mu_t) g / (1 - M_t)) / (sqrt(v / (1 - beta2^t)) +
// eps).
template <>
struct RuleOf<OptimizerKind::nadam> {
  GDBENCH_HOST_DEVICE static auto descent(const auto& step, const auto& g, auto& m, auto& v) {
    using std::sqrt;
    m = step.beta1 * m + step.rest_of_beta1 * g;
    v = step.beta2 * v + step.rest_of_beta2 * g * g;
    return (step.corrected_rate * m + step.added_rate * g) / (step.root_factor * sqrt(v) + step.epsilon);
  }
};
// torch.optim.RAdam: m and v as Adam's; rate r (m / (1 - beta1^t)) sqrt(1 - beta2^t) / (sqrt(v) + eps), where r is not
// 0 (plugin.h), else rate m / (1 - beta1^t). Of the two rates one is 0, so that there is no choice.
template <>
struct RuleOf<OptimizerKind::radam> {
  GDBENCH_HOST_DEVICE static auto descent(const auto& step, const auto& g, auto& m, auto& v) {
    using std::sqrt;
    m = step.beta1 * m + step.rest_of_beta1 * g;
    v = step.beta2 * v + step.rest_of_beta2 * g * g;
    return (step.corrected_rate / (sqrt(v) + step.epsilon) + step.added_rate) * m;
  }
};

// Defazio et al., NeurIPS 2024 (plugin.h): rate (1 - mu (1 - c)) g - c d; d = (1 - c) d - rate mu (1 - c) g.
template <>
struct RuleOf<OptimizerKind::schedule_free_sgd> {
  GDBENCH_HOST_DEVICE static auto descent(const auto& step, const auto& g, auto& d) {
    const auto share = step.root_factor;  // c
    const auto descends = step.added_rate * g - share * d;
    d = (1 - share) * d - step.corrected_rate * g;
    return descends;
  }
};

template <OptimizerKind kind>
inline constexpr std::size_t kSlots = catalogue::slot_count(kind);

// A parameter's entry after the update by its gradient, which brings its slots up to date.
template <OptimizerKind kind, Decay decay, class T>
GDBENCH_HOST_DEVICE T updated(const UpdateStep<T>& step, T p, T g, T* first, T* second) {
  if constexpr (decay == Decay::coupled) g += step.weight_decay * p;
  if constexpr (decay == Decay::decoupled) p -= step.shrinkage * p;
  using Rule = RuleOf<kind>;
  if constexpr (kSlots<kind> == 0) return p - Rule::descent(step, g);
  if constexpr (kSlots<kind> == 1) return p - Rule::descent(step, g, *first);
  if constexpr (kSlots<kind> == 2) return p - Rule::descent(step, g, *first, *second);
}

template <Decay decay>
using DecayConstant = std::integral_constant<Decay, decay>;

// Calls visit(kind, decay) with an optimizer's std::integral_constants and returns what it returns.
template <class Visitor>
decltype(auto) with_rule(const gdbench_optimizer& optimizer, Visitor visit) {
  return catalogue::with(catalogue::kind_of(optimizer), [&](auto kind) -> decltype(auto) {
    switch (decay_of(optimizer)) {
      case Decay::coupled:
        return visit(kind, DecayConstant<Decay::coupled>());
      case Decay::decoupled:
        return visit(kind, DecayConstant<Decay::decoupled>());
      case Decay::none:
        break;
    }
    return visit(kind, DecayConstant<Decay::none>());
  });
}

}  // namespace gdbench::backends
