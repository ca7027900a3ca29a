#include "harness/verify/reference_trajectory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/verify/check.h"
#include "harness/verify/reference.h"
#include "tests/support/verify/cases.h"
#include "tests/support/verify/other_implementation.h"

namespace gdbench::verify {
namespace {

using scenario::Activation;
using scenario::Dtype;
using scenario::Loss;
using scenario::Problem;
using testing::Case;
using testing::describe;
using testing::Fault;
using testing::kSummations;
using testing::make_case;
using testing::make_problem;
using testing::Outcome;
using testing::Summation;
using testing::train_otherwise;

Outcome train_in_dtype(const Case& problem_case, std::int64_t steps, Summation summation, Fault fault) {
  if (problem_case.problem.dtype == Dtype::f32) return train_otherwise<float>(problem_case, steps, summation, fault);
  return train_otherwise<double>(problem_case, steps, summation, fault);
}

ReferenceTrajectory reference_of(const Case& problem_case, const ReferenceOptions& options = {}) {
  const auto result =
      make_reference_trajectory(problem_case.problem, problem_case.dataset, problem_case.start, options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  return result.value();
}

Check check_fault(const Case& problem_case, Fault fault) {
  const ReferenceTrajectory reference = reference_of(problem_case);
  const Outcome outcome = train_in_dtype(problem_case, reference.steps, Summation::blocked, fault);
  return check(reference, outcome.state, std::numeric_limits<double>::quiet_NaN());
}

// Two hidden layers with biases, square first layer (so that a transposed weight has the right shape), batches of 4
// of 14 rows: the trajectory of 5 steps contains a partial batch and the next epoch.
Case faulty_case(Dtype dtype, Loss loss, Activation hidden, double rate) {
  return make_case(make_problem({6, 6, 5, 3}, hidden, true, loss, 14, 4, dtype, rate), 21);
}

// The largest share of its tolerance that a tensor of a correct result takes up.
double largest_share_of_tolerance(Case (*make)(std::uint64_t seed, Dtype dtype)) {
  double largest = 0;
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      Case problem_case = make(seed * 1000, dtype);
      ReferenceOptions options;
      options.max_steps = options.steps + 3;  // some of the rates let a longer training diverge
      const ReferenceTrajectory reference = reference_of(problem_case, options);
      problem_case.start = reference.start;
      for (const Summation summation : kSummations) {
        const Outcome outcome = train_in_dtype(problem_case, reference.steps, summation, Fault::none);
        const Check result = check(reference, outcome.state, outcome.loss);
        EXPECT_TRUE(result.ok) << "seed " << seed << ": " << describe(problem_case.problem) << ", summation "
                               << static_cast<int>(summation) << ": " << result.reason;
        for (const TensorCheck& tensor : result.tensors) largest = std::max(largest, tensor.error / tensor.tolerance);
      }
    }
  }
  return largest;
}

// Correct results stay well below the tolerance, so that another machine's exp does not fail.
TEST(ReferenceTrajectoryTest, AcceptsOtherOrdersOfSummation) {
  const double largest = largest_share_of_tolerance(testing::random_case);
  RecordProperty("largest_share_of_tolerance", std::to_string(largest));
  EXPECT_LT(largest, 0.5);
}

TEST(ReferenceTrajectoryTest, AcceptsOtherFormsOfTheUpdateRules) {
  const double largest = largest_share_of_tolerance(testing::random_optimizer_case);
  RecordProperty("largest_share_of_tolerance", std::to_string(largest));
  EXPECT_LT(largest, 0.5);
}

// Cutting is the coarsest way to round to TF32; what was not declared is wrong.
TEST(ReferenceTrajectoryTest, AllowsForTf32WhereItIsDeclared) {
  double largest = 0;
  int compared = 0;
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Case problem_case = testing::random_case(seed * 1000, Dtype::f32);
    ReferenceOptions options;
    options.max_steps = options.steps + 3;
    const ReferenceTrajectory plain = reference_of(problem_case, options);
    problem_case.problem.tf32_products = true;
    const auto coarse =
        make_reference_trajectory(problem_case.problem, problem_case.dataset, problem_case.start, options);
    if (!coarse.ok()) continue;                                // moves too little to be judged so coarsely
    if (plain.final_loss > 10 * plain.initial_loss) continue;  // diverges, and every rounding with it
    ++compared;
    problem_case.start = plain.start;
    const Outcome outcome = train_otherwise<float>(problem_case, coarse->steps, Summation::tf32, Fault::none);
    const Check result = check(coarse.value(), outcome.state, outcome.loss);
    EXPECT_TRUE(result.ok) << "seed " << seed << ": " << describe(problem_case.problem) << ": " << result.reason;
    for (const TensorCheck& tensor : result.tensors) largest = std::max(largest, tensor.error / tensor.tolerance);
    wrong += check(plain, outcome.state, outcome.loss).ok ? 0 : 1;
  }
  RecordProperty("largest_share_of_tolerance", std::to_string(largest));
  EXPECT_GT(compared, 200);
  EXPECT_GT(wrong, compared / 2);
  EXPECT_LT(largest, 0.5);
}

