// What is verified of a cell before it is timed, by which references, also of one that rounds otherwise or takes the
// rows in another order; and which blocks it gets.
#include "harness/measure/verify_cell.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/base/text.h"
#include "harness/verify/reference_trajectory.h"
#include "tests/unit/measure/fake_run.h"

namespace gdbench::measure {
namespace {

using protocol::BlockAnswer;
using report::CellState;

using VerifyCellTest = FakeRun;

TEST_F(VerifyCellTest, RecordsHowFarFromTheReferenceItEnds) {
  add("a/right");
  plan_and_run();
  const report::Verification& verification = cell(0).verification.value();
  EXPECT_EQ(verification.steps, 5);
  EXPECT_FALSE(verification.sampled);
  EXPECT_LT(verification.final_loss, verification.initial_loss);
  ASSERT_FALSE(verification.tensors.empty());
  for (const report::TensorCheck& tensor : verification.tensors) {
    EXPECT_LE(tensor.error, tensor.tolerance) << tensor.name;
    EXPECT_GT(tensor.tolerance, 0) << tensor.name;
  }
}

TEST_F(VerifyCellTest, SaysWhatIsWrong) {
  add("miscounts").says = [](BlockAnswer& answer) { answer.end_step += answer.end_step > 1 ? 1 : 0; };
  add("stops early").steps_made = [](std::uint64_t steps) { return steps == 5 ? 4 : steps; };
  add("needs whole blocks").steps_made = [](std::uint64_t steps) { return steps < 5 ? steps - 1 : steps; };
  add("flatters").stated_loss_factor = 0.9;
  add("states no loss");
  add("dies of it");
  on_request_["states no loss"] = fail_after(0, "evaluate", unsupported("no evaluation"));
  on_request_["dies of it"] = fail_after(0, "evaluate", Error{ErrorKind::crashed, "signal 11"});
  plan_and_run();
  expect_status(0, CellState::wrong,
                "leaves the reference at step 2: the state's step number is 3, expected 2, after 2 steps");
  expect_status(1, CellState::wrong, "leaves the reference at step 5: ...");
  expect_status(2, CellState::wrong, "in two parts (...");
  expect_status(3, CellState::wrong, "leaves the reference at step 5: the loss is ...");
  expect_status(4, CellState::ok, "");
  expect_status(5, CellState::crashed, "signal 11");
  for (const report::Cell& cell : report_.cells) {
    const bool is_timed = cell.implementation == "states no loss";
    EXPECT_EQ(cell.block.has_value(), is_timed) << cell.id;
    EXPECT_EQ(cell.launches.size(), is_timed ? 2U : 0U) << cell.id;
    EXPECT_EQ(cell.samples.empty(), !is_timed) << cell.id;
  }
}

TEST_F(VerifyCellTest, BothPartsOfADividedBlockHaveSteps) {
  int empty_blocks = 0;
  add("a/right").steps_made = [&](std::uint64_t steps) {
    empty_blocks += steps == 0 ? 1 : 0;
    return steps;
  };
  constexpr int kSeeds = 20;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    options_.seed = static_cast<std::uint64_t>(seed);
    plan_and_run();
    expect_status(0, CellState::ok, "");
  }
  EXPECT_EQ(empty_blocks, (5 + 2 * 5) * kSeeds) << "those that are timed, of verification and of two launches";
}

TEST_F(VerifyCellTest, WhereNoWorkerCanBeStartedNoCellIsToBlame) {
  add("a/right");
  on_request_["a/right"] = fail_after(0, "start", Error{ErrorKind::exhausted, "no more processes"});
  make_plan();
  journal_ = report::Journal::nowhere();
  const Status status = run_session(plan_, options_, report_, journal_);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "no more processes");
  EXPECT_EQ(cell(0).status.state, CellState::pending);
}

