// What verification makes of parameters that every update rounds to bfloat16: right results in any order of summation
// are within the tolerance, what rounds them otherwise is found in one step.
#include "harness/verify/parameter_rounding.h"

#include <gtest/gtest.h>

#include <map>

#include "harness/verify/narrow.h"
#include "tests/support/few_cases.h"
#include "tests/unit/verify/judged.h"

namespace gdbench::verify {
namespace {

using catalogue::kBfloat16;
using catalogue::ParameterRounding;
using scenario::Activation;
using scenario::Dtype;
using scenario::Loss;
using testing::Case;
using testing::check_fault;
using testing::describe;
using testing::Fault;
using testing::kSummations;
using testing::steps_of;
using testing::Summation;

TEST(CutOffTest, AddsTheOffsetToTheMagnitude) {
  EXPECT_EQ(cut_off(1.0F + 0x1p-9F, kBfloat16, 0.0F), 1.0F);
  EXPECT_EQ(cut_off(1.0F + 0x1p-9F, kBfloat16, 0.75F), 1.0F + 0x1p-7F);  // a quarter of the way: 3/4 are enough
  EXPECT_EQ(cut_off(1.0F + 0x1p-9F, kBfloat16, 0.75F - 0x1p-16F), 1.0F);
  EXPECT_EQ(cut_off(-1.0 - 0x1p-9, kBfloat16, 0.75), -1.0 - 0x1p-7);
  EXPECT_EQ(cut_off(0x1.ffp0, kBfloat16, 0.5), 2.0);
  EXPECT_EQ(cut_off(0x1.02p0, kBfloat16, 1 - 0x1p-16), 0x1.02p0);  // a bfloat16 stays what it is
  EXPECT_EQ(distance_to_middle(1.0 + 0x1p-9, kBfloat16, 0.75), 0.0);
  EXPECT_EQ(distance_to_middle(-1.0 - 0x1p-9, kBfloat16, 0.5), 0x1p-9);
  EXPECT_EQ(square_undecided(1.0 + 0x1p-9, 0x1p-20, kBfloat16, 0.75), 0x1p-14);
  EXPECT_EQ(square_undecided(1.0 + 0x1p-9, 0x1p-20, kBfloat16, 0.5), 0.0);
}

Result<ReferenceTrajectory> reference_of(const Case& problem_case, std::int64_t steps) {
  auto reference =
      make_reference_trajectory(problem_case.problem, problem_case.dataset, problem_case.start, steps_of(steps));
  if (!reference.ok() || steps > 1) return reference;
  return make_single_step(*reference, problem_case.problem, problem_case.dataset);
}

class ParameterRoundingTest : public ::testing::TestWithParam<ParameterRounding> {
 protected:
  // What is wrong where the problem's rounding is this one.
  static std::vector<Fault> faults() {
    if (GetParam() == ParameterRounding::nearest) return {Fault::unrounded_parameters, Fault::stochastic_parameters};
    return {Fault::unrounded_parameters, Fault::nearest_parameters, Fault::other_stream};
  }

  // How many of the random cases are judged, and in how many of those each fault is found; right results are accepted.
  struct Tally {
    int judged = 0;
    std::map<Fault, int> found;
  };
  static Tally tally(Case (*make)(std::uint64_t seed, Dtype dtype), std::int64_t steps) {
    Tally result;
    for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
      Case problem_case = make(seed * 1000, Dtype::bf16);
      problem_case.problem.parameter_rounding = GetParam();
      problem_case.problem.rounding_seed = seed;
      const auto reference = reference_of(problem_case, steps);
      if (!reference.ok()) continue;  // unfit to be judged
      ++result.judged;
      problem_case.start = reference->start;
      for (const Summation summation : kSummations) {
        const Check right = check_fault(*reference, problem_case, summation, Fault::none);
        EXPECT_TRUE(right.ok) << "seed " << seed << ": " << describe(problem_case.problem) << ", summation "
                              << static_cast<int>(summation) << ": " << right.reason;
      }
      for (const Fault fault : faults()) {
        result.found[fault] += check_fault(*reference, problem_case, Summation::blocked, fault).ok ? 0 : 1;
      }
    }
    RecordProperty("judged", result.judged);
    for (const auto& [fault, found] : result.found) RecordProperty(::testing::PrintToString(fault), found);
    return result;
  }

