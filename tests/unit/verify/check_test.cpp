// What is said of a state, compared with a reference that is made by hand.
#include "harness/verify/check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gdbench::verify {
namespace {

constexpr double kNoLoss = std::numeric_limits<double>::quiet_NaN();

// Two steps that end at the weights 1 2 3 / 4 5 6 and the biases 7 8 9.
ReferenceTrajectory reference_by_hand() {
  ReferenceTrajectory reference;
  reference.steps = 2;
  reference.start.step = 10;
  reference.tensors = {{"w0", 2, 3, {1, 2, 3, 4, 5, 6}, 0.5, {}, 10}, {"b0", 1, 3, {7, 8, 9}, 0.25, {}, 4}};
  reference.final_loss = 0.5;
  reference.loss_tolerance = 0.125;
  return reference;
}

scenario::State exact_state() {
  scenario::State state;
  state.step = 12;
  state.parameters = {{1, 2, 3, 4, 5, 6}, {7, 8, 9}};
  return state;
}

std::string reason(const scenario::State& state, const ReferenceTrajectory& reference = reference_by_hand(),
                   double loss = kNoLoss) {
  const Check result = check(reference, state, loss);
  EXPECT_EQ(result.ok, result.reason.empty());
  return result.reason;
}

TEST(CheckTest, TensorsMayBeOffByTheirTolerance) {
  scenario::State state = exact_state();
  EXPECT_EQ(reason(state), "");
  ReferenceTrajectory reference = reference_by_hand();
  reference.tensors[0].tolerance = 0.625;
  state.parameters[0][1] += 0.375;
  state.parameters[0][5] -= 0.5;
  state.parameters[1][0] += 0.25;
  const Check result = check(reference, state, kNoLoss);
  EXPECT_TRUE(result.ok) << result.reason;
  ASSERT_EQ(result.tensors.size(), 2U);
  EXPECT_EQ(result.tensors[0].name, "w0");
  EXPECT_EQ(result.tensors[0].error, 0.625);
  EXPECT_EQ(result.tensors[0].tolerance, 0.625);
  EXPECT_EQ(result.tensors[0].relative, 0.0625) << "of its scale";
  EXPECT_EQ(result.tensors[1].relative, 0.0625);
}

TEST(CheckTest, WithoutAScaleAnErrorIsAbsolute) {
  ReferenceTrajectory reference = reference_by_hand();
  reference.tensors[1].scale = 0;
  scenario::State state = exact_state();
  state.parameters[1][2] += 0.125;
  EXPECT_EQ(check(reference, state, kNoLoss).tensors[1].relative, 0.125);
}

TEST(CheckTest, TheEntryThatIsFurthestOffIsNamed) {
  scenario::State state = exact_state();
  state.parameters[0][0] -= 0.25;
  state.parameters[0][5] -= 0.75;
  EXPECT_EQ(reason(state),
            "w0[1,2] is 5.25, expected 6; the tensor is off by 7.9e-01, tolerance 5.0e-01, after 2 steps");
  ReferenceTrajectory reference = reference_by_hand();
  reference.steps = 1;
  state.step = 11;
  EXPECT_TRUE(reason(state, reference).ends_with(", after 1 step"));
}

TEST(CheckTest, TheTensorThatExceedsItsToleranceByTheLargestFactorIsNamed) {
  scenario::State state = exact_state();
  state.parameters[0][0] += 1;     // twice its tolerance
  state.parameters[1][2] += 0.75;  // three times
  EXPECT_EQ(reason(state), "b0[2] is 9.75, expected 9; the tensor is off by 7.5e-01, tolerance 2.5e-01, after 2 steps");
  state.parameters[0][0] += 1;  // four times
  EXPECT_EQ(reason(state), "w0[0,0] is 3, expected 1; the tensor is off by 2.0e+00, tolerance 5.0e-01, after 2 steps");
  ReferenceTrajectory reference = reference_by_hand();
  reference.tensors[1].tolerance = 0;
  EXPECT_TRUE(reason(state, reference).starts_with("b0[2] ")) << "nothing was allowed";
}

TEST(CheckTest, OfASampleEveryEntryIsHeldAgainstItsOwnTolerance) {
  ReferenceTrajectory reference = reference_by_hand();
  reference.tensors[0].tolerance = 100;
  reference.tensors[0].entry_tolerances = {0.5F, 0.5F, 0.125F, 0.5F, 0, 0.5F};
  scenario::State state = exact_state();
  state.parameters[0][0] += 0.5;
  EXPECT_EQ(reason(state, reference), "") << "as much as is allowed";
  state.parameters[0][1] -= 1;      // twice its tolerance
  state.parameters[0][2] += 0.375;  // three times
  EXPECT_EQ(
      reason(state, reference),
      "w0[0,2] is 3.375, expected 3, tolerance 1.2e-01; 2 of 6 entries are off by more than theirs, after 2 steps");
  state.parameters[0][4] += 0.25;
  EXPECT_EQ(
      reason(state, reference),
      "w0[1,1] is 5.25, expected 5, tolerance 0.0e+00; 3 of 6 entries are off by more than theirs, after 2 steps");
}

TEST(CheckTest, AnotherFormIsWrong) {
  scenario::State state = exact_state();
  ++state.step;
  EXPECT_EQ(reason(state), "the state's step number is 13, expected 12, after 2 steps");
  state.parameters[1].pop_back();
  EXPECT_EQ(reason(state), "b0 has 2 entries, expected 3");
  state.parameters.pop_back();
  EXPECT_EQ(reason(state), "the state has 1 parameters, expected 2");
}

TEST(CheckTest, CountsWhatIsNotFinite) {
  scenario::State state = exact_state();
  state.parameters[1][1] = std::numeric_limits<double>::infinity();
  state.parameters[1][2] = std::nan("");
  EXPECT_EQ(reason(state), "b0[1] is inf, expected a finite number; 2 of 3 entries are not finite, after 2 steps");
}

TEST(CheckTest, TheScaleOfTheLossIsMetExactly) {
  ReferenceTrajectory reference = reference_by_hand();
  reference.loss_scaling = {1024, 3, 1};
  scenario::State state = exact_state();
  state.loss_scaling = {1024, 3, 1};
  EXPECT_EQ(reason(state, reference), "");
  state.loss_scaling = {512, 3, 1};
  EXPECT_EQ(reason(state, reference), "the scale of the loss is 512, expected 1024, after 2 steps");
  state.loss_scaling = {1024, 2, 1};
  EXPECT_EQ(reason(state, reference), "the number of updates at this scale is 2, expected 3, after 2 steps");
  state.loss_scaling = {1024, 3};
  EXPECT_EQ(reason(state, reference), "the number of skipped steps is nan, expected 1, after 2 steps");
}

TEST(CheckTest, ParametersThatAreBfloat16StaySo) {
  ReferenceTrajectory reference = reference_by_hand();
  scenario::State state = exact_state();
  state.parameters[0][3] = 4.001;  // a bfloat16 has 8 digits
  EXPECT_EQ(reason(state, reference), "");
  reference.bfloat16_parameters = true;
  EXPECT_EQ(reason(state, reference), "w0[1,0] is 4.001, expected a bfloat16, after 2 steps");
}

TEST(CheckTest, TheLossIsHeldAgainstItsTolerance) {
  ReferenceTrajectory reference = reference_by_hand();
  EXPECT_EQ(reason(exact_state(), reference, 0.625), "");
  EXPECT_EQ(reason(exact_state(), reference, 0.75),
            "the loss is 0.75, expected 0.5; it is off by 2.5e-01, tolerance 1.2e-01, after 2 steps");
  EXPECT_EQ(check(reference, exact_state(), 0.75).loss, 0.75);
  reference.evaluated = false;
  EXPECT_EQ(reason(exact_state(), reference, 0.75), "") << "there is none to compare it with";
}

TEST(CheckTest, ADisplacementIsTheNormOfAllThatMoved) {
  scenario::State moved = exact_state();
  EXPECT_EQ(displacement(exact_state(), moved), 0);
  moved.parameters[0][0] += 3;
  moved.parameters[1][2] -= 4;
  EXPECT_EQ(displacement(exact_state(), moved), 5);
  moved.parameters[1].pop_back();
  EXPECT_TRUE(std::isnan(displacement(exact_state(), moved)));
  moved.parameters.pop_back();
  EXPECT_TRUE(std::isnan(displacement(exact_state(), moved)));
}

}  // namespace
}  // namespace gdbench::verify