TEST_F(VerifyCellTest, WhoAnswersLongAfterItsTimesAreOverIsNotBelieved) {
  add("a/early").says = [](BlockAnswer& answer) {
    if (answer.end_step == 20) answer.received_ns += 900'000'000;
  };
  add("b/waits when it is read").says = [](BlockAnswer& answer) {
    if (answer.end_step == 20) answer.outside.real_ns = 900'000'000;
  };
  plan_and_run();
  expect_status(0, CellState::untrusted, "says that 20 steps take 2 ms, and the answer came after 902 ms");
  expect_status(1, CellState::untrusted, "says that 20 steps take 2 ms, and the answer came after 902 ms");
}

TEST_F(VerifyCellTest, ABlockHasTheStepsAndTheRateThatKeepItFromTheFixedPoint) {
  int empty_blocks = 0;
  add("a/slow").says = [&](BlockAnswer& answer) {
    if (answer.end_step == 0) answer.real_ns = ++empty_blocks == 3 ? 400 : 500;
  };
  add("b/quick").step_ns = 1000;
  plan_and_run();
  const std::int64_t steps = plan_.scenarios[0]->scenario.steps;
  const double rate = plan_.scenarios[0]->problem.optimizer.learning_rates.front();
  EXPECT_EQ(cell(0).block->empty_block_ns, 400) << "the least of several";
  EXPECT_EQ(cell(0).block->steps, 20U);
  EXPECT_EQ(cell(0).block->learning_rate, rate);
  EXPECT_FALSE(cell(0).block->reduced_learning_rate);
  EXPECT_EQ(cell(1).block->steps, 2000U);
  EXPECT_EQ(cell(1).block->warm_up_steps, 100U) << "0.1 ms";
  EXPECT_DOUBLE_EQ(cell(1).block->learning_rate, rate * static_cast<double>(steps) / 2000);
  EXPECT_TRUE(cell(1).block->reduced_learning_rate);
}

TEST_F(VerifyCellTest, SaysHowFarTheWorstTensorIsOffByTheEnd) {
  add("a/fast").computes = [](scenario::Problem& problem) { problem.optimizer.learning_rates.front() *= 1.5; };
  catalogue_.back().implementation.activations = {"identity", "relu"};
  plan_and_run({"mlp-10-50-1"}, {{"rows", "16"}});
  const std::vector<report::TensorCheck>& tensors = cell(0).verification.value().tensors;
  ASSERT_EQ(tensors.size(), 4U);
  const report::TensorCheck& worst = *std::ranges::max_element(tensors, {}, &report::TensorCheck::relative);
  expect_status(0, CellState::wrong,
                formatted("leaves the reference at step 1: ..., after 1 step); %s is off by %.1e, %.1e of its norm, "
                          "after 5 steps",
                          worst.name.c_str(), worst.error, worst.relative));
}

TEST_F(VerifyCellTest, WhatTakesNoTimeGetsAsManyStepsAsCanBeCounted) {
  tests::FakeWorker& worker = add("a/nothing");
  worker.step_ns = 0;
  worker.steps_made = [](std::uint64_t steps) { return std::min<std::uint64_t>(steps, 10); };
  plan_and_run();
  EXPECT_EQ(cell(0).block->steps, 100'000'000U);
  // The reference cannot say how far so many move the parameters, of which a start is varied by a share: then by some
  // of the last bits.
  EXPECT_NE(worker.starts.back(), worker.starts.front());
  for (const std::vector<double>& start : worker.starts) {
    for (std::size_t i = 0; i < start.size(); ++i) EXPECT_NEAR(start[i], worker.starts.front()[i], 1e-3);
  }
}

TEST_F(VerifyCellTest, CellsOfAUnitHaveBlocksOfTheSameSteps) {
  add("a/slow");
  add("b/quick").step_ns = 1000;
  add("c/of another unit").step_ns = 1000;
  make_plan();
  std::vector<PlannedCell>& cells = plan_.scenarios[0]->cells;
  cells[1].unit = cells[0].unit;
  run();
  EXPECT_EQ(cell(0).block->steps, 20U);
  EXPECT_EQ(cell(1).block->steps, 20U);
  EXPECT_EQ(cell(2).block->steps, 2000U);
}

