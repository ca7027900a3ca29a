#include <gtest/gtest.h>

#include <memory>

#include "harness/measure/scheduler.h"

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
    planned.cells.resize(cells);
    for (PlannedCell& cell : planned.cells) cell.entry = &entry;
    return planned;
  }
  double needed() const { return TimeNeeded(plan_, {}).rest(); }

  Plan plan_;
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
  EXPECT_GT(eleven, 5 * one);
  add(1, "a.so", 100'000);
  const double large = needed();
  EXPECT_GT(large - eleven, 100) << "24 steps of 4e11 operations";
  add(1, "jax.adapter.json", 1);
  EXPECT_GT(needed() - large, 5);
}

TEST_F(TimeNeededTest, LearnsFromWhatWasVerified) {
  const PlannedScenario& first = add(10, "a.so", 1);
  add(10, "a.so", 1);
  TimeNeeded time(plan_, {});
  EXPECT_LT(time.rest(&first), time.rest());
  const double before = time.rest();
  time.verified(first, before);  // two launches and a verification were thought to take that long
  const double slow = time.rest();
  EXPECT_GT(slow, 1.5 * before);
  TimeNeeded quick(plan_, {});
  quick.verified(first, before / 100);
  EXPECT_LT(quick.rest(), before / 20);
}

}  // namespace
}  // namespace gdbench::measure
