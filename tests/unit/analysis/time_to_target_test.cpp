#include <gtest/gtest.h>

#include <vector>

#include "harness/analysis/launch_costs.h"
#include "harness/analysis/verdicts.h"
#include "harness/report/report.h"

namespace gdbench::analysis {
namespace {

// A cell that reached its target; of each launch the time of a step, after 1 us of loading and 4 us of preparing, half
// of which are imports.
report::Cell trained(std::uint64_t steps, std::uint64_t stopped_after, const std::vector<double>& step_ns) {
  report::Cell cell;
  cell.status.state = report::CellState::ok;
  report::TargetRun& run = cell.target.emplace();
  run.state = report::TargetState::reached;
  run.steps = steps;
  run.stopped_after = stopped_after;
  run.evaluation_seconds = 3e-6;
  for (std::size_t i = 0; i < step_ns.size(); ++i) {
    const auto launch = static_cast<int>(i);
    report::Launch& made = cell.launches.emplace_back();
    made.launch = launch;
    made.load_seconds = 1e-6;
    made.prepare_seconds = 4e-6;
    made.import_seconds = 2e-6;
    made.first_step_ns = step_ns[i] + 100;
    cell.samples.push_back({launch, 1, 0, false, 100, step_ns[i]});
    cell.samples.push_back({launch, 2, 0, false, 100, 1.5 * step_ns[i]});
  }
  return cell;
}

constexpr double kReadyNs = 1000 + 4000 - 2000 + 100;

TEST(TimeToTarget, HoldsAllThatComesBeforeTheStepsButImports) {
  const std::optional<report::TimeToTarget> time = time_to_target(trained(95, 100, {10, 11, 12}));
  ASSERT_TRUE(time.has_value());
  EXPECT_DOUBLE_EQ(time->ready_ns.value(), kReadyNs);
  EXPECT_DOUBLE_EQ(time->time_ns.value, kReadyNs + 95 * 11) << "a launch's step is its least block";
  EXPECT_LT(time->time_ns.interval.low, kReadyNs + 95 * 10);
  EXPECT_GT(time->time_ns.interval.high, kReadyNs + 95 * 12);
  EXPECT_EQ(time->time_ns.launches, 3);
}

TEST(TimeToTarget, WithEvaluationsATrainingGoesOnToTheNextOne) {
  report::Cell cell = trained(95, 100, {10, 11, 12});
  ASSERT_TRUE(time_to_target(cell)->with_evaluations_ns.has_value());
  EXPECT_DOUBLE_EQ(time_to_target(cell)->with_evaluations_ns->value, kReadyNs + 1100 + 3000);
  cell.target->evaluation_seconds.reset();
  EXPECT_FALSE(time_to_target(cell)->with_evaluations_ns.has_value()) << "the reference evaluated";
}

TEST(TimeToTarget, IsPairedLaunchByLaunch) {
  const std::vector<stats::Pair> pairs =
      compared(report::Quantity::time_to_target, 0, trained(10, 10, {10, 20}), trained(100, 100, {5, 6, 7}), true)
          .pairs;
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_DOUBLE_EQ(pairs[1].base, kReadyNs + 10 * 20);
  EXPECT_DOUBLE_EQ(pairs[1].candidate, kReadyNs + 100 * 6);
}

TEST(TimeToTarget, IsUnknownUnlessTheTargetWasReached) {
  for (const report::TargetState state :
       {report::TargetState::unreached, report::TargetState::diverged, report::TargetState::cut}) {
    report::Cell cell = trained(95, 100, {10});
    cell.target->state = state;
    EXPECT_FALSE(time_to_target(cell).has_value()) << name_of(state);
  }
  EXPECT_FALSE(time_to_target(trained(95, 100, {})).has_value()) << "no launch";
}

}  // namespace
}  // namespace gdbench::analysis
