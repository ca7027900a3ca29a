// Compares an implementation's result with the reference's.
#pragma once

#include <string>
#include <vector>

#include "harness/scenario/problem.h"
#include "harness/verify/reference_trajectory.h"

namespace gdbench::verify {

struct TensorCheck {
  std::string name;
  double error = 0;  // 2-norm of the difference
  double tolerance = 0;
  double relative = 0;  // error / scale
};

struct Check {
  bool ok = false;
  std::string reason;  // what, where, by how much; empty when ok
  std::vector<TensorCheck> tensors;
  double loss = 0;  // as the implementation evaluates it; NaN where it cannot
};

// `loss` is the implementation's own evaluate() after the last step, or NaN where it has none.
Check check(const ReferenceTrajectory& reference, const scenario::State& actual, double loss);

// 2-norm over all parameters of (b - a): how far a block of steps moved. Used to see that a timed block did its work.
// NaN where the two states differ in shape.
double displacement(const scenario::State& a, const scenario::State& b);

}  // namespace gdbench::verify
