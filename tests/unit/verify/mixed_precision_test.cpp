// What verification makes of a mixed dtype: right results in any order of summation are far within the tolerance, what
// is rounded otherwise is found in one step.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "harness/verify/narrow.h"
#include "harness/verify/reference.h"
#include "tests/support/few_cases.h"
#include "tests/unit/verify/judged.h"

namespace gdbench::verify {
namespace {

using scenario::Activation, scenario::Dtype, scenario::Loss, testing::Case, testing::Fault, testing::finds;
using testing::judged, testing::make_case, testing::make_problem, testing::reference_of, testing::steps_of;
using testing::Summation, testing::Tally;

using catalogue::kBfloat16;
using catalogue::kBinary16;

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

TEST(NarrowTest, KnowsWhatIsUndecided) {
  Middles middles;
  middles.add(std::vector<double>{1 + 0x1p-8 + 0x1p-20, 4 + 0x1p-6 - 0x1p-12, 1.0, 0.0}, kBfloat16);
  EXPECT_EQ(middles.undecided(0), 0);
  EXPECT_EQ(middles.undecided(0x1p-21), 0);
  EXPECT_EQ(middles.undecided(0x1p-19), 0x1p-7);
  EXPECT_EQ(middles.undecided(0x1p-11), std::hypot(0x1p-7, 0x1p-5));
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
  testing::expect_large_networks_judged(GetParam(), catalogue::ParameterRounding::none, kFaults, {});
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

}  // namespace
}  // namespace gdbench::verify
