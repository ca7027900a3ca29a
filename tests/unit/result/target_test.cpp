#include "harness/result/target.h"

#include <gtest/gtest.h>

#include "harness/result/summarise.h"

namespace gdbench::result {
namespace {

TargetRun reached(std::uint64_t steps, std::uint64_t stopped_after) {
  TargetRun run;
  run.state = TargetState::reached;
  run.steps = steps;
  run.stopped_after = stopped_after;
  run.evaluation_seconds = 3e-6;
  return run;
}

const stats::Estimate kStep = {10, {9, 12}, 5, false};

TEST(TimeToTarget, IsStepsTimesTheTimeOfAStepWithItsInterval) {
  const std::optional<TimeToTarget> time = time_to_target(reached(95, 100), kStep);
  ASSERT_TRUE(time.has_value());
  EXPECT_DOUBLE_EQ(time->time_ns.value, 950);
  EXPECT_DOUBLE_EQ(time->time_ns.interval.low, 855);
  EXPECT_DOUBLE_EQ(time->time_ns.interval.high, 1140);
  EXPECT_EQ(time->time_ns.launches, 5);
}

TEST(TimeToTarget, WithEvaluationsATrainingGoesOnToTheNextOne) {
  const TimeToTarget time = *time_to_target(reached(95, 100), kStep);
  ASSERT_TRUE(time.with_evaluations_ns.has_value());
  EXPECT_DOUBLE_EQ(time.with_evaluations_ns->value, 1000 + 3000);
  EXPECT_DOUBLE_EQ(time.with_evaluations_ns->interval.low, 900 + 3000);
  EXPECT_DOUBLE_EQ(time.with_evaluations_ns->interval.high, 1200 + 3000);
  TargetRun by_reference = reached(95, 100);
  by_reference.evaluation_seconds.reset();
  EXPECT_FALSE(time_to_target(by_reference, kStep)->with_evaluations_ns.has_value());
}

TEST(TimeToTarget, IsUnknownUnlessTheTargetWasReached) {
  for (const TargetState state : {TargetState::unreached, TargetState::diverged, TargetState::cut}) {
    TargetRun run = reached(95, 100);
    run.state = state;
    EXPECT_FALSE(time_to_target(run, kStep).has_value()) << name_of(state);
  }
}

// Two cells with samples; the one whose steps are faster needs more of them.
TEST(TimeToTarget, FastestPerStepMayLose) {
  Report report;
  report.scenarios.push_back({});
  for (const auto& [id, real_ns, steps] : {std::tuple{"quick", 10.0, 1000U}, std::tuple{"direct", 30.0, 100U}}) {
    Cell cell;
    cell.id = cell.implementation = id;
    cell.status.state = CellState::ok;
    cell.target = reached(steps, steps);
    for (int launch = 0; launch < 3; ++launch) cell.samples.push_back({launch, 1, 0, false, 100, real_ns});
    report.cells.push_back(cell);
  }
  summarise(report);
  const Summary& quick = *report.cells[0].summary;
  const Summary& direct = *report.cells[1].summary;
  EXPECT_LT(quick.step_ns.value, direct.step_ns.value);
  EXPECT_GT(quick.to_target->time_ns.interval.low, direct.to_target->time_ns.interval.high);
}

}  // namespace
}  // namespace gdbench::result
