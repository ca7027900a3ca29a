// Nadam's momentum mu_t = beta1 (1 - 0.96^(t psi) / 2) of update t, counted from 1, and the product of mu_1 to mu_t
// (torch.optim.NAdam, psi its momentum_decay), for updates that mostly follow each other. In long double, whose
// rounding errors do not add up to one of a double; the result is the same whatever was asked for before.
#pragma once

#include <cstdint>

namespace gdbench::strategies {

class MomentumSchedule {
 public:
  MomentumSchedule(double beta1, double decay);

  struct Factors {
    double of_moment = 0;    // mu_(t+1) / (1 - product up to t + 1)
    double of_gradient = 0;  // (1 - mu_t) / (1 - product up to t)
  };
  // For t from 1 on.
  Factors at(std::int64_t update);

 private:
  long double beta1_;
  long double ratio_;  // 0.96^psi
  std::int64_t update_ = 0;
  long double power_ = 1;  // of the ratio, at update_
  long double product_ = 1;
};

}  // namespace gdbench::strategies
