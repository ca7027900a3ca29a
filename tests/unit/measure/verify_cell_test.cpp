// What is verified of a cell before it is timed, and which blocks it gets.
#include "harness/measure/verify_cell.h"

#include <string>

#include "tests/unit/measure/fake_run.h"

namespace gdbench::measure {
namespace {

using protocol::BlockAnswer;
using report::CellState;

using VerifyCellTest = FakeRun;

TEST_F(VerifyCellTest, RecordsHowFarFromTheReferenceItEnds) {
  add("a/right");
  make_plan();
  run();
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

TEST_F(VerifyCellTest, WhoStatesAnotherStepIsWrong) {
  add("a/miscounts").says = [](BlockAnswer& answer) { answer.end_step += answer.end_step > 1 ? 1 : 0; };
  make_plan();
  run();
  expect_status(0, CellState::wrong,
                "leaves the reference at step 2: the state's step number is 3, expected 2, after 2 steps");
}

TEST_F(VerifyCellTest, WhoStatesAnotherLossIsWrong) {
  add("a/flatters").stated_loss_factor = 0.9;
  make_plan();
  run();
  EXPECT_EQ(cell(0).status.state, CellState::wrong);
  EXPECT_NE(cell(0).status.reason.find("loss"), std::string::npos) << cell(0).status.reason;
}

TEST_F(VerifyCellTest, WhatAStepDoesMustNotDependOnWhereABlockBegins) {
  add("a/needs whole blocks").steps_made = [](std::uint64_t steps) { return steps < 5 ? steps - 1 : steps; };
  make_plan();
  run();
  EXPECT_EQ(cell(0).status.state, CellState::wrong);
  EXPECT_TRUE(cell(0).status.reason.starts_with("in two parts (")) << cell(0).status.reason;
}

TEST_F(VerifyCellTest, WhoAnswersLongAfterItsTimesAreOverIsNotBelieved) {
  add("a/early").says = [](BlockAnswer& answer) {
    if (answer.end_step == 20) answer.received_ns += 900'000'000;
  };
  make_plan();
  run();
  expect_status(0, CellState::untrusted, "says that 20 steps take 2 ms, and the answer came after 902 ms");
}

TEST_F(VerifyCellTest, ABlockHasTheStepsAndTheRateThatKeepItFromTheFixedPoint) {
  add("a/slow");
  add("b/quick").step_ns = 1000;
  make_plan();
  run();
  const std::int64_t steps = plan_.scenarios[0]->scenario.steps;
  const double rate = plan_.scenarios[0]->problem.optimizer.learning_rates.front();
  EXPECT_EQ(cell(0).block->empty_block_ns, 500);
  EXPECT_EQ(cell(0).block->steps, 20U);
  EXPECT_EQ(cell(0).block->learning_rate, rate);
  EXPECT_FALSE(cell(0).block->reduced_learning_rate);
  EXPECT_EQ(cell(1).block->steps, 2000U);
  EXPECT_EQ(cell(1).block->warm_up_steps, 100U) << "0.1 ms";
  EXPECT_DOUBLE_EQ(cell(1).block->learning_rate, rate * static_cast<double>(steps) / 2000);
  EXPECT_TRUE(cell(1).block->reduced_learning_rate);
}

}  // namespace
}  // namespace gdbench::measure
