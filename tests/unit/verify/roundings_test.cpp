// What verification makes of roundings that a scenario declares, of operands by a mixed dtype and of parameters by
// every update: right results in any order of summation are within the tolerance, what is rounded otherwise is found in
// one step.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "harness/verify/narrow.h"
#include "harness/verify/parameter_rounding.h"
#include "harness/verify/reference.h"
#include "tests/support/few_cases.h"
#include "tests/unit/verify/judged.h"

namespace gdbench::verify {
namespace {

using catalogue::kBfloat16, catalogue::kBinary16, catalogue::ParameterRounding;
using scenario::Activation, scenario::Dtype, scenario::Loss, testing::Case, testing::Fault, testing::finds;
using testing::judged, testing::make_case, testing::make_problem, testing::reference_of, testing::steps_of;
using testing::Summation, testing::Tally;

TEST(NarrowTest, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(narrowed(1.0F + 0x1p-7F, kBfloat16), 1.0F + 0x1p-7F);
  EXPECT_EQ(narrowed(1.0F + 0x1p-8F, kBfloat16), 1.0F);            // the middle: 1.0 ends in 0
  EXPECT_EQ(narrowed(1.0F + 0x3p-8F, kBfloat16), 1.0F + 0x1p-6F);  // likewise above
  EXPECT_EQ(narrowed(-1.0F - 0x1.02p-8F, kBfloat16), -1.0F - 0x1p-7F);
  EXPECT_EQ(narrowed(0x1.ffp0, kBfloat16), 2.0);
  EXPECT_EQ(narrowed(0.0, kBfloat16), 0.0);
  EXPECT_EQ(narrowed(1.0F + 0x1p-11F, kBinary16), 1.0F);
  EXPECT_EQ(narrowed(65519.0, kBinary16), 65504.0);
  EXPECT_EQ(narrowed(-65520.0, kBinary16), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(narrowed(0x1.8p-24, kBinary16), 0x1p-23);  // subnormal numbers lie 2^-24 apart
  EXPECT_EQ(narrowed(0x1p-25, kBinary16), 0.0);
  EXPECT_TRUE(std::isnan(narrowed(std::nan(""), kBfloat16)));
}

const std::vector<Fault> kFaults = {Fault::wide_operands, Fault::cut_operands, Fault::narrow_sums,
                                    Fault::narrow_parameters, Fault::doubled_loss_gradient};

class MixedPrecisionTest : public ::testing::TestWithParam<Dtype> {
 protected:
  // Scales from 1 to 2^23, of which the largest overflow, that double soon.
  static Tally tally(testing::MakeCase make, std::int64_t steps, bool rounds_results = false) {
    return testing::tally(make, GetParam(), steps, kFaults, [&](std::uint64_t seed, Case& changed) {
      changed.problem.rounds_results = rounds_results;
      if (!catalogue::scales_loss(GetParam())) return;
      changed.problem.loss_scaling = {std::ldexp(1.0, static_cast<int>(seed % 24)),
                                      1 + static_cast<std::int64_t>(seed % 3)};
      changed.start.loss_scaling = {changed.problem.loss_scaling.initial, 0, 0};
    });
  }
};
INSTANTIATE_TEST_SUITE_P(Dtypes, MixedPrecisionTest, ::testing::Values(Dtype::bf16, Dtype::f16),
                         [](const auto& dtype) { return std::string(name_of(dtype.param)); });

// Binary16 has three bits more, so that small learning rates leave less to be judged. All kinds of optimizers but lion,
// whose updates are signs.
TEST_P(MixedPrecisionTest, OneStepTellsWhatIsRoundedOtherwise) {
  if (kFewCases) GTEST_SKIP() << "hundreds of networks";
  for (const auto make : {testing::random_case, testing::random_optimizer_case}) {
    const Tally one = tally(make, 1);
    const int with_optimizers = make == testing::random_case ? 0 : 50;
    EXPECT_GT(one.judged, (GetParam() == Dtype::f16 ? 240 : 290) - with_optimizers);
    EXPECT_LT(one.largest_share, 0.5);
    EXPECT_EQ(one.refused, std::vector<std::string>());
    for (const auto& [fault, found] : one.found) EXPECT_GE(found, one.judged * 49 / 50) << static_cast<int>(fault);
    const Tally several = tally(make, 6);
    EXPECT_LT(several.largest_share, 0.5);
    // Of some thousand cases one has a number, rounded to binary16 after some steps, that is further off than estimated
    // and so near to a middle that another order of summation decides it.
    EXPECT_LE(several.refused.size(), GetParam() == Dtype::f16 ? 1U : 0U);
    EXPECT_EQ(several.skipped > 0, GetParam() == Dtype::f16);
  }
}

// Frameworks round results as well, each in its own way. That is allowed for; f32 passed off as bf16 is then found by
// the step in f32, to whose tolerance it is right.
TEST_P(MixedPrecisionTest, AllowsForRoundedResultsWhereTheyAreDeclared) {
  if (kFewCases) GTEST_SKIP() << "hundreds of networks";
  const Tally one = tally(testing::random_case, 1, true);
  EXPECT_GT(one.judged, 250);
  EXPECT_LT(one.largest_share, 0.5);
  EXPECT_EQ(one.refused, std::vector<std::string>());
  EXPECT_GT(one.found.at(Fault::doubled_loss_gradient), one.judged * 9 / 10);
  const Tally several = tally(testing::random_optimizer_case, 6, true);
  EXPECT_LT(several.largest_share, 0.5);
  EXPECT_EQ(several.refused, std::vector<std::string>());
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Case problem_case = testing::random_case(seed * 1000, GetParam());
    const auto uniform = make_reference_trajectory(uniform_of(problem_case.problem), problem_case.dataset,
                                                   problem_case.start, steps_of(1));
    problem_case.start = uniform.value().start;
    problem_case.problem.rounds_results = true;
    found += judged(*uniform, problem_case).ok ? 0 : 1;
    EXPECT_FALSE(finds(*uniform, problem_case, Fault::wide_operands)) << seed;
  }
  // The others end within what adding each row's term to a parameter comes to in float.
  EXPECT_GT(found, 90);
}

// So does the gradient of a bias that TensorFlow's kernel adds up in the format of operands. Of many rows that is far
// off, and wrong where it is not declared; what else is wrong with the biases is found all the same.
TEST_P(MixedPrecisionTest, AllowsForNarrowSumsOfBiasesWhereResultsAreRounded) {
  if (kFewCases) GTEST_SKIP() << "hundreds of networks";
  for (const std::int64_t rows : {8, 128, 256, 2048}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(::testing::Message() << rows << " rows, seed " << seed);
      scenario::Problem problem =
          make_problem({16, 32, 10}, Activation::relu, true, Loss::softmax_cross_entropy, rows, rows, GetParam(), 0.1);
      problem.loss_scaling.initial = 1024;  // by which none of them overflows
      problem.rounds_results = true;
      Case problem_case = make_case(problem, seed);
      const auto declared = reference_of(problem_case, steps_of(1));
      for (const Summation summation : {Summation::forward, Summation::reversed}) {
        if (rows > 256) break;  // some are off by more than half of the gradient: wrong, declared or not
        const Check result = judged(*declared, problem_case, summation, Fault::narrow_bias_sums);
        EXPECT_TRUE(result.ok) << result.reason;
      }
      EXPECT_TRUE(finds(*declared, problem_case, Fault::frozen_bias));
      EXPECT_TRUE(finds(*declared, problem_case, Fault::doubled_loss_gradient));
      if (rows == 8) continue;  // whose errors are no larger than those of other roundings
      problem_case.problem.rounds_results = false;
      const auto undeclared = reference_of(problem_case, steps_of(1));
      EXPECT_FALSE(judged(*undeclared, problem_case, Summation::forward, Fault::narrow_bias_sums).ok);
    }
  }
}

TEST_P(MixedPrecisionTest, JudgesLargeNetworksToo) {
  if (kFewCases) GTEST_SKIP() << "large networks";
  testing::expect_large_networks_judged(GetParam(), ParameterRounding::none, kFaults, {});
}

// Gradients of a mean over many rows lie below the least normal number of binary16 unless the loss is scaled.
TEST(LossScalingTest, TellsWhetherTheLossIsScaled) {
  scenario::Problem problem =
      make_problem({10, 20, 1}, Activation::relu, true, Loss::half_mse, 5000, 5000, Dtype::f16, 0.5);
  const Case scaled = make_case(problem, 3);
  problem.loss_scaling.initial = 1;
  const Case unscaled = make_case(problem, 3);
  for (const Case* problem_case : {&scaled, &unscaled}) {
    const auto reference = reference_of(*problem_case, steps_of(1));
    ASSERT_TRUE(reference.ok()) << reference.error().message;
    EXPECT_TRUE(judged(*reference, *problem_case).ok);
    EXPECT_EQ(finds(*reference, *problem_case, Fault::unscaled_loss), problem_case == &scaled);
  }
}

// What subnormal results lose weighs less, the more the loss was multiplied by before they were rounded.
TEST(LossScalingTest, ScaledResultsLoseLess) {
  scenario::Problem problem = make_problem({2, 1}, Activation::identity, true, Loss::half_mse, 4, 4, Dtype::f16, 0.5);
  problem.rounds_results = true;
  const auto dataset = testing::make_dataset(problem, {1, 2, -1, 1, 2, 1, 1, -2}, {1e-6, 2e-6, 1e-6, 3e-6}, {});
  const auto rounding_at = [&](double loss_scale) {
    ReferenceState<double> state{0, {{0, 0}, {0}}, {}};
    state.loss_scale = loss_scale;
    return gradients(problem, dataset, state).rounding;
  };
  const std::vector<RoundingError> unscaled = rounding_at(1);
  const std::vector<RoundingError> scaled = rounding_at(1024);
  for (std::size_t p = 0; p < unscaled.size(); ++p) EXPECT_LT(scaled[p].total(), unscaled[p].total() / 2) << p;
}

TEST(LossScalingTest, OtherDtypesHaveNoScale) {
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16}) {
    scenario::Problem problem = make_problem({2, 1}, Activation::identity, true, Loss::half_mse, 4, 4, dtype, 0.1);
    problem.loss_scaling.growth_interval = 1;
    const Case problem_case = make_case(problem, 1);
    auto state = to_reference<double>(problem_case.start);
    train(problem, problem_case.dataset, state, 3);
    EXPECT_EQ(state.loss_scale, 1) << name_of(dtype);
    EXPECT_EQ(state.updates_at_scale, 0) << name_of(dtype);
  }
}

