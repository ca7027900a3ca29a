// What verification makes of a mixed dtype: right results in any order of summation are far within the tolerance, what
// is rounded otherwise is found in one step.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "harness/verify/check.h"
#include "harness/verify/narrow.h"
#include "harness/verify/reference_trajectory.h"
#include "tests/support/verify/cases.h"
#include "tests/support/verify/other_implementation.h"

namespace gdbench::verify {
namespace {

using scenario::Activation;
using scenario::Dtype;
using scenario::Loss;
using testing::Case;
using testing::describe;
using testing::Fault;
using testing::kSummations;
using testing::make_case;
using testing::make_problem;
using testing::Outcome;
using testing::Summation;
using testing::train_otherwise;

constexpr int kBfloat16Bits = 8;

TEST(NarrowTest, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(narrowed(1.0F + 0x1p-7F, kBfloat16Bits), 1.0F + 0x1p-7F);
  EXPECT_EQ(narrowed(1.0F + 0x1p-8F, kBfloat16Bits), 1.0F);            // the middle: 1.0 ends in 0
  EXPECT_EQ(narrowed(1.0F + 0x3p-8F, kBfloat16Bits), 1.0F + 0x1p-6F);  // likewise above
  EXPECT_EQ(narrowed(-1.0F - 0x1.02p-8F, kBfloat16Bits), -1.0F - 0x1p-7F);
  EXPECT_EQ(narrowed(0x1.ffp0, kBfloat16Bits), 2.0);
  EXPECT_EQ(narrowed(0.0, kBfloat16Bits), 0.0);
  EXPECT_TRUE(std::isnan(narrowed(std::nan(""), kBfloat16Bits)));
}

TEST(NarrowTest, KnowsWhatIsUndecided) {
  Middles middles;
  middles.add(std::vector<double>{1 + 0x1p-8 + 0x1p-20, 4 + 0x1p-6 - 0x1p-12, 1.0, 0.0}, kBfloat16Bits);
  EXPECT_EQ(middles.undecided(0), 0);
  EXPECT_EQ(middles.undecided(0x1p-21), 0);
  EXPECT_EQ(middles.undecided(0x1p-19), 0x1p-7);
  EXPECT_EQ(middles.undecided(0x1p-11), std::hypot(0x1p-7, 0x1p-5));
}

ReferenceOptions steps_of(std::int64_t steps) {
  ReferenceOptions options;
  options.steps = steps;
  options.max_steps = steps;
  return options;
}

Check check_fault(const ReferenceTrajectory& reference, const Case& problem_case, Summation summation, Fault fault) {
  const Outcome outcome = train_otherwise<float>(problem_case, reference.steps, summation, fault);
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  return check(reference, outcome.state, fault == Fault::none ? outcome.loss : unknown);
}

// In how many of 300 random cases something was judged, the largest share of its tolerance that a tensor of a right
// result takes up, and in how many cases each fault was found.
struct Tally {
  int judged = 0;
  double largest_share = 0;
  std::map<Fault, int> found;
};

constexpr Fault kFaults[] = {Fault::wide_operands, Fault::cut_operands, Fault::narrow_sums, Fault::narrow_parameters,
                             Fault::doubled_loss_gradient};

// `steps` 1: the single step that verification begins with.
Tally tally(Case (*make)(std::uint64_t seed, Dtype dtype), std::int64_t steps, bool rounds_results = false) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Case problem_case = make(seed * 1000, Dtype::bf16);
    problem_case.problem.rounds_results = rounds_results;
    auto reference =
        make_reference_trajectory(problem_case.problem, problem_case.dataset, problem_case.start, steps_of(steps));
    if (reference.ok() && steps == 1) {
      reference = make_single_step(*reference, problem_case.problem, problem_case.dataset);
    }
    if (!reference.ok()) continue;  // unfit to be judged
    ++tally.judged;
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
  ::testing::Test::RecordProperty("largest_share_of_tolerance", std::to_string(tally.largest_share));
  for (const auto& [fault, found] : tally.found) {
    ::testing::Test::RecordProperty(::testing::PrintToString(fault), found);
  }
  return tally;
}

TEST(MixedPrecisionTest, OneStepTellsWhatIsRoundedOtherwise) {
  const Tally one = tally(testing::random_case, 1);
  EXPECT_GT(one.judged, 290);
  EXPECT_LT(one.largest_share, 0.5);
  for (const auto& [fault, found] : one.found) EXPECT_GE(found, one.judged - 2) << ::testing::PrintToString(fault);
}

// All kinds but lion, whose updates are signs.
TEST(MixedPrecisionTest, OneStepTellsItWithEveryOptimizer) {
  const Tally one = tally(testing::random_optimizer_case, 1);
  EXPECT_GT(one.judged, 260);
  EXPECT_LT(one.largest_share, 0.5);
  for (const auto& [fault, found] : one.found) EXPECT_GE(found, one.judged - 2) << ::testing::PrintToString(fault);
}

TEST(MixedPrecisionTest, AcceptsRightResultsOfManySteps) {
  EXPECT_LT(tally(testing::random_case, 6).largest_share, 0.5);
  EXPECT_LT(tally(testing::random_optimizer_case, 6).largest_share, 0.5);
}

// Frameworks round results as well, each in its own way. That is allowed for; f32 passed off as bf16 is then found by
// the step in f32, to whose tolerance it is right.
TEST(MixedPrecisionTest, AllowsForRoundedResultsWhereTheyAreDeclared) {
  const Tally one = tally(testing::random_case, 1, true);
  EXPECT_GT(one.judged, 250);
  EXPECT_LT(one.largest_share, 0.5);
  EXPECT_GT(one.found.at(Fault::doubled_loss_gradient), one.judged * 9 / 10);
  EXPECT_LT(tally(testing::random_optimizer_case, 6, true).largest_share, 0.5);
  int told = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Case problem_case = testing::random_case(seed * 1000, Dtype::bf16);
    const auto uniform = make_reference_trajectory(uniform_of(problem_case.problem), problem_case.dataset,
                                                   problem_case.start, steps_of(1));
    problem_case.start = uniform.value().start;
    problem_case.problem.rounds_results = true;
    told += check_fault(*uniform, problem_case, Summation::blocked, Fault::none).ok ? 0 : 1;
    EXPECT_TRUE(check_fault(*uniform, problem_case, Summation::blocked, Fault::wide_operands).ok) << seed;
  }
  EXPECT_GT(told, 95);
}

TEST(MixedPrecisionTest, JudgesLargeNetworksToo) {
  const scenario::Problem problems[] = {
      make_problem({784, 128, 10}, Activation::relu, true, Loss::softmax_cross_entropy, 64, 64, Dtype::bf16, 0.1),
      make_problem({64, 64, 64, 64, 64, 8}, Activation::tanh, true, Loss::mse, 128, 128, Dtype::bf16, 0.1),
      make_problem({10, 50, 1}, Activation::relu, true, Loss::mse, 1000, 1000, Dtype::bf16, 0.05),
      make_problem({2, 1}, Activation::identity, true, Loss::mse, 3, 3, Dtype::bf16, 0.1),
      make_problem({10, 1}, Activation::identity, true, Loss::mse, 300, 300, Dtype::bf16, 0.1),
  };
  for (const scenario::Problem& problem : problems) {
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

}  // namespace
}  // namespace gdbench::verify
