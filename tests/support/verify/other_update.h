// Update rules written another way than the reference's: rearranged where algebra allows it.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "harness/scenario/problem.h"

namespace gdbench::verify::testing {

template <class T>
class OtherOptimizer {
 public:
  // Of parameter `parameter`, with its slots in the state.
  OtherOptimizer(const scenario::Optimizer& settings, const scenario::State& start, std::size_t parameter)
      : settings_(settings) {
    const std::size_t count = start.parameters.size();
    for (std::vector<T>* slot : {&first_, &second_}) {
      const std::size_t place = (slot == &first_ ? 0 : count) + parameter;
      slot->resize(start.parameters[parameter].size());
      if (place < start.slots.size()) slot->assign(start.slots[place].begin(), start.slots[place].end());
    }
  }

  // Entry i after update number t of step number `step`, both counted from 1.
  T updated(std::size_t i, T p, T g, std::int64_t step, std::int64_t t) {
    using enum scenario::OptimizerKind;
    const std::size_t last = settings_.learning_rates.size() - 1;
    const double rate = settings_.learning_rates[std::min(static_cast<std::size_t>(step - 1), last)];
    const double decay = settings_.weight_decay;
    if (settings_.decoupled_weight_decay) p -= static_cast<T>(rate * decay) * p;
    if (!settings_.decoupled_weight_decay) g = std::fma(static_cast<T>(decay), p, g);
    T& v = first_[i];
    switch (settings_.kind) {
      case nadam: {
        double product = 1;
        double mu = 0;
        for (std::int64_t k = 1; k <= t; ++k) {
          mu = settings_.beta1 - settings_.beta1 / 2 * std::pow(std::pow(0.96, settings_.momentum_decay), k);
          product *= mu;
        }
        const double next =
            settings_.beta1 - settings_.beta1 / 2 * std::pow(std::pow(0.96, settings_.momentum_decay), t + 1);
        v += static_cast<T>(1 - settings_.beta1) * (g - v);
        T& square = second_[i];
        square += static_cast<T>(1 - settings_.beta2) * (g * g - square);
        const double root = std::sqrt(1 - std::pow(settings_.beta2, static_cast<double>(t)));
        const T divisor = std::sqrt(square) + static_cast<T>(settings_.epsilon * root);
        return p - static_cast<T>(rate * root * next / (1 - product * next)) * (v / divisor) -
               static_cast<T>(rate * root * (1 - mu) / (1 - product)) * (g / divisor);
      }
      case lion: {
        const T beta1 = static_cast<T>(settings_.beta1);
        const T direction = std::fma(beta1, v - g, g);
        v = std::fma(static_cast<T>(1 - settings_.beta2), g - v, v);
        return direction == 0 ? p : p - std::copysign(static_cast<T>(rate), direction);
      }
      case sgd:
        return p - static_cast<T>(rate) * g;
      case momentum:
        v = std::fma(static_cast<T>(settings_.momentum), v, g);
        return p - static_cast<T>(rate) * v;
      case nesterov: {
        // mu v' = mu (mu v + g)
        const T mu = static_cast<T>(settings_.momentum);
        const T ahead = mu * v * mu + mu * g + g;
        v = v * mu + g;
        return p - static_cast<T>(rate) * ahead;
      }
      case adagrad:
        v = std::fma(g, g, v);
        return p - static_cast<T>(rate) / root(v) * g;
      case rmsprop:
        v += static_cast<T>(1 - settings_.rho) * (g * g - v);
        return p - static_cast<T>(rate) / root(v) * g;
      case adam:
      case adamw: {
        // The paper's remark after algorithm 1: both corrections in the rate, epsilon scaled along, or the hat as it
        // is.
        v += static_cast<T>(1 - settings_.beta1) * (g - v);
        T& square = second_[i];
        square += static_cast<T>(1 - settings_.beta2) * (g * g - square);
        const double root = std::sqrt(1 - std::pow(settings_.beta2, static_cast<double>(t)));
        const double corrected = rate * root / (1 - std::pow(settings_.beta1, static_cast<double>(t)));
        const bool hat = settings_.epsilon_place == catalogue::EpsilonPlace::hat;
        const double added = hat ? settings_.epsilon : settings_.epsilon * root;
        return p - static_cast<T>(corrected) * v / (std::sqrt(square) + static_cast<T>(added));
      }
    }
    return p;
  }

 private:
  // Of Adagrad and RMSprop.
  T root(T squares) const {
    const T epsilon = static_cast<T>(settings_.epsilon);
    const bool inside = settings_.epsilon_place == catalogue::EpsilonPlace::inside;
    return inside ? std::sqrt(epsilon + squares) : std::sqrt(squares) + epsilon;
  }

  const scenario::Optimizer& settings_;
  std::vector<T> first_;
  std::vector<T> second_;
};

}  // namespace gdbench::verify::testing
