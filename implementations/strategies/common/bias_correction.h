// 1 - beta^t, by which Adam corrects a moment at update number t (torch.optim.Adam), for updates that mostly follow
// each other.
//
// c_t = 1 - beta^t is (1 - beta) + beta c_(t-1): a multiplication and an addition of positive terms, so that a step's
// rounding stays one of c_t, whereas 1 - std::pow(beta, t) loses all but a few digits while beta^t is close to 1. Every
// kPeriod updates c_t is computed anew from beta, in long double. The result is the same whatever was asked for before.
#pragma once

#include <cstdint>

namespace gdbench::strategies {

class BiasCorrection {
 public:
  explicit BiasCorrection(double beta) : beta_(beta), rest_(1 - beta) {}

  // For t from 1 on.
  double at(std::int64_t update) {
    if (update != update_ + 1 || update % kPeriod == 0) restart(update / kPeriod * kPeriod);
    while (update_ < update) {
      value_ = rest_ + beta_ * value_;
      ++update_;
    }
    return value_;
  }

 private:
  static constexpr std::int64_t kPeriod = 16;
  void restart(std::int64_t update);

  double beta_;
  double rest_;  // 1 - beta, exact for beta from 1/2 on
  std::int64_t update_ = 0;
  double value_ = 0;  // at update_
};

}  // namespace gdbench::strategies