TEST(ReferenceTrajectoryTest, AcceptsLongSumsAndLargeLayers) {
  const Problem problems[] = {
      make_problem({1, 1}, Activation::identity, true, Loss::mse, 20000, 20000, Dtype::f32, 0.1),
      make_problem({8, 1}, Activation::identity, false, Loss::half_mse, 5000, 5000, Dtype::f32, 0.3),
      make_problem({100, 40, 10}, Activation::relu, true, Loss::softmax_cross_entropy, 64, 32, Dtype::f32, 0.1),
      make_problem({10, 50, 1}, Activation::relu, true, Loss::mse, 1000, 1000, Dtype::f32, 0.05),
  };
  for (const Problem& problem : problems) {
    const Case problem_case = make_case(problem, 5);
    const ReferenceTrajectory reference = reference_of(problem_case);
    for (const Summation summation : kSummations) {
      const Outcome outcome = train_in_dtype(problem_case, reference.steps, summation, Fault::none);
      const Check result = check(reference, outcome.state, outcome.loss);
      EXPECT_TRUE(result.ok) << describe(problem) << ": " << result.reason;
    }
  }
}

// Targets that cancel: a bias that is added up row by row finds exactly 0, for no sum is rounded. Whoever adds up those
// of one sign first, in eight sums, rounds numbers a thousand times as large, and is right, too.
TEST(ReferenceTrajectoryTest, AcceptsSumsOfABiasThatCancelInItsOwnOrderAlone) {
  constexpr std::int64_t kRows = 4096;
  const Problem problem = make_problem({1, 1}, Activation::identity, true, Loss::mse, kRows, kRows, Dtype::f32, 0.1);
  testing::Random random(7);
  std::vector<double> x;
  std::vector<double> targets;
  while (std::ssize(targets) < kRows) {
    double a[4];
    for (double& target : a) target = random.uniform(1000, 1999);
    for (const double target : {a[0], -a[0], a[1], -a[1], a[2], -a[2], a[3], -a[3]}) targets.push_back(target);
    for (double& target : a) target = random.uniform(1000, 1999);
    for (const double target : {a[0], -a[1], a[1], -a[0], a[2], -a[3], a[3], -a[2]}) targets.push_back(target);
  }
  for (const double target : targets) x.push_back(target > 0 ? 1 : -1);
  const Case problem_case{problem, testing::make_dataset(problem, x, targets, {}), {0, {{0.0}, {0.0}}, {}}};
  ReferenceOptions options;
  options.steps = options.max_steps = 1;
  const ReferenceTrajectory reference = reference_of(problem_case, options);
  EXPECT_EQ(reference.tensors[1].values, std::vector<long double>{0});
  for (const Summation summation : kSummations) {
    const Outcome outcome = train_in_dtype(problem_case, 1, summation, Fault::none);
    const Check result = check(reference, outcome.state, outcome.loss);
    EXPECT_TRUE(result.ok) << "summation " << static_cast<int>(summation) << ": " << result.reason;
    EXPECT_EQ(outcome.state.parameters[1][0] == 0, summation != Summation::blocked);
  }
}

