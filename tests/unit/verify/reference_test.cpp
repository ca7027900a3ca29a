#include "harness/verify/reference.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/verify/norms.h"
#include "tests/support/verify/cases.h"

namespace gdbench::verify {
namespace {

using scenario::Activation, scenario::Dtype, scenario::Loss, scenario::Problem, testing::Case, testing::describe;
using testing::make_case, testing::make_problem;

// Central differences of the batch loss in long double, for every entry of every parameter.
void expect_gradients_match_differences(const Case& problem_case, std::int64_t step) {
  ReferenceState<long double> state = to_reference<long double>(problem_case.start);
  state.step = step;
  const auto analytic = gradients(problem_case.problem, problem_case.dataset, state);
  constexpr long double kStep = 1e-7L;
  for (std::size_t p = 0; p < state.parameters.size(); ++p) {
    std::vector<long double> differences;
    for (long double& value : state.parameters[p]) {
      const long double original = value;
      value = original + kStep;
      const long double above = gradients(problem_case.problem, problem_case.dataset, state).loss;
      value = original - kStep;
      const long double below = gradients(problem_case.problem, problem_case.dataset, state).loss;
      value = original;
      differences.push_back((above - below) / (2 * kStep));
    }
    // The differences' own error is of the order of kStep^2.
    EXPECT_LE(distance(differences, analytic.parameters[p]), 1e-9 * (1 + norm(differences)))
        << describe(problem_case.problem) << ", step " << step << ", parameter " << p;
  }
}

TEST(ReferenceTest, GradientsOfRandomShapesMatchFiniteDifferences) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Case problem_case = testing::random_case(seed * 77, Dtype::f64);
    const std::int64_t last = problem_case.problem.steps_per_epoch() - 1;
    for (const std::int64_t step : {last, last + 1}) expect_gradients_match_differences(problem_case, step);
  }
}

TEST(ReferenceTest, OutputActivationsAreDifferentiatedToo) {
  Problem problem = make_problem({3, 4, 2}, Activation::tanh, true, Loss::mse, 5, 5, Dtype::f64, 0.1);
  problem.layers.back().activation = Activation::sigmoid;
  expect_gradients_match_differences(make_case(problem, 9), 0);
}

TEST(ReferenceTest, SoftmaxStaysFiniteForLargeLogits) {
  const Problem problem =
      make_problem({1, 3}, Activation::identity, false, Loss::softmax_cross_entropy, 1, 1, Dtype::f32, 0.1);
  const auto dataset = testing::make_dataset(problem, {1}, {0}, {});
  const ReferenceState<float> state{0, {{-5000, 4000, 4000}}, {}};
  const auto batch = gradients(problem, dataset, state);
  EXPECT_NEAR(batch.loss, 9000 + std::log(2.0), 1e-3);
  EXPECT_FLOAT_EQ(batch.parameters[0][0], -1);
  EXPECT_FLOAT_EQ(batch.parameters[0][1], 0.5);
}

TEST(ReferenceTest, LearningRatesFollowTheSchedule) {
  const scenario::Optimizer optimizer{scenario::OptimizerKind::sgd, {0.5, 0.25}};
  EXPECT_EQ(learning_rate(optimizer, 0), 0.5);
  EXPECT_EQ(learning_rate(optimizer, 1), 0.25);
  EXPECT_EQ(learning_rate(optimizer, 7), 0.25);
  ReferenceState<double> state{1, {{1.0}}, {}};
  update(optimizer, {{2.0}}, state);
  EXPECT_EQ(state.parameters[0][0], 1.0 - 0.25 * 2.0);
}

TEST(ReferenceTest, CountsSubnormalNumbers) {
  const Problem problem = make_problem({2, 2, 1}, Activation::identity, false, Loss::mse, 1, 1, Dtype::f32, 0.1);
  const auto dataset = testing::make_dataset(problem, {1, 0}, {3}, {});
  const ReferenceState<double> state{0, {{1e-39, 1, 0, 0}, {1, 1}}, {}};
  EXPECT_EQ(subnormal_share(problem.dtype, state.parameters), 1.0 / 6);
  // A1 = 1e-39, 1; P = 1; dL/dP = 2 (P - Y) = -4; of the weights of layer 1 -4e-39, -4.
  const SubnormalShares shares = subnormal_shares(problem, dataset, state);
  EXPECT_EQ(shares.activations, 1.0 / 3);
  EXPECT_EQ(shares.gradients, 1.0 / 9);
  EXPECT_EQ(subnormal_share(Dtype::f64, state.parameters), 0);
  EXPECT_EQ(subnormal_share(Dtype::f32, {{1e-60, 0, 1}}), 0);  // becomes 0
}

