#include "harness/measure/time_needed.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

namespace gdbench::measure {
namespace {

// Scenarios of so many cells each, whose steps have so many rows of a layer of 1000 x 1000.
class TimeNeededTest : public ::testing::Test {
 protected:
  PlannedScenario& add(std::size_t cells, const char* file, std::int64_t rows) {
    auto& entry = *entries_.emplace_back(std::make_unique<protocol::CatalogueEntry>());
    entry.file = file;
    PlannedScenario& planned = *plan_.scenarios.emplace_back(std::make_unique<PlannedScenario>());
    planned.problem.layers = {{1000, 1000, scenario::Activation::identity, true}};
    planned.problem.rows = planned.problem.batch_rows = rows;
    for (std::size_t i = 0; i < cells; ++i) {
      PlannedCell& cell = planned.cells.emplace_back();
      cell.index = cell.unit = report_.cells.size();
      cell.entry = &entry;
      report_.cells.emplace_back();
    }
    return planned;
  }
  TimeNeeded time() const { return TimeNeeded(plan_, {}, report_); }
  double needed() const { return time().rest(); }

  Plan plan_;
  report::Report report_;
  std::vector<std::unique_ptr<protocol::CatalogueEntry>> entries_;
};

TEST_F(TimeNeededTest, GrowsWithTheCellsAndTheWorkAndIsLongForAdapters) {
  EXPECT_EQ(needed(), 0);
  add(1, "a.so", 1);
  const double one = needed();
  EXPECT_GT(one, 0.05);
  EXPECT_LT(one, 2);
  add(10, "a.so", 1);
  const double eleven = needed();
  EXPECT_GT(eleven, 3 * one);
  add(1, "a.so", 100'000);
  const double large = needed();
  EXPECT_GT(large - eleven, 100) << "24 steps of 4e11 operations";
  add(1, "jax.adapter.json", 1);
  EXPECT_GT(needed() - large, 5);
}

TEST_F(TimeNeededTest, WhatTheReportHasIsNotNeededAgain) {
  add(1, "a.so", 1);
  const double all = needed();
  report_.cells[0].status.state = report::CellState::ok;
  const double launch = needed();
  EXPECT_LT(launch, all);
  EXPECT_DOUBLE_EQ(time().rest(3), 3 * launch);
  report_.cells[0].launches.resize(2);
  EXPECT_EQ(needed(), 0);
  EXPECT_DOUBLE_EQ(time().rest(3), launch);
}

TEST_F(TimeNeededTest, ACellThatIsMeasuredTwiceIsVerifiedOnce) {
  PlannedScenario& planned = add(2, "a.so", 1);
  const double apart = needed();
  planned.cells[1].unit = planned.cells[0].unit;
  EXPECT_LT(needed(), apart);
}

TEST_F(TimeNeededTest, LearnsFromWhatWasVerified) {
  const PlannedScenario& first = add(1, "a.so", 1);
  add(1, "a.so", 1);
  const double before = needed();
  EXPECT_LT(time().rest(1, &first), before);
  TimeNeeded slow = time();
  slow.verified(0, 10, 0);
  EXPECT_GT(slow.rest(), 10 * before);
  TimeNeeded quick = time();
  quick.verified(0, before / 1000, 0);
  EXPECT_LT(quick.rest(), before / 2);
}

TEST_F(TimeNeededTest, AtTheStartAnAdapterHasASpanUntilItWasVerified) {
  add(1, "a.so", 1);
  add(1, "jax.adapter.json", 1);
  TimeNeeded time = this->time();
  const Span before = time.rest_at_start(2);
  EXPECT_LT(before.least, time.rest(2));
  EXPECT_GT(before.most, time.rest(2));
  time.verified(1, 3, 3);
  EXPECT_DOUBLE_EQ(time.rest_at_start(2).least, time.rest(2));
  EXPECT_DOUBLE_EQ(time.rest_at_start(2).most, time.rest(2));
}

TEST_F(TimeNeededTest, OneKindSaysNothingOfTheOther) {
  add(1, "a.so", 1);
  add(1, "jax.adapter.json", 1);
  TimeNeeded time = this->time();
  const double before = time.of({{1, 1}});
  time.verified(0, 100, 50);
  time.launched(std::array<std::size_t, 1>{0}, 100);
  EXPECT_DOUBLE_EQ(time.of({{1, 1}}), before);
}

TEST_F(TimeNeededTest, KnowsALaunchFromItsBlocksAndThenFromItsLaunches) {
  add(2, "a.so", 1);
  TimeNeeded time = this->time();
  time.verified(0, 1, 2);
  time.verified(1, 1, 6);
  EXPECT_DOUBLE_EQ(time.of({{0, 1}, {1, 2}}), 2 + 2 * 6);
  time.launched(std::array<std::size_t, 2>{0, 1}, 16);
  EXPECT_DOUBLE_EQ(time.of({{0, 1}, {1, 1}}), 16) << "side by side, as their shares were thought to be";
  EXPECT_DOUBLE_EQ(time.of({{0, 1}}), 4);
  time.launched(std::array<std::size_t, 2>{0, 1}, 8);
  EXPECT_DOUBLE_EQ(time.of({{0, 1}, {1, 1}}), 12) << "the mean";
  EXPECT_DOUBLE_EQ(time.rest(3), 12);
}

}  // namespace
}  // namespace gdbench::measure
