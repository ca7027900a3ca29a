// What verification makes of a mixed dtype: right results in any order of summation are far within the tolerance, what
// is rounded otherwise is found in one step.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "harness/verify/narrow.h"
#include "harness/verify/reference.h"
#include "tests/support/few_cases.h"
#include "tests/unit/verify/judged.h"

namespace gdbench::verify {
namespace {

using scenario::Activation;
using scenario::Dtype;
using scenario::Loss;
using testing::Case;
using testing::check_fault;
using testing::describe;
using testing::Fault;
using testing::kSummations;
using testing::make_case;
using testing::make_problem;
using testing::steps_of;
using testing::Summation;

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

// In how many of 300 random cases something was judged, the largest share of its tolerance that a tensor of a right
// result takes up, and in how many cases each fault was found.
struct Tally {
  int judged = 0;
  double largest_share = 0;
  double skipped = 0;  // steps of all cases
  std::map<Fault, int> found;
};

constexpr Fault kFaults[] = {Fault::wide_operands, Fault::cut_operands, Fault::narrow_sums, Fault::narrow_parameters,
                             Fault::doubled_loss_gradient};

// Scales from 1 to 2^23, of which the largest overflow, that double soon.
void scale_loss(std::uint64_t seed, Case& problem_case) {
  if (!catalogue::scales_loss(problem_case.problem.dtype)) return;
  problem_case.problem.loss_scaling = {std::ldexp(1.0, static_cast<int>(seed % 24)),
                                       1 + static_cast<std::int64_t>(seed % 3)};
  problem_case.start.loss_scaling = {problem_case.problem.loss_scaling.initial, 0, 0};
}

// `steps` 1: the single step that verification begins with.
Tally tally(Dtype dtype, Case (*make)(std::uint64_t seed, Dtype dtype), std::int64_t steps,
            bool rounds_results = false) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Case problem_case = make(seed * 1000, dtype);
    problem_case.problem.rounds_results = rounds_results;
    scale_loss(seed, problem_case);
    auto reference =
        make_reference_trajectory(problem_case.problem, problem_case.dataset, problem_case.start, steps_of(steps));
    if (reference.ok() && steps == 1) {
      reference = make_single_step(*reference, problem_case.problem, problem_case.dataset);
    }
    if (!reference.ok()) continue;  // unfit to be judged
    ++tally.judged;
    if (!reference->loss_scaling.empty()) tally.skipped += reference->loss_scaling[2];
    problem_case.start = reference->start;
    for (const Summation summation : kSummations) {
      const Check result = check_fault(*reference, problem_case, summation, Fault::none);
      EXPECT_TRUE(result.ok) << "seed " << seed << ": " << describe(problem_case.problem) << ", summation "
                             << static_cast<int>(summation) << ": " << result.reason;
      for (const TensorCheck& tensor : result.tensors) {
        tally.largest_share = std::max(tally.largest_share, tensor.error / tensor.tolerance);
      }
    }
    for (const Fault fault : kFaults) {
      tally.found[fault] += check_fault(*reference, problem_case, Summation::blocked, fault).ok ? 0 : 1;
    }
  }
  ::testing::Test::RecordProperty("judged", tally.judged);
  ::testing::Test::RecordProperty("skipped_steps", std::to_string(tally.skipped));
  ::testing::Test::RecordProperty("largest_share_of_tolerance", std::to_string(tally.largest_share));
  for (const auto& [fault, found] : tally.found) {
    ::testing::Test::RecordProperty(::testing::PrintToString(fault), found);
  }
  return tally;
}

class MixedPrecisionTest : public ::testing::TestWithParam<Dtype> {};
INSTANTIATE_TEST_SUITE_P(Dtypes, MixedPrecisionTest, ::testing::Values(Dtype::bf16, Dtype::f16),
                         [](const auto& dtype) { return std::string(name_of(dtype.param)); });

// Binary16 has three bits more, so that small learning rates leave less to be judged.
TEST_P(MixedPrecisionTest, OneStepTellsWhatIsRoundedOtherwise) {
  if (kFewCases) GTEST_SKIP() << "hundreds of networks";
  const Tally one = tally(GetParam(), testing::random_case, 1);
  EXPECT_GT(one.judged, GetParam() == Dtype::f16 ? 250 : 290);
  EXPECT_LT(one.largest_share, 0.5);
  for (const auto& [fault, found] : one.found)
    EXPECT_GE(found, one.judged * 49 / 50) << ::testing::PrintToString(fault);
}