  static constexpr std::uint64_t kCases = 300;
};
INSTANTIATE_TEST_SUITE_P(Roundings, ParameterRoundingTest,
                         ::testing::Values(ParameterRounding::nearest, ParameterRounding::stochastic),
                         [](const auto& rounding) {
                           return std::string(rounding.param == ParameterRounding::nearest ? "nearest" : "stochastic");
                         });

// An entry is undecided exactly where an error of that size, up or down, makes it another number.
TEST_P(ParameterRoundingTest, KnowsWhichEntriesAnErrorRoundsOtherwise) {
  constexpr double kError = 1e-3;  // an eighth of a spacing
  scenario::Problem problem =
      testing::make_problem({1, 1}, Activation::identity, false, Loss::mse, 1, 1, Dtype::bf16, 0.1);
  problem.parameter_rounding = GetParam();
  testing::Random random(3);
  ReferenceState<double> state{5, {}, {}};
  for (int p = 0; p < 400; ++p) state.parameters.push_back({random.uniform(1.1, 1.9)});
  const auto rounded_with = [&](double error) {
    ReferenceState<double> moved = state;
    for (std::vector<double>& parameter : moved.parameters) parameter[0] += error;
    round_parameters(problem, moved);
    return moved;
  };
  const auto norms =
      undecided_parameters<double>(problem, rounded_with(0), [](std::size_t, std::size_t) { return kError; });
  const auto below = rounded_with(-kError).parameters;
  const auto above = rounded_with(kError).parameters;
  ASSERT_EQ(norms.size(), 400U);
  int undecided = 0;
  for (std::size_t p = 0; p < norms.size(); ++p) {
    EXPECT_EQ(norms[p], below[p] == above[p] ? 0 : 0x1p-7) << p;
    undecided += norms[p] > 0 ? 1 : 0;
  }
  EXPECT_NEAR(undecided, 100, 40) << "of a quarter of a spacing";
}

TEST_P(ParameterRoundingTest, OneStepTellsHowParametersAreRounded) {
  if (kFewCases) GTEST_SKIP() << "hundreds of networks";
  for (const auto make : {testing::random_case, testing::random_optimizer_case}) {
    const Tally one = tally(make, 1);
    EXPECT_GT(one.judged, 280);
    for (const auto& [fault, found] : one.found) EXPECT_EQ(found, one.judged) << ::testing::PrintToString(fault);
  }
}

TEST_P(ParameterRoundingTest, AcceptsRightResultsOfManySteps) {
  if (kFewCases) GTEST_SKIP() << "hundreds of networks";
  const Tally sgd = tally(testing::random_case, 6);
  const Tally others = tally(testing::random_optimizer_case, 6);
  EXPECT_EQ(sgd.found.at(Fault::unrounded_parameters), sgd.judged);
  EXPECT_EQ(others.found.at(Fault::unrounded_parameters), others.judged);
}

TEST_P(ParameterRoundingTest, JudgesLargeNetworksToo) {
  if (kFewCases) GTEST_SKIP() << "large networks";
  const scenario::Problem problems[] = {
      testing::make_problem({784, 128, 10}, Activation::relu, true, Loss::softmax_cross_entropy, 64, 64, Dtype::bf16,
                            0.1),
      testing::make_problem({64, 64, 64, 64, 64, 8}, Activation::tanh, true, Loss::mse, 128, 128, Dtype::bf16, 0.1),
      testing::make_problem({10, 50, 1}, Activation::relu, true, Loss::mse, 1000, 1000, Dtype::bf16, 0.05),
      testing::make_problem({32, 1}, Activation::identity, true, Loss::mse, 300, 300, Dtype::bf16, 0.1),
  };
  for (scenario::Problem problem : problems) {
    problem.parameter_rounding = GetParam();
    const Case problem_case = testing::make_case(problem, 5);
    for (const std::int64_t steps : {1, 5}) {
      const auto reference = reference_of(problem_case, steps);
      ASSERT_TRUE(reference.ok()) << describe(problem) << ": " << reference.error().message;
      for (const Summation summation : {Summation::forward, Summation::pairwise}) {
        const Check right = check_fault(*reference, problem_case, summation, Fault::none);
        EXPECT_TRUE(right.ok) << describe(problem) << ": " << right.reason;
      }
      for (const Fault fault : faults()) {
        if (steps > 1 && fault != Fault::unrounded_parameters) continue;
        EXPECT_FALSE(check_fault(*reference, problem_case, Summation::blocked, fault).ok)
            << describe(problem) << ": " << ::testing::PrintToString(fault);
      }
    }
  }
}

// Where no gradient flows and the start has bfloat16 parameters, however they are rounded changes nothing.
TEST_P(ParameterRoundingTest, DoesNotJudgeWhatMovesTooLittle) {
  Case problem_case = testing::make_case(
      testing::make_problem({2, 2}, Activation::identity, false, Loss::mse, 4, 4, Dtype::bf16, 0x1p-40), 1);
  problem_case.problem.parameter_rounding = GetParam();
  problem_case.start.parameters = {{0.5, 0.25, -1, 0.75}};
  const auto reference = reference_of(problem_case, 1);
  ASSERT_FALSE(reference.ok());
  EXPECT_EQ(reference.error().message,
            "one step ends within the tolerance of one that rounds parameters otherwise, so a wrong result could not "
            "be told from a right one");
}

}  // namespace
}  // namespace gdbench::verify