TEST(ReferenceTrajectoryTest, AllowsSeveralTimesTheErrorOfTheOwnType) {
  // Rates that make training unstable: rounding grows from step to step, which only a run in the own type shows.
  ReferenceOptions options;
  options.steps = 15;
  int stable = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Case problem_case = testing::random_case(seed * 1000, Dtype::f32);
    problem_case.problem.optimizer.learning_rates.front() *= 100;
    const auto made =
        make_reference_trajectory(problem_case.problem, problem_case.dataset, problem_case.start, options);
    if (!made.ok()) continue;  // it diverges
    ++stable;
    const ReferenceTrajectory& reference = made.value();
    auto own = to_reference<float>(problem_case.start);
    train(problem_case.problem, problem_case.dataset, own, options.steps);
    scenario::State state{own.step, {}, {}};
    for (const auto& tensor : own.parameters) state.parameters.emplace_back(tensor.begin(), tensor.end());
    const Check result = check(reference, state, std::numeric_limits<double>::quiet_NaN());
    for (const TensorCheck& tensor : result.tensors) EXPECT_LT(tensor.error, tensor.tolerance / 4) << tensor.name;
  }
  EXPECT_GT(stable, 10);
}

TEST(ReferenceTrajectoryTest, AcceptsAnyRoundingOfAPerfectFit) {
  ReferenceOptions options;
  options.steps = 15;
  int perfect = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    // A row's x and bias have a squared norm of about 13, so that a step of 1 / 26 leaves next to nothing of its error.
    const Case problem_case =
        make_case(make_problem({12, 1}, Activation::identity, true, Loss::mse, 1, 1, Dtype::f32, 1.0 / 26), seed);
    const auto reference =
        make_reference_trajectory(problem_case.problem, problem_case.dataset, problem_case.start, options);
    if (!reference.ok() || reference->final_loss > 1e-20) continue;
    ++perfect;
    for (const Summation summation : kSummations) {
      const Outcome outcome = train_in_dtype(problem_case, reference->steps, summation, Fault::none);
      const Check result = check(reference.value(), outcome.state, outcome.loss);
      EXPECT_TRUE(result.ok) << result.reason;
    }
  }
  EXPECT_GT(perfect, 0);
}

class FaultTest : public ::testing::TestWithParam<Fault> {};

