#include "tests/support/implementations/plain_optimizer.h"

#include <algorithm>
#include <cmath>

namespace gdbench {

PlainOptimizer::PlainOptimizer(const gdbench_optimizer& optimizer, std::size_t size)
    : optimizer_(optimizer), slots_(2, Values(size)) {
  slots_.resize(catalogue::slot_count(catalogue::kind_of(optimizer)));
}

void PlainOptimizer::update(Values& parameters, const Values& gradients, std::int64_t step) {
  const long double rate = optimizer_.learning_rates[std::min(step, optimizer_.learning_rate_count - 1)];
  const long double decay = optimizer_.weight_decay;
  const bool decoupled =
      optimizer_.kind == GDBENCH_ADAMW || optimizer_.kind == GDBENCH_LION || optimizer_.decoupled_weight_decay != 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    long double gradient = gradients[i];
    if (decoupled) {
      parameters[i] *= 1 - rate * decay;
    } else {
      gradient += decay * parameters[i];
    }
    parameters[i] -= descent(i, gradient, rate, step);
  }
}

long double PlainOptimizer::descent(std::size_t i, long double g, long double rate, std::int64_t step) {
  const long double mu = optimizer_.momentum;
  const long double rho = optimizer_.rho;
  const long double beta1 = optimizer_.beta1;
  const long double beta2 = optimizer_.beta2;
  const auto t = static_cast<long double>(step + 1);
  switch (catalogue::kind_of(optimizer_)) {
    case catalogue::OptimizerKind::momentum:
      slots_[0][i] = mu * slots_[0][i] + g;
      return rate * slots_[0][i];
    case catalogue::OptimizerKind::nesterov:
      slots_[0][i] = mu * slots_[0][i] + g;
      return rate * (g + mu * slots_[0][i]);
    case catalogue::OptimizerKind::adagrad:
      slots_[0][i] += g * g;
      return rate * g / divisor(slots_[0][i], 1);
    case catalogue::OptimizerKind::rmsprop:
      slots_[0][i] = rho * slots_[0][i] + (1 - rho) * g * g;
      return rate * g / divisor(slots_[0][i], 1);
    case catalogue::OptimizerKind::adam:
    case catalogue::OptimizerKind::adamw: {
      slots_[0][i] = beta1 * slots_[0][i] + (1 - beta1) * g;
      slots_[1][i] = beta2 * slots_[1][i] + (1 - beta2) * g * g;
      const long double first = slots_[0][i] / (1 - std::pow(beta1, t));
      return rate * first / divisor(slots_[1][i], 1 - std::pow(beta2, t));
    }
    case catalogue::OptimizerKind::nadam: {
      slots_[0][i] = beta1 * slots_[0][i] + (1 - beta1) * g;
      slots_[1][i] = beta2 * slots_[1][i] + (1 - beta2) * g * g;
      const NadamFactors factors = nadam_factors(optimizer_, step + 1);
      const long double moved = factors.of_moment * slots_[0][i] + factors.of_gradient * g;
      return rate * moved / divisor(slots_[1][i], 1 - std::pow(beta2, t));
    }
    case catalogue::OptimizerKind::lion: {
      const long double direction = beta1 * slots_[0][i] + (1 - beta1) * g;
      slots_[0][i] = beta2 * slots_[0][i] + (1 - beta2) * g;
      return direction == 0 ? 0 : std::copysign(rate, direction);
    }
    case catalogue::OptimizerKind::sgd:
      break;
  }
  return rate * g;
}

long double PlainOptimizer::divisor(long double squares, long double correction) const {
  const long double epsilon = optimizer_.epsilon;
  if (optimizer_.epsilon_place == GDBENCH_EPSILON_HAT) return (std::sqrt(squares) + epsilon) / std::sqrt(correction);
  if (optimizer_.epsilon_place == GDBENCH_EPSILON_INSIDE) return std::sqrt(squares + epsilon);
  return std::sqrt(squares / correction) + epsilon;
}

NadamFactors nadam_factors(const gdbench_optimizer& optimizer, std::int64_t update) {
  long double product = 1;
  long double momentum = 0;
  NadamFactors factors;
  for (std::int64_t t = 1; t <= update + 1; ++t) {
    if (t == update + 1) factors.of_gradient = (1 - momentum) / (1 - product);
    const long double power = std::pow(0.96L, static_cast<long double>(t) * optimizer.momentum_decay);
    momentum = optimizer.beta1 * (1 - power / 2);
    product *= momentum;
  }
  factors.of_moment = momentum / (1 - product);
  return factors;
}

std::vector<OptimizerCase> optimizer_cases() {
  std::vector<OptimizerCase> cases;
  for (const catalogue::OptimizerKind kind : catalogue::all_of<catalogue::OptimizerKind>()) {
    for (const double decay : {0.0, 0.125}) {
      for (const bool decoupled : {false, true}) {
        cases.push_back({kind, decay, decoupled});
      }
    }
  }
  for (const catalogue::OptimizerRow& row : catalogue::kOptimizers) {
    if (row.other_place != catalogue::EpsilonPlace::outside) cases.push_back({row.value, 0, false, row.other_place});
  }
  return cases;
}

gdbench_optimizer optimizer_of(const OptimizerCase& values, const std::vector<double>& learning_rates) {
  gdbench_optimizer optimizer{};
  optimizer.struct_size = sizeof(optimizer);
  optimizer.kind = static_cast<std::int32_t>(values.kind);
  optimizer.decoupled_weight_decay = values.decoupled ? 1 : 0;
  optimizer.momentum = 0.8;
  optimizer.beta1 = 0.9;
  optimizer.beta2 = 0.999;
  optimizer.rho = 0.95;
  optimizer.epsilon = 1e-3;
  optimizer.epsilon_place = static_cast<std::int32_t>(values.epsilon_place);
  optimizer.momentum_decay = 0.5;
  optimizer.weight_decay = values.weight_decay;
  optimizer.learning_rates = learning_rates.data();
  optimizer.learning_rate_count = static_cast<std::int64_t>(learning_rates.size());
  return optimizer;
}

}  // namespace gdbench
