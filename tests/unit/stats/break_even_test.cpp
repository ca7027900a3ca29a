#include "harness/stats/break_even.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace gdbench::stats {
namespace {

// `launches` launches whose costs lie within +-`scatter` (a share) of the given ones, in a fixed pattern.
std::vector<LaunchCost> costs(double ready_ns, double step_ns, double scatter = 0, int launches = 10) {
  std::vector<LaunchCost> made;
  for (int launch = 0; launch < launches; ++launch) {
    const double ready_shift = scatter * static_cast<double>(launch % 5 - 2) / 2;
    const double step_shift = scatter * static_cast<double>((launch * 3) % 5 - 2) / 2;
    made.push_back({launch, ready_ns * (1 + ready_shift), step_ns * (1 + step_shift)});
  }
  return made;
}

TEST(BreakEvenTest, EachOvertaking) {
  struct Row {
    double ready_ns;  // of the candidate; the other is ready after 1000 ns and steps in 10 ns
    double step_ns;
    Overtaking overtaking;
    double steps;
  };
  const double never = INFINITY;
  const Row rows[] = {
      {6000, 5, Overtaking::after, 1000},       {6000, 9, Overtaking::after, 5000},
      {500, 5, Overtaking::from_the_start, 0},  {500, 10, Overtaking::from_the_start, 0},
      {1000, 5, Overtaking::from_the_start, 0}, {1000, 10, Overtaking::from_the_start, 0},
      {1000.5, 5, Overtaking::after, 0.1},      {6000, 20, Overtaking::never, never},
      {6000, 10, Overtaking::never, never},     {500, 20, Overtaking::never, never},
  };
  for (const Row& row : rows) {
    const BreakEven result = break_even(costs(row.ready_ns, row.step_ns), costs(1000, 10), 0);
    EXPECT_EQ(result.overtaking, row.overtaking)
        << row.ready_ns << ", " << row.step_ns << ": " << name_of(result.overtaking);
    EXPECT_DOUBLE_EQ(result.steps, row.steps);
    EXPECT_DOUBLE_EQ(result.interval.low, row.steps);
    EXPECT_DOUBLE_EQ(result.interval.high, row.steps);
    EXPECT_EQ(result.launches, 10);
  }
}

// Each launch has its own number of steps: 5000 ns of being ready later over 4 to 10 ns less a step.
TEST(BreakEvenTest, TheIntervalIsThatOfTheLaunches) {
  std::vector<LaunchCost> candidate;
  for (int launch = 0; launch < 7; ++launch) candidate.push_back({launch, 6000, 6.0 - launch});
  BreakEven result = break_even(candidate, costs(1000, 10), 0);
  EXPECT_DOUBLE_EQ(result.steps, 5000.0 / 7);
  EXPECT_DOUBLE_EQ(result.interval.low, 5000.0 / 10) << "of seven launches the least and the greatest";
  EXPECT_DOUBLE_EQ(result.interval.high, 5000.0 / 4);
  candidate[3].step_ns = 11;
  result = break_even(candidate, costs(1000, 10), 0);
  EXPECT_DOUBLE_EQ(result.steps, 5000.0 / 6) << "one launch never gets ahead";
  EXPECT_TRUE(std::isinf(result.interval.high));
}

TEST(BreakEvenTest, FewLaunchesHaveWhatTheIntervalsOfBothDifferencesAllow) {
  // Ready 4900, 5000 and 5100 ns later, 4.9, 5 and 5.1 ns less a step. Student's t of 2 degrees of freedom at 98.75% is
  // 6.20535 (any table); the standard errors are 100 and 0.1 over the root of 3.
  const std::vector<LaunchCost> candidate = {{1, 5900, 5}, {2, 6000, 4.9}, {3, 6100, 5.1}};
  const BreakEven result = break_even(candidate, costs(1000, 10), 0);
  EXPECT_DOUBLE_EQ(result.steps, 5000 / 5.1);
  const double reach = 6.20535 / std::sqrt(3);
  EXPECT_NEAR(result.interval.low, (5000 - 100 * reach) / (5 + 0.1 * reach), 1e-2);
  EXPECT_NEAR(result.interval.high, (5000 + 100 * reach) / (5 - 0.1 * reach), 1e-2);
}

TEST(BreakEvenTest, TheMarginWidensTheInterval) {
  struct Row {
    std::vector<LaunchCost> candidate;
    double margin;
    Overtaking overtaking;
    Interval interval;
  };
  const double never = INFINITY;
  const Row rows[] = {
      // Ready 5000 ns later, a step takes 5 ns less than the other's 10; a tenth of its own 5 ns either way is 0.5.
      {costs(6000, 5), 0.1, Overtaking::after, {5000 / 5.5, 5000 / 4.5}},
      {costs(6000, 9.9), 0.02, Overtaking::at_earliest, {5000 / (0.1 + 0.02 * 9.9), never}},
      {costs(6000, 10.5), 0.02, Overtaking::never, {never, never}},
      {costs(900, 10), 0.02, Overtaking::undecided, {0, never}},  // ready sooner, and the step may take more or less
      {costs(1010, 5, 0.2), 0, Overtaking::at_latest, {0, 212.0 / 5}},  // 1212 ns at most, with a step of 5 ns
  };
  for (const Row& row : rows) {
    const BreakEven result = break_even(row.candidate, costs(1000, 10), row.margin);
    EXPECT_EQ(result.margin, row.margin);
    EXPECT_EQ(result.overtaking, row.overtaking) << name_of(result.overtaking) << ", margin " << row.margin;
    EXPECT_DOUBLE_EQ(result.interval.low, row.interval.low) << row.margin;
    EXPECT_DOUBLE_EQ(result.interval.high, row.interval.high) << row.margin;
  }
}

TEST(BreakEvenTest, LaunchesOfOneNumberArePaired) {
  // Launch 7 of the candidate and launch 9 of the other have no partner and count nothing.
  std::vector<LaunchCost> candidate = {{3, 6000, 5}, {1, 6000, 5}, {2, 6000, 5}, {7, 1e9, 1e9}};
  std::vector<LaunchCost> other = {{9, 1e9, 1}, {1, 1000, 10}, {2, 1000, 10}, {3, 1000, 10}};
  // A drift that both launches share cancels.
  candidate[0].ready_ns += 5000;
  other[3].ready_ns += 5000;
  const BreakEven result = break_even(candidate, other, 0);
  EXPECT_EQ(result.launches, 3);
  EXPECT_EQ(result.overtaking, Overtaking::after);
  EXPECT_DOUBLE_EQ(result.interval.low, 1000);
  EXPECT_DOUBLE_EQ(result.interval.high, 1000);
}

TEST(BreakEvenTest, TooFewLaunchesAreUndecided) {
  const BreakEven none = break_even(costs(6000, 5), {}, 0);
  EXPECT_EQ(none.overtaking, Overtaking::undecided);
  EXPECT_EQ(none.launches, 0);
  EXPECT_EQ(none.interval.low, 0);
  EXPECT_TRUE(std::isinf(none.interval.high));
  const BreakEven two = break_even(costs(6000, 5, 0, 2), costs(1000, 10, 0, 2), 0);
  EXPECT_EQ(two.overtaking, Overtaking::undecided);
  EXPECT_DOUBLE_EQ(two.steps, 1000);
  EXPECT_EQ(break_even(costs(6000, 5, 0, 3), costs(1000, 10, 0, 3), 0).overtaking, Overtaking::after);
}

}  // namespace
}  // namespace gdbench::stats
