// What the tests of mixed precision train otherwise, and have judged.
#pragma once

#include <cstdint>
#include <limits>

#include "harness/verify/check.h"
#include "harness/verify/reference_trajectory.h"
#include "tests/support/verify/cases.h"
#include "tests/support/verify/other_implementation.h"

namespace gdbench::verify::testing {

// A trajectory of so many steps.
inline ReferenceOptions steps_of(std::int64_t steps) {
  ReferenceOptions options;
  options.steps = steps;
  options.max_steps = steps;
  return options;
}

// Of a fault the parameters alone are judged.
inline Check check_fault(const ReferenceTrajectory& reference, const Case& problem_case, Summation summation,
                         Fault fault) {
  const Outcome outcome = train_otherwise<float>(problem_case, reference.steps, summation, fault);
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  return check(reference, outcome.state, fault == Fault::none ? outcome.loss : unknown);
}

}  // namespace gdbench::verify::testing
