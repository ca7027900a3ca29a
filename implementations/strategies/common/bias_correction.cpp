#include "implementations/strategies/common/bias_correction.h"

#include <cmath>

namespace gdbench::strategies {

// 1 - exp(t log(beta)) without the cancellation.
void BiasCorrection::restart(std::int64_t update) {
  const long double logarithm = std::log1p(static_cast<long double>(beta_) - 1);
  update_ = update;
  value_ = update == 0 ? 0 : static_cast<double>(-std::expm1(static_cast<long double>(update) * logarithm));
}

}  // namespace gdbench::strategies