// All kinds but lion, whose updates are signs.
TEST_P(MixedPrecisionTest, OneStepTellsItWithEveryOptimizer) {
  if (kFewCases) GTEST_SKIP() << "hundreds of networks";
  const Tally one = tally(GetParam(), testing::random_optimizer_case, 1);
  EXPECT_GT(one.judged, GetParam() == Dtype::f16 ? 210 : 260);
  EXPECT_LT(one.largest_share, 0.5);
  for (const auto& [fault, found] : one.found)
    EXPECT_GE(found, one.judged * 49 / 50) << ::testing::PrintToString(fault);
}

TEST_P(MixedPrecisionTest, AcceptsRightResultsOfManySteps) {
  if (kFewCases) GTEST_SKIP() << "hundreds of networks";
  const Tally sgd = tally(GetParam(), testing::random_case, 6);
  const Tally others = tally(GetParam(), testing::random_optimizer_case, 6);
  EXPECT_LT(sgd.largest_share, 0.5);
  EXPECT_LT(others.largest_share, 0.5);
  EXPECT_EQ(sgd.skipped > 0 && others.skipped > 0, GetParam() == Dtype::f16);
}

// Frameworks round results as well, each in its own way. That is allowed for; f32 passed off as bf16 is then found by
// the step in f32, to whose tolerance it is right.
TEST_P(MixedPrecisionTest, AllowsForRoundedResultsWhereTheyAreDeclared) {
  if (kFewCases) GTEST_SKIP() << "hundreds of networks";
  const Tally one = tally(GetParam(), testing::random_case, 1, true);
  EXPECT_GT(one.judged, 250);
  EXPECT_LT(one.largest_share, 0.5);
  EXPECT_GT(one.found.at(Fault::doubled_loss_gradient), one.judged * 9 / 10);
  EXPECT_LT(tally(GetParam(), testing::random_optimizer_case, 6, true).largest_share, 0.5);
  int told = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Case problem_case = testing::random_case(seed * 1000, GetParam());
    const auto uniform = make_reference_trajectory(uniform_of(problem_case.problem), problem_case.dataset,
                                                   problem_case.start, steps_of(1));
    problem_case.start = uniform.value().start;
    problem_case.problem.rounds_results = true;
    told += check_fault(*uniform, problem_case, Summation::blocked, Fault::none).ok ? 0 : 1;
    EXPECT_TRUE(check_fault(*uniform, problem_case, Summation::blocked, Fault::wide_operands).ok) << seed;
  }
  EXPECT_GT(told, 95);
}

// So does the gradient of a bias that TensorFlow's kernel adds up in the format of operands. Of many rows that is far
// off, and wrong where it is not declared; what else is wrong with the biases is found all the same.
TEST_P(MixedPrecisionTest, AllowsForNarrowSumsOfBiasesWhereResultsAreRounded) {
  if (kFewCases) GTEST_SKIP() << "hundreds of networks";
  for (const std::int64_t rows : {8, 128, 256, 2048}) {
    const auto problem_of = [&](bool rounds_results) {
      scenario::Problem problem =
          make_problem({16, 32, 10}, Activation::relu, true, Loss::softmax_cross_entropy, rows, rows, GetParam(), 0.1);
      problem.loss_scaling.initial = 1024;  // by which none of them overflows
      problem.rounds_results = rounds_results;
      return problem;
    };
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      Case problem_case = make_case(problem_of(true), seed);
      const auto judged = [&](Summation summation, Fault fault) {
        const auto reference =
            make_reference_trajectory(problem_case.problem, problem_case.dataset, problem_case.start, steps_of(1));
        return check_fault(reference.value(), problem_case, summation, fault);
      };
      for (const Summation summation : {Summation::forward, Summation::reversed}) {
        if (rows > 256) break;  // some are off by more than half of the gradient: wrong, declared or not
        const Check result = judged(summation, Fault::narrow_bias_sums);
        EXPECT_TRUE(result.ok) << rows << " rows, seed " << seed << ": " << result.reason;
      }
      for (const Fault fault : {Fault::frozen_bias, Fault::doubled_loss_gradient}) {
        EXPECT_FALSE(judged(Summation::forward, fault).ok) << rows << " rows: " << ::testing::PrintToString(fault);
      }
      problem_case.problem = problem_of(false);
      if (rows == 8) continue;  // whose errors are no larger than those of other roundings
      EXPECT_FALSE(judged(Summation::forward, Fault::narrow_bias_sums).ok) << rows << " rows";
    }
  }
}

