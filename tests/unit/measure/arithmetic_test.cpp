// What verification makes of implementations that round otherwise, or take the rows in another order.
#include <functional>
#include <string>
#include <vector>

#include "harness/base/text.h"
#include "harness/measure/verify_cell.h"
#include "harness/verify/reference_trajectory.h"
#include "tests/unit/measure/fake_run.h"

namespace gdbench::measure {
namespace {

using report::CellState;

class ArithmeticTest : public FakeRun {
 protected:
  using Computes = std::function<void(scenario::Problem& problem)>;

  void add_computing(const std::string& id, const std::vector<std::string>& capabilities, const Computes& computes) {
    add(id).computes = computes;
    catalogue_.back().implementation.capabilities = capabilities;
    catalogue_.back().implementation.dtypes = {"f32", "bf16"};
    catalogue_.back().implementation.activations = {"identity", "relu"};
  }
};

const auto kAsItIs = [](scenario::Problem& /*problem*/) {};

TEST_F(ArithmeticTest, CoarserProductsAreAllowedForWhereTheyAreDeclared) {
  const auto a_little_off = [](scenario::Problem& problem) { problem.optimizer.learning_rates.front() *= 1.0005; };
  add_computing("a/exact", {}, a_little_off);
  add_computing("b/tf32", {"tf32_products"}, a_little_off);
  // What is declared of other dtypes does not matter.
  add_computing("c/of bf16", {"rounds_results", "rounds_parameters", "rounds_stochastically"}, kAsItIs);
  plan_and_run();
  expect_status(0, CellState::wrong, "leaves the reference at step ...");
  expect_status(1, CellState::ok, "");
  expect_status(2, CellState::ok, "");
}

TEST_F(ArithmeticTest, ParametersAreRoundedAsItIsDeclared) {
  using catalogue::ParameterRounding;
  const Computes nearest = [](scenario::Problem& problem) { problem.parameter_rounding = ParameterRounding::nearest; };
  const Computes stochastic = [](scenario::Problem& problem) {
    problem.parameter_rounding = ParameterRounding::stochastic;
  };
  add_computing("a/wide", {}, kAsItIs);
  add_computing("b/nearest", {"rounds_parameters"}, nearest);
  add_computing("c/stochastic", {"rounds_stochastically"}, stochastic);
  add_computing("d/undeclared", {}, nearest);
  add_computing("e/declared only", {"rounds_parameters"}, kAsItIs);
  add_computing("f/another", {"rounds_parameters"}, stochastic);
  plan_and_run({"mlp-10-50-1"}, {{"dtype", "bf16"}, {"learning_rate", "0.1"}, {"rows", "16"}});
  for (const std::size_t right : {0U, 1U, 2U}) expect_status(right, CellState::ok, "");
  expect_status(3, CellState::wrong, "leaves the reference in step 1: ...");
  EXPECT_EQ(cell(3).verification.value().steps, 1);
  EXPECT_GT(cell(3).verification.value().tensors.at(0).error, 0);
  EXPECT_EQ(cell(4).status.state, CellState::wrong);
  EXPECT_NE(cell(4).status.reason.find("expected a bfloat16"), std::string::npos) << cell(4).status.reason;
  expect_status(5, CellState::wrong, "leaves the reference in step 1: ...");
}

TEST_F(ArithmeticTest, RoundedResultsAreNoExcuseForRoundingNothing) {
  const auto nothing = [](scenario::Problem& problem) { problem = verify::uniform_of(problem); };
  add_computing("a/rounds", {"rounds_results"}, [](scenario::Problem& problem) { problem.rounds_results = true; });
  add_computing("b/operands", {"rounds_results"}, kAsItIs);
  add_computing("c/nothing", {"rounds_results"}, nothing);
  add_computing("d/nothing, undeclared", {}, nothing);
  plan_and_run({"linreg-300x2"}, {{"dtype", "bf16"}, {"learning_rate", "0.1"}});
  expect_status(0, CellState::ok, "");
  expect_status(1, CellState::ok, "");
  expect_status(2, CellState::wrong, "rounds nothing: its step is that of f32, within the tolerance of that");
  expect_status(3, CellState::wrong, "leaves the reference in step 1: ...");
}

TEST_F(ArithmeticTest, WhatIsTooCoarseToBeToldFromWrongIsNotJudged) {
  add_computing("a/wide", {}, kAsItIs);
  add_computing("b/stochastic", {"rounds_stochastically"}, kAsItIs);
  plan_and_run({"linreg-300x2"}, {{"dtype", "bf16"}, {"learning_rate", "0.1"}});
  expect_status(0, CellState::ok, "");
  expect_status(1, CellState::unsupported,
                "too coarse to be verified here: one step ends within the tolerance of one that rounds parameters "
                "otherwise, so a wrong result could not be distinguished from a right one");
}

// Its trajectory is nobody else's: that it learns, and states the loss of its parameters, is all there is to check.
TEST_F(ArithmeticTest, AnOrderOfItsOwnIsJudgedByItsLoss) {
  const auto add_shuffling = [this](const std::string& id) -> tests::FakeWorker& {
    tests::FakeWorker& worker = add(id);
    catalogue_.back().implementation.capabilities = {"shuffle", "own_order"};
    return worker;
  };
  add_shuffling("a/learns");
  add_shuffling("b/does nothing").steps_made = [](std::uint64_t /*steps*/) { return 0; };
  add_shuffling("c/flatters").stated_loss_factor = 0.9;
  plan_and_run({"linreg-300x2"}, {{"batch", "32"}, {"batch.shuffle", "true"}});
  expect_status(0, CellState::ok, "");
  const report::Verification& verification = cell(0).verification.value();
  EXPECT_EQ(verification.steps, 1000);
  EXPECT_LT(verification.final_loss, verification.initial_loss / 2);
  const std::string before = formatted("%.6g", verification.initial_loss);
  const std::string after = formatted("%.6g", verification.final_loss);
  expect_status(1, CellState::wrong,
                cat("its loss is ", before, " after 1000 steps, no less than ", before, " at the start"));
  expect_status(2, CellState::wrong,
                cat("states the loss ", formatted("%.6g", 0.9 * verification.final_loss),
                    " after 1000 steps, the reference evaluates its parameters to ", after));
}

}  // namespace
}  // namespace gdbench::measure
