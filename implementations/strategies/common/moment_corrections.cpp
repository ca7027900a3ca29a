#include "implementations/strategies/common/moment_corrections.h"

#include <cmath>

namespace gdbench::strategies {

// 1 - exp(t log(beta)) without the cancellation.
void BiasCorrection::restart(std::int64_t update) {
  const long double logarithm = std::log1p(static_cast<long double>(beta_) - 1);
  update_ = update;
  value_ = update == 0 ? 0 : static_cast<double>(-std::expm1(static_cast<long double>(update) * logarithm));
}

MomentumSchedule::MomentumSchedule(double beta1, double decay)
    : beta1_(beta1), ratio_(std::pow(0.96L, static_cast<long double>(decay))) {}

MomentumSchedule::Factors MomentumSchedule::at(std::int64_t update) {
  const auto momentum = [&](long double power) { return beta1_ * (1 - power / 2); };
  if (update < update_) {
    update_ = 0;
    power_ = 1;
    product_ = 1;
  }
  for (; update_ < update; ++update_) product_ *= momentum(power_ *= ratio_);
  const long double next = momentum(power_ * ratio_);
  return {static_cast<double>(next / (1 - product_ * next)),
          static_cast<double>((1 - momentum(power_)) / (1 - product_))};
}

}  // namespace gdbench::strategies