TEST_P(MixedPrecisionTest, JudgesLargeNetworksToo) {
  if (kFewCases) GTEST_SKIP() << "large networks";
  const scenario::Problem problems[] = {
      make_problem({784, 128, 10}, Activation::relu, true, Loss::softmax_cross_entropy, 64, 64, GetParam(), 0.1),
      make_problem({64, 64, 64, 64, 64, 8}, Activation::tanh, true, Loss::mse, 128, 128, GetParam(), 0.1),
      make_problem({10, 50, 1}, Activation::relu, true, Loss::mse, 1000, 1000, GetParam(), 0.05),
      make_problem({2, 1}, Activation::identity, true, Loss::mse, 3, 3, GetParam(), 0.1),
      make_problem({10, 1}, Activation::identity, true, Loss::mse, 300, 300, GetParam(), 0.1),
  };
  for (scenario::Problem problem : problems) {
    problem.loss_scaling.initial = 1024;  // by which none of them overflows
    const Case problem_case = make_case(problem, 5);
    for (const std::int64_t steps : {1, 5}) {
      const auto reference =
          make_reference_trajectory(problem, problem_case.dataset, problem_case.start, steps_of(steps));
      ASSERT_TRUE(reference.ok()) << describe(problem) << ": " << reference.error().message;
      for (const Summation summation : {Summation::forward, Summation::pairwise}) {
        const Check result = check_fault(*reference, problem_case, summation, Fault::none);
        EXPECT_TRUE(result.ok) << describe(problem) << ": " << result.reason;
      }
      for (const Fault fault : kFaults) {
        if (steps > 1) continue;
        EXPECT_FALSE(check_fault(*reference, problem_case, Summation::blocked, fault).ok)
            << describe(problem) << ": " << ::testing::PrintToString(fault);
      }
    }
  }
}

// Gradients of a mean over many rows lie below the least normal number of binary16 unless the loss is scaled.
TEST(LossScalingTest, TellsWhetherTheLossIsScaled) {
  scenario::Problem problem =
      make_problem({10, 20, 1}, Activation::relu, true, Loss::half_mse, 20000, 20000, Dtype::f16, 0.5);
  const Case scaled = make_case(problem, 3);
  problem.loss_scaling.initial = 1;
  const Case unscaled = make_case(problem, 3);
  for (const Case* problem_case : {&scaled, &unscaled}) {
    const auto reference =
        make_reference_trajectory(problem_case->problem, problem_case->dataset, problem_case->start, steps_of(1));
    ASSERT_TRUE(reference.ok()) << reference.error().message;
    EXPECT_TRUE(check_fault(*reference, *problem_case, Summation::blocked, Fault::none).ok);
    EXPECT_EQ(check_fault(*reference, *problem_case, Summation::blocked, Fault::unscaled_loss).ok,
              problem_case == &unscaled);
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
  const auto reference =
      make_reference_trajectory(problem_case.problem, problem_case.dataset, problem_case.start, steps_of(24));
  ASSERT_TRUE(reference.ok()) << reference.error().message;
  EXPECT_GT(reference->loss_scaling[2], 5);
  for (const Summation summation : kSummations) {
    const Check result = check_fault(*reference, problem_case, summation, Fault::none);
    EXPECT_TRUE(result.ok) << result.reason;
  }
  EXPECT_FALSE(check_fault(*reference, problem_case, Summation::forward, Fault::constant_scale).ok);
  EXPECT_FALSE(check_fault(*reference, problem_case, Summation::forward, Fault::updates_on_overflow).ok);
}

TEST(LossScalingTest, DoesNotJudgeWhatRoundingDecides) {
  scenario::Problem problem = make_problem({1, 1}, Activation::identity, false, Loss::half_mse, 1, 1, Dtype::f16, 0.5);
  Case problem_case = make_case(problem, 1);
  problem_case.dataset = testing::make_dataset(problem, {1}, {0}, {});
  problem_case.start.parameters = {{65520.0 / 65536}};
  const auto reference =
      make_reference_trajectory(problem_case.problem, problem_case.dataset, problem_case.start, steps_of(1));
  ASSERT_FALSE(reference.ok());
  EXPECT_EQ(reference.error().message, "step 0 comes so near to overflow that rounding decides whether it is skipped");
}

}  // namespace
}  // namespace gdbench::verify