TEST_F(VerifyCellTest, TimedBlocksScaleEveryRateOfASchedule) {
  add("a/right");
  make_plan();
  PlannedScenario& planned = *plan_.scenarios[0];
  planned.problem.optimizer.learning_rates = {0.5, 0.25};
  const scenario::Problem problem = timed_problem(planned, planned.cells[0], {.learning_rate = 0.1});
  EXPECT_EQ(problem.optimizer.learning_rates, (std::vector<double>{0.1, 0.05}));
}

class ArithmeticTest : public FakeRun {
 protected:
  using Computes = std::function<void(scenario::Problem& problem)>;
  struct Declared {
    const char* id;
    std::vector<std::string> capabilities;
    Computes computes;
    CellState state;
    const char* reason;
  };

  void expect_statuses(const char* scenario, const std::vector<scenario::Setting>& settings,
                       const std::vector<Declared>& all) {
    for (const Declared& each : all) {
      add(each.id).computes = each.computes;
      protocol::ImplementationDescription& implementation = catalogue_.back().implementation;
      implementation.capabilities = each.capabilities;
      implementation.dtypes = {"f32", "bf16"};
      implementation.activations = {"identity", "relu"};
    }
    plan_and_run({scenario}, settings);
    for (std::size_t i = 0; i < all.size(); ++i) expect_status(i, all[i].state, all[i].reason);
  }

  const Computes as_it_is_ = [](scenario::Problem& /*problem*/) {};
  const std::vector<scenario::Setting> bf16_ = {{"dtype", "bf16"}, {"learning_rate", "0.1"}};
};

TEST_F(ArithmeticTest, CoarserProductsAreAllowedForWhereTheyAreDeclared) {
  const Computes a_little_off = [](scenario::Problem& problem) { problem.optimizer.learning_rates.front() *= 1.0005; };
  expect_statuses(
      "linreg-3x2", {},
      {{"a/exact", {}, a_little_off, CellState::wrong, "leaves the reference at step ..."},
       {"b/tf32", {"tf32_products"}, a_little_off, CellState::ok, ""},
       // What is declared of other dtypes does not matter.
       {"c", {"rounds_results", "rounds_parameters", "rounds_stochastically"}, as_it_is_, CellState::ok, ""}});
}

TEST_F(ArithmeticTest, ParametersAreRoundedAsItIsDeclared) {
  using catalogue::ParameterRounding;
  const Computes nearest = [](scenario::Problem& problem) { problem.parameter_rounding = ParameterRounding::nearest; };
  const Computes stochastic = [](scenario::Problem& problem) {
    problem.parameter_rounding = ParameterRounding::stochastic;
  };
  const char* const leaves = "leaves the reference in step 1: ...";
  const char* const wide = "leaves the reference ..., expected a bfloat16, after 1 step";
  expect_statuses("mlp-10-50-1", {bf16_[0], bf16_[1], {"rows", "16"}},
                  {{"a/wide", {}, as_it_is_, CellState::ok, ""},
                   {"b/nearest", {"rounds_parameters"}, nearest, CellState::ok, ""},
                   {"c/stochastic", {"rounds_stochastically"}, stochastic, CellState::ok, ""},
                   {"d/undeclared", {}, nearest, CellState::wrong, leaves},
                   {"e/declared only", {"rounds_parameters"}, as_it_is_, CellState::wrong, wide},
                   {"f/another", {"rounds_parameters"}, stochastic, CellState::wrong, leaves}});
  EXPECT_EQ(cell(3).verification.value().steps, 1);
  EXPECT_GT(cell(3).verification.value().tensors.at(0).error, 0);
}

