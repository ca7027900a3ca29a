// Trainings to a target over workers that follow a script.
#include "harness/measure/target_run.h"

#include <cmath>

#include "harness/verify/reference.h"
#include "tests/unit/measure/fake_run.h"

namespace gdbench::measure {
namespace {

using report::TargetState;

class TargetRunTest : public FakeRun {
 protected:
  TargetRunTest() : worker_(add("a/plain")) {}

  Result<report::TargetRun> train(double seconds = 1e6, std::int64_t max_steps = 1000) {
    report_ = {};
    make_plan({"linreg-300x10-target"});
    planned().scenario.target->max_steps = max_steps;
    return run_to_target(planned(), planned().cells.at(0), options_, seconds, report_.cells.at(0));
  }

  report::TargetRun trained(double seconds = 1e6, std::int64_t max_steps = 1000) {
    Result<report::TargetRun> run = train(seconds, max_steps);
    EXPECT_TRUE(run.ok()) << run.error().message;
    return run.ok() ? std::move(run).value() : report::TargetRun();
  }

  PlannedScenario& planned() { return *plan_.scenarios.at(0); }

  // The first step after which the loss, evaluated each time, is no more than `target`.
  std::uint64_t step_of(double target) {
    auto state = verify::to_reference<double>(planned().start);
    std::uint64_t steps = 0;
    for (; verify::evaluate(planned().problem, *planned().dataset, state) > target; ++steps) {
      verify::train(planned().problem, *planned().dataset, state, 1);
    }
    return steps;
  }

  tests::FakeWorker& worker_;
};

TEST_F(TargetRunTest, FindsTheVeryStepBetweenTwoEvaluations) {
  const report::TargetRun run = trained();
  EXPECT_EQ(run.state, TargetState::reached);
  EXPECT_LE(run.loss, run.target_loss);
  EXPECT_EQ(run.steps, step_of(run.target_loss));
  EXPECT_NE(run.steps, run.stopped_after) << "an evaluation stands there by chance: the test needs another target";
  EXPECT_EQ(run.stopped_after, run.evaluations * planned().scenario.target->evaluate_every);
  EXPECT_NEAR(run.run_seconds, static_cast<double>(run.stopped_after) * worker_.step_ns * 1e-9, 1e-4);
}

TEST_F(TargetRunTest, AWorkerThatCannotEvaluateIsEvaluatedByTheReference) {
  on_request_["a/plain"] = fail_after(0, "evaluate", unsupported("no loss"));
  const report::TargetRun run = trained();
  EXPECT_EQ(run.state, TargetState::reached);
  EXPECT_EQ(run.steps, step_of(run.target_loss));
  EXPECT_FALSE(run.evaluation_seconds.has_value());
}

TEST_F(TargetRunTest, WhoStatesALowerLossIsNotBelieved) {
  worker_.stated_loss_factor = 0.5;
  trained();
  expect_status(0, report::CellState::untrusted, "says its loss is...");
}

TEST_F(TargetRunTest, WhoEndsElsewhereThanItsStepsLeadIsNotBelieved) {
  worker_.steps_made = [](std::uint64_t steps) { return steps == 10 ? 100 : steps; };
  trained();
  expect_status(0, report::CellState::untrusted,
                "in its training to the target, after 0 steps: a timed block ended...");
}

TEST_F(TargetRunTest, EndsWhereTheTimeTheStepsOrTheLossEnd) {
  const report::TargetRun cut = trained(0);
  EXPECT_EQ(cut.state, TargetState::cut);
  EXPECT_EQ(cut.stopped_after, 0U);
  worker_.stated_loss_factor = std::nan("");
  EXPECT_EQ(trained().state, TargetState::diverged);
  worker_.stated_loss_factor = 1e6;
  const report::TargetRun unreached = trained(1e6, 25);
  EXPECT_EQ(unreached.state, TargetState::unreached);
  EXPECT_EQ(unreached.stopped_after, 25U);
  EXPECT_EQ(unreached.evaluations, 3U);
}

TEST_F(TargetRunTest, AWorkerThatFailsIsAnError) {
  on_request_["a/plain"] = fail_after(2, "run", Error{ErrorKind::crashed, "signal 8"});
  EXPECT_EQ(train().error().kind, ErrorKind::crashed);
}

}  // namespace
}  // namespace gdbench::measure
