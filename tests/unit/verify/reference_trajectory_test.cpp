#include "harness/verify/reference_trajectory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "harness/verify/reference.h"
#include "tests/support/few_cases.h"
#include "tests/unit/verify/judged.h"

namespace gdbench::verify {
namespace {

using scenario::Activation, scenario::Dtype, scenario::Loss, scenario::Problem, testing::Case, testing::describe;
using testing::Fault, testing::finds, testing::judged, testing::make_case, testing::make_problem, testing::Outcome;
using testing::share_of_right_results, testing::Summation, testing::train_otherwise;

ReferenceTrajectory made(const Case& problem_case, const ReferenceOptions& options = {}) {
  const auto result = testing::reference_of(problem_case, options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  return result.value();
}

// Two hidden layers with biases, square first layer (so that a transposed weight has the right shape), batches of 4
// of 14 rows: the trajectory of 5 steps contains a partial batch and the next epoch.
Case faulty_case(Dtype dtype, Loss loss, Activation hidden, double rate) {
  return make_case(make_problem({6, 6, 5, 3}, hidden, true, loss, 14, 4, dtype, rate), 21);
}

constexpr ReferenceOptions kShort = {.max_steps = 8};  // some of the rates let a longer training diverge

class OrdersOfSummation : public ::testing::TestWithParam<std::tuple<testing::MakeCase, Dtype>> {};

// Correct results stay well below the tolerance, so that another machine's exp does not fail.
TEST_P(OrdersOfSummation, AreAccepted) {
  if (kFewCases) GTEST_SKIP() << "hundreds of networks";
  const auto [make, dtype] = GetParam();
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(seed);
    Case problem_case = make(seed * 1000, dtype);
    const ReferenceTrajectory reference = made(problem_case, kShort);
    problem_case.start = reference.start;
    EXPECT_LT(share_of_right_results(reference, problem_case), 0.5);
  }
}

INSTANTIATE_TEST_SUITE_P(, OrdersOfSummation,
                         ::testing::Combine(::testing::Values(testing::random_case, testing::random_optimizer_case),
                                            ::testing::Values(Dtype::f32, Dtype::f64)));

// A loop may add each row's term of the gradient to the parameter, which is rounded as often.
TEST(ReferenceTrajectoryTest, AllowsForTermsThatAreAddedToAParameterOneByOne) {
  constexpr std::int64_t kRows = 300;
  constexpr float kRate = 0.01F;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const Case problem_case =
        make_case(make_problem({10, 1}, Activation::identity, false, Loss::mse, kRows, kRows, Dtype::f32, kRate), seed);
    const ReferenceTrajectory reference = made(problem_case, kShort);
    scenario::State end = reference.start;
    std::vector<float> weights(end.parameters[0].begin(), end.parameters[0].end());
    for (; end.step < reference.start.step + reference.steps; ++end.step) {
      const std::vector<float> before = weights;
      for (std::int64_t row = 0; row < kRows; ++row) {
        const float* const x = problem_case.dataset.x<float>() + 10 * row;
        float error = -problem_case.dataset.y<float>()[row];
        for (std::size_t i = 0; i < 10; ++i) error += x[i] * before[i];
        for (std::size_t i = 0; i < 10; ++i) weights[i] -= kRate * 2 / kRows * error * x[i];
      }
    }
    end.parameters[0].assign(weights.begin(), weights.end());
    const Check result = check(reference, end, reference.final_loss);
    EXPECT_TRUE(result.ok) << result.reason;
  }
}

// Cutting is the coarsest way to round to TF32; what was not declared is wrong.
TEST(ReferenceTrajectoryTest, AllowsForTf32WhereItIsDeclared) {
  int compared = 0;
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Case problem_case = testing::random_case(seed * 1000, Dtype::f32);
    const ReferenceTrajectory plain = made(problem_case, kShort);
    problem_case.problem.tf32_products = true;
    const auto coarse = testing::reference_of(problem_case, kShort);
    if (!coarse.ok()) continue;                                // moves too little to be judged so coarsely
    if (plain.final_loss > 10 * plain.initial_loss) continue;  // diverges, and every rounding with it
    ++compared;
    problem_case.start = plain.start;
    const Check result = judged(*coarse, problem_case, Summation::tf32);
    EXPECT_TRUE(result.ok) << "seed " << seed << ": " << describe(problem_case.problem) << ": " << result.reason;
    for (const TensorCheck& tensor : result.tensors) EXPECT_LT(tensor.error, 0.5 * tensor.tolerance) << seed;
    wrong += judged(plain, problem_case, Summation::tf32).ok ? 0 : 1;
  }
  EXPECT_GT(compared, 200);
  EXPECT_GT(wrong, compared / 2);
}

