// The reference against trajectories that scripts/golden-trajectories computed with NumPy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "harness/verify/reference.h"
#include "tests/support/verify/cases.h"

namespace gdbench::verify {
namespace {

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