TEST_F(ArithmeticTest, RoundedResultsAreNoExcuseForRoundingNothing) {
  const Computes rounded = [](scenario::Problem& problem) { problem.rounds_results = true; };
  const Computes nothing = [](scenario::Problem& problem) { problem = verify::uniform_of(problem); };
  expect_statuses("linreg-300x2", bf16_,
                  {{"a/rounds", {"rounds_results"}, rounded, CellState::ok, ""},
                   {"b/operands", {"rounds_results"}, as_it_is_, CellState::ok, ""},
                   {"c/nothing",
                    {"rounds_results"},
                    nothing,
                    CellState::wrong,
                    "rounds nothing: its step is that of f32, within the tolerance of that"},
                   {"d/nothing, undeclared", {}, nothing, CellState::wrong, "leaves the reference in step 1: ..."},
                   {"e/stochastic",
                    {"rounds_stochastically"},
                    as_it_is_,
                    CellState::unsupported,
                    "too coarse to be verified here: one step ends within the tolerance of one that rounds parameters "
                    "otherwise, so a wrong result could not be distinguished from a right one"}});
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

class ReferenceTrajectoriesTest : public FakeRun {
 protected:
  std::size_t kept() const {
    const std::filesystem::path cache = folder_.path() / "cache";
    if (!std::filesystem::exists(cache)) return 0;
    const std::filesystem::directory_iterator entries(cache);
    return static_cast<std::size_t>(std::ranges::distance(entries));
  }
  ReferenceTrajectories references() {
    options_.reference_cache = folder_.path() / "cache";
    return {*plan_.scenarios[0], options_};
  }
};

TEST_F(ReferenceTrajectoriesTest, KeepWhatTakesLongToMake) {
  add("a/tf32");
  catalogue_.back().implementation.capabilities = {"tf32_products"};
  make_plan();
  EXPECT_TRUE(references().status().ok());
  EXPECT_EQ(kept(), 0U) << "quicker to make than to read";
  const auto seconds = [this] { return verify::reference_seconds(plan_.scenarios[0]->problem, {}); };
  for (int rows = 50'000; seconds() < 0.05; rows *= 2) {
    report_ = {};
    make_plan({"mlp-10-50-1"}, {{"rows", std::to_string(rows)}, {"model.layers.0.activation", "identity"}});
  }
  EXPECT_TRUE(references().status().ok());
  EXPECT_EQ(kept(), 1U);
  ReferenceTrajectories found = references();
  EXPECT_EQ(kept(), 1U);
  EXPECT_TRUE(found.of(plan_.scenarios[0]->cells.at(0)).ok());
  EXPECT_EQ(kept(), 2U) << "that of another arithmetic";
}

TEST_F(ReferenceTrajectoriesTest, NameTheScenarioThatIsUnfit) {
  add("a/right");
  const auto words = [this](const std::string& scenario, const std::vector<scenario::Setting>& settings) {
    report_ = {};
    make_plan({scenario}, settings);
    const Status status = references().status();
    EXPECT_TRUE(status.ok() || status.error().kind == ErrorKind::usage);
    return status.ok() ? "" : status.error().message;
  };
  const std::string diverged = words("linreg-3x2", {{"learning_rate", "1e20"}});
  EXPECT_NE(diverged.find("/scenarios/linreg-3x2.json: /optimizer/learning_rate: found 1e+20, at which training "
                          "diverges: its loss or its parameters are not finite from step 2; expected less than "),
            std::string::npos)
      << diverged;
  // So is one that is shorter than the reference.
  EXPECT_NE(words("linreg-3x2", {{"learning_rate", "1e20"}, {"steps", "1"}}).find("; expected less than "),
            std::string::npos);
  // Five steps beyond the bound are nothing yet; as many as the scenario has are followed.
  EXPECT_EQ(words("linreg-300x2", {{"learning_rate", "1.5"}, {"steps", "2"}}), "");
  EXPECT_NE(words("linreg-300x2", {{"learning_rate", "1.5"}, {"steps", "50"}}), "");
  options_.limits.memory_bytes = 100;
  const std::string large = words("linreg-3x2", {});
  EXPECT_NE(large.find("/scenarios/linreg-3x2.json: /model: found 2 parameters"), std::string::npos) << large;
}

}  // namespace
}  // namespace gdbench::measure