TEST(ReferenceTrajectoryTest, AcceptsLongSumsAndLargeLayers) {
  for (const Problem& problem : {
           make_problem({1, 1}, Activation::identity, true, Loss::mse, 20000, 20000, Dtype::f32, 0.1),
           make_problem({8, 1}, Activation::identity, false, Loss::half_mse, 5000, 5000, Dtype::f32, 0.3),
           make_problem({100, 40, 10}, Activation::relu, true, Loss::softmax_cross_entropy, 64, 32, Dtype::f32, 0.1),
           make_problem({10, 50, 1}, Activation::relu, true, Loss::mse, 1000, 1000, Dtype::f32, 0.05),
       }) {
    const Case problem_case = make_case(problem, 5);
    share_of_right_results(made(problem_case), problem_case);
  }
}

// Targets that cancel: a bias that is added up row by row finds exactly 0, for no sum is rounded. An implementation
// that adds up those of one sign first, in eight sums, rounds numbers a thousand times as large, and is right, too.
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
  const ReferenceTrajectory reference = made(problem_case, testing::steps_of(1));
  EXPECT_EQ(reference.tensors[1].values, std::vector<long double>{0});
  share_of_right_results(reference, problem_case);
  EXPECT_NE(train_otherwise(problem_case, 1, Summation::blocked).state.parameters[1][0], 0);
}

TEST(ReferenceTrajectoryTest, AllowsSeveralTimesTheErrorOfTheOwnType) {
  // Rates that make training unstable: rounding grows from step to step, which only a run in the own type shows.
  int stable = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Case problem_case = testing::random_case(seed * 1000, Dtype::f32);
    problem_case.problem.optimizer.learning_rates.front() *= 100;
    const auto reference = testing::reference_of(problem_case, {.steps = 15});
    if (!reference.ok()) continue;  // it diverges
    ++stable;
    const scenario::State own =
        end_of_training<float>(problem_case.problem, problem_case.dataset, problem_case.start, 15);
    const Check result = check(*reference, own, std::numeric_limits<double>::quiet_NaN());
    for (const TensorCheck& tensor : result.tensors) EXPECT_LT(tensor.error, tensor.tolerance / 4) << tensor.name;
  }
  EXPECT_GT(stable, 10);
}

