#include "implementations/strategies/common/moment_corrections.h"

#include <algorithm>
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

Rectification::Rectification(double beta2)
    : beta2_(beta2), longest_((1 + static_cast<long double>(beta2)) / (1 - static_cast<long double>(beta2))) {}

double Rectification::at(std::int64_t update) {
  if (update < update_) {
    update_ = 0;
    weight_ = 1;
    weights_ = sum_ = 0;
  }
  // What follows changes no sum.
  while (update_ < update && weight_ > 1e-40L) {
    weights_ += weight_;
    sum_ += static_cast<long double>(++update_) * weight_;
    weight_ *= beta2_;
  }
  const long double length = 2 * sum_ / weights_ - 1;
  if (length <= 5) return 0;
  const auto varies = [](long double of) { return (of - 4) * (of - 2) / of; };
  return static_cast<double>(std::sqrt(varies(length) / varies(longest_)));
}

double learning_rate(const gdbench_optimizer& optimizer, std::int64_t step) {
  return optimizer.learning_rates[std::min(step, optimizer.learning_rate_count - 1)];
}

double AverageShare::at(std::int64_t update) {
  if (optimizer_.learning_rate_count == 1) return 1 / static_cast<double>(update);
  if (update < update_) {
    update_ = 0;
    largest_ = sum_ = 0;
  }
  for (; update_ < update; ++update_) {
    largest_ = std::max(largest_, static_cast<long double>(learning_rate(optimizer_, update_)));
    sum_ += largest_ * largest_;
  }
  return static_cast<double>(largest_ * largest_ / sum_);
}

}  // namespace gdbench::strategies