TEST(TieTest, OneTieIsBoundedExactly) {
  // The hidden unit's pre-activation 1 * 0.5 + 2 * -0.25 is exactly 0. dL/dA = 2 (P - Y) v = 2 (0 - 3) * 4 = -24.
  const Problem problem = make_problem({2, 1, 1}, Activation::relu, false, Loss::mse, 1, 1, Dtype::f32, 0.1);
  const auto dataset = testing::make_dataset(problem, {1, 2}, {3}, {});
  const ReferenceState<double> state{0, {{0.5, -0.25}, {4}}, {}};
  const auto batch = gradients(problem, dataset, state);
  EXPECT_EQ(batch.parameters[0], (std::vector<double>{0, 0}));
  EXPECT_DOUBLE_EQ(batch.tie_allowance[0], 24 * std::sqrt(5.0));
  EXPECT_EQ(batch.tie_allowance[1], 0);
  const auto flipped = gradients(problem, dataset, state, Ties::flipped);
  EXPECT_DOUBLE_EQ(distance(batch.parameters[0], flipped.parameters[0]), batch.tie_allowance[0]);
}

TEST(TieTest, TiesOfOneRowInTwoLayersAddUp) {
  // Both hidden units get 0, so nothing passes the upper one; with a touch more both pass, and dL/dZ0 is
  // 2 (0 - 3) * 4 * 2 = -48.
  const Problem problem = make_problem({2, 1, 1, 1}, Activation::relu, false, Loss::mse, 1, 1, Dtype::f32, 0.1);
  const auto dataset = testing::make_dataset(problem, {1, 2}, {3}, {});
  const ReferenceState<double> state{0, {{0.5, -0.25}, {2}, {4}}, {}};
  const ReferenceState<double> shifted{0, {{0.5, -0.25 + 1e-9}, {2}, {4}}, {}};
  const auto closed = gradients(problem, dataset, state);
  const auto open = gradients(problem, dataset, shifted);
  EXPECT_NEAR(distance(closed.parameters[0], open.parameters[0]), 48 * std::sqrt(5.0), 1e-5);
  EXPECT_NEAR(closed.tie_allowance[0], 48 * std::sqrt(5.0), 1e-5);
}

TEST(TieTest, NoTieNoAllowance) {
  const Case problem_case =
      make_case(make_problem({4, 8, 8, 2}, Activation::relu, true, Loss::mse, 20, 20, Dtype::f32, 0.1), 3);
  const auto batch = gradients(problem_case.problem, problem_case.dataset, to_reference<double>(problem_case.start));
  for (const double allowance : batch.tie_allowance) EXPECT_EQ(allowance, 0);
}

TEST(TieTest, AbsentInputsAreNoTie) {
  const Problem problem = make_problem({2, 3, 1}, Activation::relu, false, Loss::mse, 1, 1, Dtype::f32, 0.1);
  const auto dataset = testing::make_dataset(problem, {0, 0}, {3}, {});
  const ReferenceState<double> state{0, {{1, 2, 3, 4, 5, 6}, {1, 1, 1}}, {}};
  EXPECT_EQ(gradients(problem, dataset, state).tie_allowance[0], 0);
}

// The unit `unit` of layer `index` gets a bias that makes its pre-activation of row 0 zero up to rounding.
void make_tie(Case& problem_case, std::size_t index, std::size_t unit) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < problem_case.problem.layers.front().inputs; ++i) {
    values.push_back(static_cast<double>(problem_case.dataset.x<float>()[i]));
  }
  for (std::size_t l = 0; l <= index; ++l) {
    const std::vector<double>& weights = problem_case.start.parameters[2 * l];
    std::vector<double>& bias = problem_case.start.parameters[2 * l + 1];
    std::vector<double> sums(bias.size());
    for (std::size_t j = 0; j < bias.size(); ++j) {
      for (std::size_t i = 0; i < values.size(); ++i) sums[j] += values[i] * weights[i * bias.size() + j];
      if (l == index && j == unit) bias[j] = -sums[j] + 1e-9;
      sums[j] = std::max(0.0, sums[j] + bias[j]);
    }
    values = sums;
  }
}

TEST(TieTest, AllowanceBoundsTheEffectOfTiesWithoutBeingLoose) {
  int effects = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Case problem_case =
        make_case(make_problem({5, 7, 6, 3}, Activation::relu, true, Loss::mse, 9, 9, Dtype::f32, 0.1), seed);
    make_tie(problem_case, seed % 2, 1);
    if (seed % 3 == 0) make_tie(problem_case, 1, 4);
    const auto state = to_reference<double>(problem_case.start);
    const auto batch = gradients(problem_case.problem, problem_case.dataset, state);
    const auto flipped = gradients(problem_case.problem, problem_case.dataset, state, Ties::flipped);
    for (std::size_t p = 0; p < state.parameters.size(); ++p) {
      const double effect = distance(batch.parameters[p], flipped.parameters[p]);
      EXPECT_LE(effect, batch.tie_allowance[p] * (1 + 1e-12)) << "seed " << seed << ", parameter " << p;
      if (effect == 0) continue;
      ++effects;
      EXPECT_LE(batch.tie_allowance[p], 3 * effect) << "seed " << seed << ", parameter " << p;
    }
    EXPECT_EQ(batch.tie_allowance[4], 0) << "a tie does not reach the layer above";
  }
  EXPECT_GT(effects, 40);
}

}  // namespace
}  // namespace gdbench::verify
