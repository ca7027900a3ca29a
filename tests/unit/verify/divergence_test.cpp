// Which trainings are refused because they diverge, and what is said of them.
#include "harness/verify/divergence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "harness/verify/reference.h"
#include "harness/verify/stable_rate.h"
#include "tests/support/verify/cases.h"

namespace gdbench::verify {
namespace {

using scenario::Activation, scenario::Dtype, scenario::Loss, scenario::OptimizerKind, testing::Case;
using testing::make_problem;

constexpr std::int64_t kLineRows = 51;

// y = 5 x + 3 with x from 0 to 100 in equal steps.
Case raw_line(double rate, bool bias = true, std::int64_t batch_rows = kLineRows, Dtype dtype = Dtype::f64) {
  Case line{.problem = make_problem({1, 1}, Activation::identity, bias, Loss::mse, kLineRows, batch_rows, dtype, rate),
            .dataset = {},
            .start = {}};
  std::vector<double> x;
  std::vector<double> y;
  for (std::int64_t i = 0; i < kLineRows; ++i) {
    x.push_back(2.0 * static_cast<double>(i));
    y.push_back(5 * x.back() + 3);
  }
  line.dataset = testing::make_dataset(line.problem, x, y, {});
  line.start.parameters = {{0.5}};
  if (bias) line.start.parameters.push_back({-0.25});
  return line;
}

// The larger eigenvalue of the Hessian of the line's mean squared error, 2 / n [[sum of x^2, sum of x], [sum of x, n]].
double curvature_of_line() {
  double sum = 0;
  double squares = 0;
  for (std::int64_t i = 0; i < kLineRows; ++i) {
    sum += 2.0 * static_cast<double>(i);
    squares += 4.0 * static_cast<double>(i * i);
  }
  const double a = 2 * squares / kLineRows;
  const double b = 2 * sum / kLineRows;
  return (a + 2) / 2 + std::hypot((a - 2) / 2, b);
}

Case with_optimizer(Case problem_case, OptimizerKind kind, double momentum = 0) {
  problem_case.problem.optimizer.kind = kind;
  problem_case.problem.optimizer.momentum = momentum;
  return problem_case;
}

// How many times the first loss it is after so many steps.
double growth(const Case& problem_case, std::int64_t steps) {
  ReferenceState<double> state = to_reference<double>(problem_case.start);
  const double first = evaluate(problem_case.problem, problem_case.dataset, state);
  train(problem_case.problem, problem_case.dataset, state, steps);
  return evaluate(problem_case.problem, problem_case.dataset, state) / first;
}

std::string refusal(const Case& problem_case, std::int64_t steps) {
  const Status status = check_convergence(problem_case.problem, problem_case.dataset, problem_case.start, steps);
  if (status.ok()) return "";
  EXPECT_EQ(status.error().kind, ErrorKind::usage);
  EXPECT_EQ(status.error().message.find('\n'), std::string::npos);
  return status.error().message;
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks: " << part;
}

// Loss 1 at the start; a step multiplies what is left of the slope's error by 1 - rate * curvature.
TEST(DivergenceTest, NamesKeyStableRatesAndTheStepsToTheFirstLossThatIsNotFinite) {
  Case line = raw_line(0.01);
  const std::string words = refusal(line, 1000);
  expect_contains(words, "/optimizer/learning_rate: found 0.01, at which training diverges: its loss grows from ");
  // Mean 0, standard deviation 1 and the bias: the Hessian is twice the identity.
  expect_contains(words, "which is 1 for standardised features (/standardise/features)");
  ReferenceState<double> state = to_reference<double>(line.start);
  const std::vector<double> losses = train(line.problem, line.dataset, state, 1000);
  std::size_t step = 0;
  while (std::isfinite(losses[step])) ++step;
  expect_contains(words, " in " + std::to_string(step) + " steps, not finite from step " + std::to_string(step + 1));
  expect_contains(refusal(raw_line(0.0004), 100), " in 100 steps; expected less than 0.0002");
  // In f32 the loss leaves the numbers earlier.
  const std::string wide = refusal(raw_line(0.01), 50);
  EXPECT_EQ(wide.find("not finite"), std::string::npos) << wide;
  expect_contains(refusal(raw_line(0.01, true, kLineRows, Dtype::f32), 50), "not finite from step ");
}

class StableRateTest : public ::testing::TestWithParam<OptimizerKind> {
 protected:
  static constexpr double kMomentum = 0.8;
  static double bound(double curvature) {
    switch (GetParam()) {
      case OptimizerKind::momentum:
        return 2 * (1 + kMomentum) / curvature;
      case OptimizerKind::nesterov:
        return 2 * (1 + kMomentum) / (1 + 2 * kMomentum) / curvature;
      default:
        return 2 / curvature;
    }
  }
  static Case line(double rate, bool bias = true) {
    return with_optimizer(raw_line(rate, bias), GetParam(), kMomentum);
  }
};

TEST_P(StableRateTest, IsThatOfTheLargestEigenvalue) {
  const double expected = bound(curvature_of_line());
  const Case one = line(0.01);
  EXPECT_NEAR(largest_stable_rate(one.problem, one.dataset)->rate, expected, 1e-6 * expected);
  double squares = 0;
  for (std::int64_t i = 0; i < kLineRows; ++i) squares += 4.0 * static_cast<double>(i * i);
  const double without_bias = bound(2 * squares / kLineRows);
  const Case other = line(0.01, false);
  const StableRate found = largest_stable_rate(other.problem, other.dataset).value();
  EXPECT_NEAR(found.rate, without_bias, 1e-6 * without_bias);
  EXPECT_NEAR(found.of_standardised, bound(2), 1e-6 * bound(2));
}

TEST_P(StableRateTest, DividesWhatIsRefusedFromWhatIsNot) {
  const double rate = bound(curvature_of_line());
  for (const std::int64_t steps : {20, 100, 5000}) {
    EXPECT_EQ(refusal(line(0.99 * rate), steps), "") << steps;
    EXPECT_NE(refusal(line(1.05 * rate), steps), "") << steps;
  }
  // What the bound says is what training does.
  for (const bool stable : {true, false}) {
    EXPECT_EQ(growth(line((stable ? 0.99 : 1.05) * rate), 5000) < 1, stable);
  }
}

INSTANTIATE_TEST_SUITE_P(, StableRateTest,
                         ::testing::Values(OptimizerKind::sgd, OptimizerKind::momentum, OptimizerKind::nesterov),
                         [](const auto& rule) { return std::string(scenario::name_of(rule.param)); });

TEST(DivergenceTest, IsLessSureOfBatches) {
  expect_contains(refusal(raw_line(0.01, true, 17), 1000), "expected less than about 0.0002");
}

// Nor where squares of features overflow.
TEST(DivergenceTest, HasNoBoundWhereItWouldNotBeRight) {
  Case decayed = raw_line(0.01);
  decayed.problem.optimizer.weight_decay = 0.1;
  Case scheduled = raw_line(0.01);
  scheduled.problem.optimizer.learning_rates = {0.001, 0.01};
  Case huge = raw_line(0.01);
  auto* x = reinterpret_cast<double*>(huge.dataset.memory.data() + huge.dataset.x_offset);
  for (std::int64_t i = 0; i < kLineRows; ++i) x[i] *= 1e200;
  for (const Case* other : {&decayed, &scheduled, &huge}) {
    EXPECT_FALSE(largest_stable_rate(other->problem, other->dataset).has_value());
    expect_contains(refusal(*other, 1000), "; expected a smaller one, or features near 1 (/standardise/features)");
  }
}

// What is bounded in its steps or its gradients goes far at once and oscillates there: it does not diverge.
TEST(DivergenceTest, LeavesOscillationAlone) {
  std::vector<Case> cases;
  for (const OptimizerKind kind : {OptimizerKind::adam, OptimizerKind::lion})
    cases.push_back(with_optimizer(raw_line(1e4), kind));
  cases.push_back(raw_line(1e4));
  cases.back().problem.loss = Loss::huber;
  for (const Case& far : cases) {
    EXPECT_GT(growth(far, 5), 1000) << "it goes nowhere: " << testing::describe(far.problem);
    for (const std::int64_t steps : {10, 40, 200})
      EXPECT_EQ(refusal(far, steps), "") << testing::describe(far.problem) << ", steps " << steps;
  }
}

// Near the bound momentum goes far before it comes back, to some ((1 + m) / (1 - m))^2 times the loss.
TEST(DivergenceTest, LeavesAnOvershootAlone) {
  constexpr double kMomentum = 0.99;
  const double rate = 0.9999 * 2 * (1 + kMomentum) / curvature_of_line();
  Case line = with_optimizer(raw_line(rate), OptimizerKind::momentum, kMomentum);
  ASSERT_GT(growth(line, 40), 1000) << "no overshoot to be left alone";
  for (const double decay : {0.0, 1e-9}) {  // with any decay there is no bound to go by
    line.problem.optimizer.weight_decay = decay;
    for (const std::int64_t steps : {5, 40, 100, 1000}) EXPECT_EQ(refusal(line, steps), "") << steps;
  }
}

// Every refusal of a network is one whose loss goes on growing.
TEST(DivergenceTest, RefusesNoRandomNetworkThatConverges) {
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Case network = testing::random_optimizer_case(seed * 1000, Dtype::f64);
    const double factor = std::vector<double>{1, 3, 10, 30}[seed % 4];
    for (double& rate : network.problem.optimizer.learning_rates) rate *= factor;
    const std::string words = refusal(network, 60);
    if (words.empty()) continue;
    ++refused;
    EXPECT_FALSE(growth(network, 600) < 1e6)
        << "seed " << seed << ": " << testing::describe(network.problem) << ", " << words;
  }
  EXPECT_GT(refused, 0) << "nothing to compare";
}

}  // namespace
}  // namespace gdbench::verify