TEST_P(FaultTest, IsRejected) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    for (const Loss loss : catalogue::all_of<Loss>()) {
      for (const Activation hidden : {Activation::relu, Activation::tanh}) {
        for (const double rate : {0.001, 0.1}) {
          const Case problem_case = faulty_case(dtype, loss, hidden, rate);
          const Check result = check_fault(problem_case, GetParam());
          EXPECT_FALSE(result.ok) << describe(problem_case.problem);
          EXPECT_NE(result.reason.find("; the tensor is off by "), std::string::npos) << result.reason;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, FaultTest,
                         ::testing::Values(Fault::doubled_loss_gradient, Fault::frozen_bias, Fault::dropped_last_row,
                                           Fault::extra_step, Fault::missing_step, Fault::summed_loss,
                                           Fault::transposed_weight, Fault::wrong_entry, Fault::unshuffled));

TEST(ReferenceTrajectoryTest, TiesDoNotFailACorrectImplementation) {
  // z = 0.1 * 3 - 0.3 * 1 is zero up to the rounding of its terms: which side it takes is decided by the arithmetic.
  const Problem problem = make_problem({2, 2, 1}, Activation::relu, false, Loss::mse, 2, 2, Dtype::f32, 0.1);
  Case problem_case;
  problem_case.problem = problem;
  problem_case.dataset = testing::make_dataset(problem, {0.1F, 0.3F, 1, -0.5}, {1, 2}, {});
  problem_case.start.parameters = {{3, 0.5, -1, 0.25}, {0.75, -0.5}};
  const ReferenceTrajectory reference = reference_of(problem_case);
  auto flipped = to_reference<double>(problem_case.start);
  for (std::int64_t step = 0; step < reference.steps; ++step) {
    const auto batch = gradients(problem, problem_case.dataset, flipped, Ties::flipped);
    EXPECT_TRUE(step > 0 || batch.tie_allowance[0] > 0);
    update(problem.optimizer, batch.parameters, flipped);
  }
  const scenario::State actual{reference.steps, flipped.parameters, {}};
  const Check result = check(reference, actual, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(result.ok) << result.reason;
  const Check doubled = check_fault(problem_case, Fault::doubled_loss_gradient);
  EXPECT_FALSE(doubled.ok);
}

TEST(ReferenceTrajectoryTest, ReasonSaysWhatWhereByHowMuch) {
  const Case problem_case = faulty_case(Dtype::f32, Loss::mse, Activation::tanh, 0.1);
  const ReferenceTrajectory reference = reference_of(problem_case);
  Outcome outcome = train_in_dtype(problem_case, reference.steps, Summation::forward, Fault::none);
  outcome.state.parameters[2][7] = 2;  // w1 is [6, 5]
  const Check result = check(reference, outcome.state, outcome.loss);
  EXPECT_EQ(result.reason.rfind("w1[1,2] is 2, expected ", 0), 0U) << result.reason;
  EXPECT_NE(result.reason.find("; the tensor is off by "), std::string::npos);
  EXPECT_NE(result.reason.find(", tolerance "), std::string::npos);
  EXPECT_NE(result.reason.find(", after 6 steps"), std::string::npos);

  outcome.state.parameters[1][4] = 9;
  EXPECT_EQ(check(reference, outcome.state, outcome.loss).reason.rfind("b0[4] is 9", 0), 0U);
}

TEST(ReferenceTrajectoryTest, NotANumberIsWrong) {
  const Case problem_case = faulty_case(Dtype::f32, Loss::mse, Activation::tanh, 0.1);
  const ReferenceTrajectory reference = reference_of(problem_case);
  const Outcome outcome = train_in_dtype(problem_case, reference.steps, Summation::forward, Fault::none);
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    scenario::State state = outcome.state;
    state.parameters[0][3] = value;
    const Check result = check(reference, state, outcome.loss);
    EXPECT_FALSE(result.ok);
    EXPECT_EQ(result.reason, "w0[0,3] is " + std::string(std::isnan(value) ? "nan" : "inf") +
                                 ", expected a finite number; 1 of 36 entries are not finite, after 6 steps");
  }
}

TEST(ReferenceTrajectoryTest, WrongFormIsWrong) {
  const Case problem_case = faulty_case(Dtype::f32, Loss::mse, Activation::tanh, 0.1);
  const ReferenceTrajectory reference = reference_of(problem_case);
  const Outcome outcome = train_in_dtype(problem_case, reference.steps, Summation::forward, Fault::none);
  scenario::State state = outcome.state;
  state.parameters.pop_back();
  EXPECT_EQ(check(reference, state, outcome.loss).reason, "the state has 5 parameters, expected 6");
  state = outcome.state;
  state.parameters[3].pop_back();
  EXPECT_EQ(check(reference, state, outcome.loss).reason, "b1 has 4 entries, expected 5");
  state = outcome.state;
  ++state.step;
  EXPECT_EQ(check(reference, state, outcome.loss).reason, "the state's step number is 7, expected 6, after 6 steps");
}

TEST(ReferenceTrajectoryTest, WrongLossIsWrongAndNoLossIsFine) {
  const Case problem_case = faulty_case(Dtype::f32, Loss::mse, Activation::tanh, 0.1);
  const ReferenceTrajectory reference = reference_of(problem_case);
  const Outcome outcome = train_in_dtype(problem_case, reference.steps, Summation::forward, Fault::none);
  EXPECT_TRUE(check(reference, outcome.state, outcome.loss).ok);
  EXPECT_TRUE(check(reference, outcome.state, std::numeric_limits<double>::quiet_NaN()).ok);
  for (const double loss : {outcome.loss * 1.001, outcome.loss / 2, std::numeric_limits<double>::infinity()}) {
    const Check result = check(reference, outcome.state, loss);
    EXPECT_FALSE(result.ok);
    EXPECT_EQ(result.reason.rfind("the loss is ", 0), 0U) << result.reason;
  }
  EXPECT_LT(reference.final_loss, reference.initial_loss);
  EXPECT_EQ(reference.losses.size(), 6U) << "four batches, and two of the next epoch";
}

TEST(ReferenceTrajectoryTest, TheLastBatchOfAnEpochIsAlwaysAmongTheSteps) {
  const auto span = [](std::int64_t rows, std::int64_t batch) {
    const ReferenceTrajectory reference = reference_of(
        make_case(make_problem({2, 1}, Activation::identity, true, Loss::mse, rows, batch, Dtype::f32, 0.01), 3));
    return std::pair(reference.start.step, reference.steps);
  };
  EXPECT_EQ(span(30, 30), std::pair(std::int64_t{0}, std::int64_t{5}));
  EXPECT_EQ(span(30, 16), std::pair(std::int64_t{0}, std::int64_t{5}));
  EXPECT_EQ(span(30, 4), std::pair(std::int64_t{0}, std::int64_t{10}));
  // Step 199 is the first epoch's last.
  EXPECT_EQ(span(1000, 5), std::pair(std::int64_t{197}, std::int64_t{5}));
}

TEST(ReferenceTrajectoryTest, APrefixIsTheSameTrajectory) {
  const Case problem_case = faulty_case(Dtype::f32, Loss::mse, Activation::tanh, 0.1);
  const ReferenceTrajectory whole = reference_of(problem_case);
  const auto prefix = make_prefix(whole, 2, problem_case.problem, problem_case.dataset);
  ASSERT_TRUE(prefix.ok()) << prefix.error().message;
  EXPECT_EQ(prefix->steps, 2);
  const Outcome outcome = train_in_dtype(problem_case, 2, Summation::forward, Fault::none);
  EXPECT_TRUE(check(prefix.value(), outcome.state, outcome.loss).ok);
  EXPECT_FALSE(check(whole, outcome.state, outcome.loss).ok);
}

TEST(ReferenceTrajectoryTest, LargeProblemsAreComparedAfterOneStep) {
  const Case problem_case = make_case(
      make_problem({60, 40, 3}, Activation::relu, true, Loss::softmax_cross_entropy, 20, 20, Dtype::f32, 0.1), 8);
  ReferenceOptions options;
  options.trajectory_operations = 1000;
  const ReferenceTrajectory reference = reference_of(problem_case, options);
  EXPECT_TRUE(reference.sampled);
  EXPECT_EQ(reference.steps, 1);
  EXPECT_EQ(reference.tensors[0].values.size(), 60U * 40U) << "every entry is compared";

  for (const Summation summation : kSummations) {
    const Outcome outcome = train_in_dtype(problem_case, 1, summation, Fault::none);
    const Check result = check(reference, outcome.state, outcome.loss);
    EXPECT_TRUE(result.ok) << result.reason;
  }
  for (const Fault fault : {Fault::doubled_loss_gradient, Fault::dropped_last_row, Fault::missing_step}) {
    const Outcome outcome = train_in_dtype(problem_case, 1, Summation::forward, fault);
    EXPECT_FALSE(check(reference, outcome.state, outcome.loss).ok);
  }
}

// A weight whose update is off by three thousandths, one of many thousands: their 2-norm hides it.
TEST(ReferenceTrajectoryTest, ASingleWrongEntryOfASampleIsFound) {
  Case problem_case = make_case(
      make_problem({150, 170, 10}, Activation::relu, true, Loss::softmax_cross_entropy, 32, 32, Dtype::f32, 0.05), 8);
  ReferenceOptions options;
  options.trajectory_operations = 1000;
  const ReferenceTrajectory reference = reference_of(problem_case, options);
  for (const Summation summation : kSummations) {
    const Outcome right = train_in_dtype(problem_case, 1, summation, Fault::none);
    EXPECT_TRUE(check(reference, right.state, right.loss).ok) << check(reference, right.state, right.loss).reason;
  }
  Outcome outcome = train_in_dtype(problem_case, 1, Summation::blocked, Fault::none);
  const std::vector<double>& start = problem_case.start.parameters[0];
  std::vector<double>& weights = outcome.state.parameters[0];
  // One with a gradient of the usual size.
  const double usual =
      displacement({0, {start}, {}}, {0, {weights}, {}}) / std::sqrt(static_cast<double>(start.size()));
  std::size_t entry = start.size() / 2;
  while (std::abs(weights[entry] - start[entry]) < usual) ++entry;
  weights[entry] += 0.003 * (start[entry] - weights[entry]);
  const Check result = check(reference, outcome.state, outcome.loss);
  EXPECT_FALSE(result.ok);
  const std::string name = "w0[" + std::to_string(entry / 170) + "," + std::to_string(entry % 170) + "] is ";
  EXPECT_EQ(result.reason.rfind(name, 0), 0U) << result.reason;
  EXPECT_NE(result.reason.find("; 1 of 25500 entries are off by more than theirs, after 1 step"), std::string::npos)
      << result.reason;
}

TEST(ReferenceTrajectoryTest, WhereManyRowsAreDearTheLossIsTheBatchs) {
  const Case problem_case =
      make_case(make_problem({6, 5, 3}, Activation::tanh, true, Loss::mse, 20, 8, Dtype::f32, 0.1), 8);
  ReferenceOptions options;
  options.evaluation_operations = 2 * (6 * 5 + 5 * 3) * 20 - 1;
  const ReferenceTrajectory reference = reference_of(problem_case, options);
  EXPECT_FALSE(reference.evaluated);
  EXPECT_EQ(reference.initial_loss, reference.losses.back());
  EXPECT_LT(reference.final_loss, reference.initial_loss);
  const Outcome outcome = train_in_dtype(problem_case, reference.steps, Summation::forward, Fault::none);
  EXPECT_TRUE(check(reference, outcome.state, 2 * outcome.loss).ok) << "nobody can say what it should be";
  options.evaluation_operations += 1;
  EXPECT_TRUE(reference_of(problem_case, options).evaluated);
}

TEST(ReferenceTrajectoryTest, UnfitScenariosAreRefused) {
  Case problem_case = faulty_case(Dtype::f32, Loss::mse, Activation::identity, 1e20);
  const auto diverging = make_reference_trajectory(problem_case.problem, problem_case.dataset, problem_case.start, {});
  ASSERT_FALSE(diverging.ok());
  EXPECT_NE(diverging.error().message.find("diverges at step "), std::string::npos) << diverging.error().message;

  problem_case.problem.optimizer.learning_rates = {1e-12};
  const auto still = make_reference_trajectory(problem_case.problem, problem_case.dataset, problem_case.start, {});
  ASSERT_FALSE(still.ok());
  EXPECT_NE(still.error().message.find("moves no parameter"), std::string::npos) << still.error().message;

  problem_case.start.parameters[0].pop_back();
  const auto misfit = make_reference_trajectory(problem_case.problem, problem_case.dataset, problem_case.start, {});
  ASSERT_FALSE(misfit.ok());
  EXPECT_EQ(misfit.error().message, "the start state's w0 has 35 entries, expected 36");
}

TEST(ReferenceTrajectoryTest, DisplacementIsTheNormOfTheMove) {
  const scenario::State a{0, {{1, 2}, {3}}, {}};
  const scenario::State b{5, {{1, 5}, {7}}, {}};
  EXPECT_DOUBLE_EQ(displacement(a, b), 5);
  EXPECT_EQ(displacement(a, a), 0);
  EXPECT_TRUE(std::isnan(displacement(a, {0, {{1, 2}}, {}})));
}

}  // namespace
}  // namespace gdbench::verify