TEST(ReferenceTrajectoryTest, AcceptsAnyRoundingOfAPerfectFit) {
  int perfect = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    // A row's x and bias have a squared norm of about 13, so that a step of 1 / 26 leaves next to nothing of its error.
    const Case problem_case =
        make_case(make_problem({12, 1}, Activation::identity, true, Loss::mse, 1, 1, Dtype::f32, 1.0 / 26), seed);
    const auto reference = testing::reference_of(problem_case, {.steps = 15});
    if (!reference.ok() || reference->final_loss > 1e-20) continue;
    ++perfect;
    share_of_right_results(*reference, problem_case);
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
          const Check result = judged(made(problem_case), problem_case, Summation::blocked, GetParam());
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
  const ReferenceTrajectory reference = made(problem_case);
  auto flipped = to_reference<double>(problem_case.start);
  for (std::int64_t step = 0; step < reference.steps; ++step) {
    const auto batch = gradients(problem, problem_case.dataset, flipped, Ties::flipped);
    EXPECT_TRUE(step > 0 || batch.tie_allowance[0] > 0);
    update(problem.optimizer, batch.parameters, flipped);
  }
  const scenario::State actual{reference.steps, flipped.parameters, {}};
  const Check result = check(reference, actual, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(result.ok) << result.reason;
  EXPECT_TRUE(finds(reference, problem_case, Fault::doubled_loss_gradient));
}

TEST(ReferenceTrajectoryTest, TheLastBatchOfAnEpochIsAlwaysAmongTheSteps) {
  const auto span = [](std::int64_t rows, std::int64_t batch) {
    const ReferenceTrajectory reference =
        made(make_case(make_problem({2, 1}, Activation::identity, true, Loss::mse, rows, batch, Dtype::f32, 0.01), 3));
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
  const ReferenceTrajectory whole = made(problem_case);
  EXPECT_LT(whole.final_loss, whole.initial_loss);
  EXPECT_EQ(whole.losses.size(), 6U) << "four batches, and two of the next epoch";
  const auto prefix = make_prefix(whole, 2, problem_case.problem, problem_case.dataset);
  ASSERT_TRUE(prefix.ok()) << prefix.error().message;
  EXPECT_EQ(prefix->steps, 2);
  const Outcome outcome = train_otherwise(problem_case, 2);
  EXPECT_TRUE(check(*prefix, outcome.state, outcome.loss).ok);
  EXPECT_FALSE(check(whole, outcome.state, outcome.loss).ok);
  for (const double loss : {1.001 * outcome.loss, outcome.loss / 2, HUGE_VAL}) {
    EXPECT_TRUE(check(*prefix, outcome.state, loss).reason.starts_with("the loss is ")) << loss;
  }
}

// A weight whose update is off by three thousandths, one of many thousands: their 2-norm hides it.
TEST(ReferenceTrajectoryTest, ASingleWrongEntryOfASampleIsFound) {
  Case problem_case = make_case(
      make_problem({150, 170, 10}, Activation::relu, true, Loss::softmax_cross_entropy, 32, 32, Dtype::f32, 0.05), 8);
  const ReferenceTrajectory reference = made(problem_case, {.trajectory_operations = 1000});
  EXPECT_TRUE(reference.sampled) << "a large problem is compared after one step";
  EXPECT_EQ(reference.steps, 1);
  EXPECT_EQ(reference.tensors[0].values.size(), 25500U) << "every entry is compared";
  share_of_right_results(reference, problem_case);
  for (const Fault fault : {Fault::doubled_loss_gradient, Fault::dropped_last_row, Fault::missing_step}) {
    EXPECT_TRUE(finds(reference, problem_case, fault));
  }
  Outcome outcome = train_otherwise(problem_case, 1);
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
  constexpr double kOperations = 2 * (6 * 5 + 5 * 3) * 20;
  const ReferenceTrajectory reference = made(problem_case, {.evaluation_operations = kOperations - 1});
  EXPECT_FALSE(reference.evaluated);
  EXPECT_EQ(reference.initial_loss, reference.losses.back());
  EXPECT_LT(reference.final_loss, reference.initial_loss);
  const Outcome outcome = train_otherwise(problem_case, reference.steps);
  EXPECT_TRUE(check(reference, outcome.state, 2 * outcome.loss).ok) << "what it should be is unknown";
  EXPECT_TRUE(made(problem_case, {.evaluation_operations = kOperations}).evaluated);
}

TEST(ReferenceTrajectoryTest, UnfitScenariosAreRefused) {
  const auto error = [](const Case& unfit) { return testing::reference_of(unfit).error().message; };
  Case problem_case = faulty_case(Dtype::f32, Loss::mse, Activation::identity, 1e20);
  EXPECT_NE(error(problem_case).find("diverges at step "), std::string::npos) << error(problem_case);
  problem_case.problem.optimizer.learning_rates = {1e-12};
  EXPECT_NE(error(problem_case).find("moves no parameter"), std::string::npos) << error(problem_case);
  problem_case.start.parameters[0].pop_back();
  EXPECT_EQ(error(problem_case), "the start state's w0 has 35 entries, expected 36");
  problem_case.start.parameters.pop_back();
  EXPECT_EQ(error(problem_case), "the start state has 5 parameters, expected 6");
}

}  // namespace
}  // namespace gdbench::verify
