// What verification makes of parameters that every update rounds to bfloat16: right results in any order of summation
// are within the tolerance, what rounds them otherwise is found in one step.
#include "harness/verify/parameter_rounding.h"

#include <gtest/gtest.h>

#include "harness/verify/narrow.h"
#include "tests/support/few_cases.h"
#include "tests/unit/verify/judged.h"

namespace gdbench::verify {
namespace {

using catalogue::kBfloat16, catalogue::ParameterRounding, scenario::Activation, scenario::Dtype, scenario::Loss;
using testing::Case, testing::Fault, testing::Tally;

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

// Output number `number` of a SplitMix64.
std::uint64_t split_mix_64_at(std::uint64_t seed, std::uint64_t number) {
  std::uint64_t z = seed + (number + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
  z = (z ^ z >> 27) * 0x94d049bb133111ebU;
  return z ^ z >> 31;
}

// The numbers are those of the step's SplitMix64, whose seed is that of the problem's.
TEST(RoundParametersTest, TakesOneNumberOfTheStepsStreamAfterTheOther) {
  scenario::Problem problem =
      testing::make_problem({2, 2}, Activation::identity, true, Loss::mse, 1, 1, Dtype::bf16, 0.1);
  problem.parameter_rounding = ParameterRounding::stochastic;
  problem.rounding_seed = 11;
  ReferenceState<float> state{8, {{1.003F, -1.004F, 0.3F, 7.7F}, {1.001F, 1.002F}}, {}};
  const std::vector<std::vector<float>> before = state.parameters;
  round_parameters(problem, state);
  EXPECT_EQ(state.unrounded, before);
  const std::uint64_t seed = split_mix_64_at(11, 7);
  std::uint64_t number = 0;
  for (std::size_t p = 0; p < before.size(); ++p) {
    for (std::size_t i = 0; i < before[p].size(); ++i) {
      const auto carry = static_cast<std::uint32_t>(split_mix_64_at(seed, number++) >> 48);
      const std::uint32_t bits = (std::bit_cast<std::uint32_t>(before[p][i]) + carry) & 0xffff0000U;
      EXPECT_EQ(state.parameters[p][i], std::bit_cast<float>(bits)) << p << ", " << i;
    }
  }
}

class ParameterRoundingTest : public ::testing::TestWithParam<ParameterRounding> {
 protected:
  // What is wrong where the problem's rounding is this one.
  static std::vector<Fault> faults() {
    if (GetParam() == ParameterRounding::nearest) return {Fault::unrounded_parameters, Fault::stochastic_parameters};
    return {Fault::unrounded_parameters, Fault::nearest_parameters, Fault::other_stream};
  }
  static Tally tally(testing::MakeCase make, std::int64_t steps) {
    return testing::tally(make, Dtype::bf16, steps, faults(), [](std::uint64_t seed, Case& changed) {
      changed.problem.parameter_rounding = GetParam();
      changed.problem.rounding_seed = seed;
    });
  }
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
    EXPECT_EQ(one.refused, std::vector<std::string>());
    for (const auto& [fault, found] : one.found) EXPECT_EQ(found, one.judged) << static_cast<int>(fault);
    const Tally several = tally(make, 6);
    EXPECT_EQ(several.refused, std::vector<std::string>());
    EXPECT_EQ(several.found.at(Fault::unrounded_parameters), several.judged);
  }
}

TEST_P(ParameterRoundingTest, JudgesLargeNetworksToo) {
  if (kFewCases) GTEST_SKIP() << "large networks";
  testing::expect_large_networks_judged(Dtype::bf16, GetParam(), faults(), {Fault::unrounded_parameters});
}

// Where no gradient flows and the start has bfloat16 parameters, however they are rounded changes nothing.
TEST_P(ParameterRoundingTest, DoesNotJudgeWhatMovesTooLittle) {
  Case problem_case = testing::make_case(
      testing::make_problem({2, 2}, Activation::identity, false, Loss::mse, 4, 4, Dtype::bf16, 0x1p-40), 1);
  problem_case.problem.parameter_rounding = GetParam();
  problem_case.start.parameters = {{0.5, 0.25, -1, 0.75}};
  const auto whole = testing::reference_of(problem_case, testing::steps_of(1));
  const auto step = make_single_step(whole.value(), problem_case.problem, problem_case.dataset);
  ASSERT_FALSE(step.ok());
  EXPECT_EQ(step.error().message,
            "one step ends within the tolerance of one that rounds parameters otherwise, so a wrong result could not "
            "be distinguished from a right one");
}

}  // namespace
}  // namespace gdbench::verify
