// The reference: trajectories that scripts/golden-trajectories computed with NumPy, and what is special to some states.
#include "harness/verify/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "harness/verify/norms.h"
#include "tests/support/verify/cases.h"

namespace gdbench::verify {
namespace {

using scenario::Activation, scenario::Dtype, scenario::Loss, scenario::Problem, testing::Case;
using testing::make_case, testing::make_problem;

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

// The losses of the batches in their order, beside parameters that stay.
TEST(ReferenceTest, AddsUpLossesOfTheForwardPass) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Case trained = testing::random_case(seed, Dtype::f64);
    Problem forward = trained.problem;
    forward.task = scenario::Task::forward;
    forward.optimizer = {.learning_rates = {1.0}};
    ReferenceState<double> state = to_reference<double>(trained.start);
    state.parameters.push_back({0.25});
    ReferenceState<double> expected = to_reference<double>(trained.start);
    expected.parameters.push_back({0.25});
    for (; expected.step < 5; ++expected.step) {
      expected.parameters.back()[0] += plain_gradients(trained.problem, trained.dataset, expected).loss;
    }
    train(forward, trained.dataset, state, 5);
    EXPECT_EQ(state.parameters, expected.parameters) << testing::describe(forward);
    EXPECT_EQ(state.step, expected.step);
  }
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
    const auto untied = gradients(problem_case.problem, problem_case.dataset, to_reference<double>(problem_case.start));
    for (const double allowance : untied.tie_allowance) EXPECT_EQ(allowance, 0) << "seed " << seed;
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

using nlohmann::json;

// Relative to the largest entry of the same tensor: entries that cancel to nearly zero have no relative accuracy.
constexpr double kRelative = 1e-12;

std::vector<std::filesystem::path> golden_files() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder = std::filesystem::path(GDBENCH_SOURCE_DIR) / "tests/golden/trajectories";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  return files;
}

// The enumerator among 0, 1, ... count - 1 that has a name.
template <class Enum>
Enum named(const json& name) {
  return catalogue::find<Enum>(name.get<std::string>()).value();
}

scenario::Optimizer optimizer_of(const json& golden) {
  const json& settings = golden["optimizer"];
  scenario::Optimizer optimizer;
  optimizer.kind = named<catalogue::OptimizerKind>(settings["kind"]);
  optimizer.learning_rates = golden["learning_rates"].get<std::vector<double>>();
  for (const catalogue::OptimizerConstant* constant : catalogue::kOptimizerConstants) {
    optimizer.*constant->member = settings.value(constant->name, 0.0);
  }
  optimizer.epsilon_place = named<catalogue::EpsilonPlace>(settings.value("epsilon_place", "outside"));
  optimizer.weight_decay = settings.value("weight_decay", 0.0);
  optimizer.decoupled_weight_decay = settings.value("decoupled_weight_decay", false);
  return optimizer;
}

scenario::Problem problem_of(const json& golden) {
  scenario::Problem problem;
  problem.dtype = named<scenario::Dtype>(golden.value("dtype", "f64"));
  problem.loss = {named<catalogue::Loss>(golden["loss"]), golden.value("huber_delta", 1.0)};
  problem.rows = golden["rows"];
  problem.batch_rows = golden["batch_rows"];
  problem.optimizer = optimizer_of(golden);
  if (golden.contains("loss_scaling")) {
    const json& scaling = golden["loss_scaling"];
    problem.loss_scaling = {scaling["initial"].get<double>(), scaling["growth_interval"].get<std::int64_t>()};
  }
  for (const json& layer : golden["layers"]) {
    problem.layers.push_back({layer["inputs"], layer["outputs"], named<catalogue::Activation>(layer["activation"]),
                              layer["bias"], named<catalogue::Normalization>(layer.value("normalization", "none"))});
  }
  return problem;
}

template <class T>
void expect_close(const std::vector<T>& actual, const json& expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  double largest = 0;
  for (const json& value : expected) largest = std::max(largest, std::abs(value.get<double>()));
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(actual[i]), expected[i].get<double>(), kRelative * largest)
        << what << "[" << i << "]";
  }
}

template <class T>
void expect_trajectory(const json& golden) {
  const scenario::Problem problem = problem_of(golden);
  std::vector<std::uint32_t> order;
  for (const json& epoch : golden["order"]) {
    const auto rows = epoch.get<std::vector<std::uint32_t>>();
    order.insert(order.end(), rows.begin(), rows.end());
  }
  const auto dataset = testing::make_dataset(problem, golden["x"].get<std::vector<double>>(),
                                             golden["targets"].get<std::vector<double>>(), order);
  scenario::State start{0, golden["initial_parameters"].get<std::vector<std::vector<double>>>(), {}};
  if (golden.contains("loss_scaling")) start.loss_scaling = {problem.loss_scaling.initial, 0, 0};
  ReferenceState<T> state = to_reference<T>(start);
  expect_close(train(problem, dataset, state, golden["steps"]), golden["losses"], "losses");
  ASSERT_EQ(state.parameters.size(), golden["final_parameters"].size());
  for (std::size_t p = 0; p < state.parameters.size(); ++p) {
    expect_close(state.parameters[p], golden["final_parameters"][p], "parameter " + std::to_string(p));
  }
  if (golden.contains("loss_scaling")) {
    EXPECT_EQ(state.skipped, golden["loss_scaling"]["skipped"].get<std::int64_t>());
  }
  const double final_loss = golden["final_loss"];
  EXPECT_NEAR(static_cast<double>(evaluate(problem, dataset, state)), final_loss, kRelative * final_loss);
}

template <class Enum>
void expect_all(const std::set<Enum>& found) {
  for (const Enum value : catalogue::all_of<Enum>()) {
    EXPECT_TRUE(found.contains(value)) << "no trajectory has " << catalogue::name_of(value);
  }
}

TEST(GoldenTrajectoriesTest, ReferenceAgreesWithNumPy) {
  const auto files = golden_files();
  std::set<catalogue::OptimizerKind> optimizers;
  std::set<catalogue::Activation> activations;
  std::set<catalogue::Loss> losses;
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename().string());
    std::ifstream stream(file);
    const json golden = json::parse(stream);
    const scenario::Problem problem = problem_of(golden);
    optimizers.insert(problem.optimizer.kind);
    losses.insert(problem.loss);
    for (const scenario::Layer& layer : problem.layers) activations.insert(layer.activation);
    expect_trajectory<double>(golden);
    expect_trajectory<long double>(golden);
  }
  expect_all(optimizers);
  expect_all(activations);
  expect_all(losses);
}

}  // namespace
}  // namespace gdbench::verify
