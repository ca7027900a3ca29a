#include <gtest/gtest.h>

#include <cmath>

#include "harness/verify/reference.h"
#include "harness/verify/update.h"

namespace gdbench::verify {
namespace {

using scenario::OptimizerKind;

// An entry that starts at 0, after `steps_before` gradients of 0 and the last one.
ReferenceState<double> state_after(const scenario::Optimizer& optimizer, int steps_before, double last) {
  ReferenceState<double> state{0, {{0.0}}, {}};
  for (int step = 0; step < steps_before; ++step) update(optimizer, {{0.0}}, state);
  update(optimizer, {{last}}, state);
  return state;
}

// The terms of a sum that cancel leave a gradient whose sign rounding decides: rules that divide by a root of squared
// gradients, or take a sign, then move an entry as far as they ever do, to either side.
TEST(UpdateErrorTest, BoundsWhatAGradientOfTheOtherSignDoes) {
  constexpr double kGradient = 1e-4;
  for (const OptimizerKind kind : catalogue::all_of<OptimizerKind>()) {
    const scenario::Optimizer optimizer{.kind = kind, .learning_rates = {0.5}};
    for (const int steps_before : {0, 3}) {
      const ReferenceState<double> up = state_after(optimizer, steps_before, kGradient);
      const ReferenceState<double> down = state_after(optimizer, steps_before, -kGradient);
      const double distance = std::abs(up.parameters[0][0] - down.parameters[0][0]);
      const double bound = update_errors(optimizer, up, {2 * kGradient}, 0).front();
      EXPECT_GE(bound, distance * (1 - 1e-12)) << catalogue::name_of(kind) << " after " << steps_before;
      // A first gradient moves it as far as any.
      EXPECT_LE(bound, distance * (steps_before == 0 ? 1.001 : 3)) << catalogue::name_of(kind);
      EXPECT_EQ(update_errors(optimizer, up, {0.0}, 0).front(), 0) << "an exact gradient";
    }
  }
}

}  // namespace
}  // namespace gdbench::verify