TEST(LossScalingTest, SkipsAndGrowsByItsRule) {
  scenario::Problem problem = make_problem({6, 8, 2}, Activation::tanh, true, Loss::mse, 32, 8, Dtype::f16, 0.05);
  problem.optimizer.kind = catalogue::OptimizerKind::adam;
  problem.loss_scaling = {0x1p24, 3};
  const Case problem_case = make_case(problem, 9);
  const auto reference = reference_of(problem_case, steps_of(24));
  ASSERT_TRUE(reference.ok()) << reference.error().message;
  EXPECT_GT(reference->loss_scaling[2], 5);
  testing::share_of_right_results(*reference, problem_case);
  EXPECT_TRUE(finds(*reference, problem_case, Fault::constant_scale));
  EXPECT_TRUE(finds(*reference, problem_case, Fault::updates_on_overflow));
}

TEST(LossScalingTest, DoesNotJudgeWhatRoundingDecides) {
  scenario::Problem problem = make_problem({1, 1}, Activation::identity, false, Loss::half_mse, 1, 1, Dtype::f16, 0.5);
  Case problem_case = make_case(problem, 1);
  problem_case.dataset = testing::make_dataset(problem, {1}, {0}, {});
  problem_case.start.parameters = {{65520.0 / 65536}};
  const auto reference = reference_of(problem_case, steps_of(1));
  ASSERT_FALSE(reference.ok());
  EXPECT_EQ(reference.error().message, "step 0 comes so near to overflow that rounding decides whether it is skipped");
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
