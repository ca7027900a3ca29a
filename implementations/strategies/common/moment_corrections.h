// What updates that correct their moments compute once a step. All classes are for updates that mostly follow each
// other; what they say does not depend on what was asked for before.
#pragma once

#include <cstdint>

#include "gdbench/plugin.h"

namespace gdbench::strategies {

// 1 - beta^t, by which Adam corrects a moment at update number t (torch.optim.Adam).
//
// c_t = 1 - beta^t is (1 - beta) + beta c_(t-1): a multiplication and an addition of positive terms, so that a step's
// rounding stays one of c_t, whereas 1 - std::pow(beta, t) loses all but a few digits while beta^t is close to 1. Every
// kPeriod updates c_t is computed anew from beta, in long double.
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

// Nadam's momentum mu_t = beta1 (1 - 0.96^(t psi) / 2) of update t, counted from 1, and the product of mu_1 to mu_t
// (torch.optim.NAdam, psi its momentum_decay). In long double, whose rounding errors do not add up to one of a double.
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

// RAdam's r_t of update t, counted from 1 (torch.optim.RAdam), by which it rectifies a quotient of moments.
//
// The length of the mean of squares, rho_t, is twice the mean of 1 to t with the weights 1, beta2, beta2^2 ..., less 1:
// its two sums have positive terms alone, where torch's form takes nearly equal numbers off each other.
class Rectification {
 public:
  explicit Rectification(double beta2);

  // For t from 1 on; 0 where rho_t is at most 5, and the update divides by nothing.
  double at(std::int64_t update);

 private:
  long double beta2_;
  long double longest_;  // what rho_t tends to
  std::int64_t update_ = 0;
  long double weight_ = 1;  // beta2^update_
  long double weights_ = 0;
  long double sum_ = 0;  // of numbers by their weights
};

// Of step `step`, counted from 0.
double learning_rate(const gdbench_optimizer& optimizer, std::int64_t step);

// The share of what is new in the average of schedule_free_sgd (plugin.h): of update t, counted from 1, the square of
// the largest rate so far over the sum of these squares. Rates are those of the optimizer, which outlives this.
class AverageShare {
 public:
  explicit AverageShare(const gdbench_optimizer& optimizer) : optimizer_(optimizer) {}

  // For t from 1 on.
  double at(std::int64_t update);

 private:
  const gdbench_optimizer& optimizer_;
  std::int64_t update_ = 0;
  long double largest_ = 0;
  long double sum_ = 0;
};

}  // namespace gdbench::strategies
