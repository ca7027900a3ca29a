#include "harness/measure/time_needed.h"

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <vector>

#include "harness/measure/known_times.h"
#include "tests/support/reports/temporary_folder.h"

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
      report::Cell& reported = report_.cells.emplace_back();
      reported.scenario = std::to_string(plan_.scenarios.size());
      reported.implementation = std::string(file) + std::to_string(i);
    }
    return planned;
  }
  TimeNeeded time() const { return TimeNeeded(plan_, options_, report_); }
  double needed() const { return time().rest(); }

  static void launch(TimeNeeded& time, const std::vector<std::size_t>& cells, double seconds) {
    time.launched(cells, seconds);
  }

  // In a run whose times are kept for the next one. `expected`: a launch, after the verification.
  void run(double references, double verification, double expected, double took) {
    options_.known_times = &kept_;
    TimeNeeded time = this->time();
    time.referenced(*plan_.scenarios[0], references);
    time.verified(0, verification, expected);
    if (expected <= 0) return;
    report_.cells[0].status.state = report::CellState::ok;
    report_.cells[0].launches.emplace_back().prepare_seconds = 0.5;
    launch(time, {0}, took);
    report_.cells[0].status.state = report::CellState::pending;
    report_.cells[0].launches.clear();
  }
  // What is kept of one run, as the next one finds it.
  void begin_next_run() {
    kept_.keep();
    kept_ = KnownTimes(file_, "{}");
  }

  Plan plan_;
  RunOptions options_;
  report::Report report_;
  std::vector<std::unique_ptr<protocol::CatalogueEntry>> entries_;
  tests::TemporaryFolder folder_;
  std::string file_ = folder_.file("times.json");
  KnownTimes kept_{file_, "{}"};
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
  PlannedScenario& planned = add(2, "a.so", 1);
  const double apart = needed();
  planned.cells[1].unit = planned.cells[0].unit;
  EXPECT_LT(needed(), apart) << "a cell that is measured twice is verified once";
  planned.cells.pop_back();
  const double all = needed();
  report_.cells[0].status.state = report::CellState::ok;
  const double launched = needed();
  EXPECT_LT(launched, all);
  EXPECT_LT(time().rest(3), 3 * launched) << "the first one has all checks";
  EXPECT_GT(time().rest(3), launched);
  report_.cells[0].launches.resize(2);
  EXPECT_EQ(needed(), 0);
  EXPECT_LT(time().rest(3), launched);
  EXPECT_GT(time().rest(3), 0);
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
  add(1, "jax.adapter.json", 1);
  TimeNeeded other_kind = time();
  const double adapter = other_kind.of({{2, 1}});
  other_kind.verified(0, 100, 50);
  launch(other_kind, {0}, 100);
  EXPECT_DOUBLE_EQ(other_kind.of({{2, 1}}), adapter);
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

TEST_F(TimeNeededTest, ABlockThatTheReferenceReplaysTakesLongerTheFirstTime) {
  PlannedScenario& planned = add(1, "a.so", 1);
  const double replayed = time().rest(2);
  planned.cells[0].proof = Proof::none;
  EXPECT_LT(time().rest(2), replayed);
  planned.cells[0].proof = Proof::trajectory;
  TimeNeeded time = this->time();
  report_.cells[0].block.emplace().steps = 50;
  time.verified(0, 1, 2);
  const double first = time.rest(1);
  EXPECT_GT(first, 2);
  EXPECT_LT(time.rest(2), 2 * first);
  launch(time, {0}, 3 * first);
  EXPECT_LT(time.rest(2), 3 * first);
}

TEST_F(TimeNeededTest, KnowsALaunchFromItsBlocksAndThenFromItsLaunches) {
  add(2, "a.so", 1);
  TimeNeeded time = this->time();
  time.verified(0, 1, 2);
  time.verified(1, 1, 6);
  EXPECT_DOUBLE_EQ(time.of({{0, 1}, {1, 2}}), 2 + 2 * 6);
  launch(time, {0, 1}, 16);
  EXPECT_DOUBLE_EQ(time.of({{0, 1}, {1, 1}}), 16) << "side by side, as their shares were thought to be";
  EXPECT_DOUBLE_EQ(time.of({{0, 1}}), 4);
  launch(time, {0, 1}, 8);
  EXPECT_DOUBLE_EQ(time.of({{0, 1}, {1, 1}}), 8) << "without the first one, which has all checks";
  launch(time, {0, 1}, 16);
  EXPECT_DOUBLE_EQ(time.of({{0, 1}, {1, 1}}), 12) << "the mean of the others";
  EXPECT_DOUBLE_EQ(time.rest(4), 12);
}

TEST_F(TimeNeededTest, IsWhatAnEarlierRunTook) {
  options_.profiles = false;
  add(1, "jax.adapter.json", 1);
  run(0.01, 7, 4, 5);
  EXPECT_NE(time().rest(), 0.01 + 7 + 5) << "its own are for later ones";
  begin_next_run();
  EXPECT_DOUBLE_EQ(time().rest(), 0.01 + 7 + 5);
  const Span span = time().rest_at_start(2);
  EXPECT_DOUBLE_EQ(span.least, 0.01 + 7 + 2 * 5);
  EXPECT_DOUBLE_EQ(span.most, span.least);
  TimeNeeded other_block = time();  // than in the earlier run
  other_block.referenced(*plan_.scenarios[0], 0.01);
  other_block.verified(0, 7, 8);
  EXPECT_DOUBLE_EQ(other_block.rest(), 10);
  report_.cells[0].options["device"] = "cuda";
  EXPECT_NE(time().rest(), 0.01 + 7 + 5) << "another cell";
}

TEST_F(TimeNeededTest, OfAnEarlierRunHasNoLongReferencesNorLaunchesOfWhatIsWrong) {
  add(1, "jax.adapter.json", 1);
  run(100, 7, 0, 0);
  begin_next_run();
  EXPECT_DOUBLE_EQ(time().rest(3), 0.05 + 7) << "the references are read";
  report_.cells[0].status.state = report::CellState::wrong;
  EXPECT_EQ(time().rest(3), 0);
}

TEST_F(TimeNeededTest, KnowsHowLongAnImplementationStartsFromAnotherScenario) {
  add(1, "jax.adapter.json", 1);
  run(0.01, 7, 4, 5);
  add(1, "jax.adapter.json", 1);
  const double guessed = time().of({{1, 1}});
  begin_next_run();
  EXPECT_LT(time().of({{1, 1}}), guessed);
  EXPECT_DOUBLE_EQ(time().rest_at_start(1).least, time().rest_at_start(1).most);
}

TEST_F(TimeNeededTest, CountsProfilesUntilTheyWereTaken) {
  options_.launches = 3;
  add(1, "a.so", 1);
  entries_[0]->allocation_counter = "counts.so";
  TimeNeeded time = this->time();
  time.verified(0, 1, 2);
  const double both = time.rest(3) - 3 * 2;
  EXPECT_GT(both, 0);
  time.profiled(0, 10);
  EXPECT_DOUBLE_EQ(time.rest(3), 3 * 2 + 10) << "one is left, as long as the latest";
  time.profiled(0, 10);
  EXPECT_DOUBLE_EQ(time.rest(3), 3 * 2);
}

class KnownTimesTest : public ::testing::Test {
 protected:
  KnownTimes times(const std::string& model = "A", const std::string& varying = "1") const {
    return {folder_.file("times.json"), R"({"cpu": {"model": ")" + model + R"(", "frequency_mhz": )" + varying +
                                            R"(}, "load_average": )" + varying + "}"};
  }
  void keep(const std::string& what, double seconds) const {
    KnownTimes known = times();
    known.set(what, seconds);
    known.keep();
  }
  void write(const std::string& text) const { std::ofstream(folder_.file("times.json")) << text; }

  tests::TemporaryFolder folder_;
};

TEST_F(KnownTimesTest, AreThoseThatTheLatestRunOfMachinesAlikeKept) {
  KnownTimes unkept = times();
  unkept.set("launch", 1.5);
  EXPECT_EQ(times().seconds("launch"), 0);
  keep("other", 3);  // by a run beside it
  unkept.keep();
  EXPECT_DOUBLE_EQ(times().seconds("launch"), 1.5);
  EXPECT_DOUBLE_EQ(times().seconds("other"), 3);
  EXPECT_EQ(times().seconds("verification"), 0);
  keep("launch", 2.5);
  EXPECT_DOUBLE_EQ(times("A", "2").seconds("launch"), 2.5) << "whatever varies";
  EXPECT_EQ(times("B").seconds("launch"), 0);
  EXPECT_EQ(KnownTimes(folder_.file("times.json"), "").seconds("launch"), 0);
}

TEST_F(KnownTimesTest, TheOldestGo) {
  keep("oldest", 1);
  keep("older", 1);
  keep("oldest", 2);  // it is the newest now
  KnownTimes known = times();
  for (std::size_t i = 1; i < KnownTimes::kMost; ++i) known.set("launch " + std::to_string(i), 1);
  known.keep();
  EXPECT_EQ(times().seconds("older"), 0);
  EXPECT_EQ(times().seconds("oldest"), 2);
  EXPECT_EQ(times().seconds("launch 1"), 1);
}

TEST_F(KnownTimesTest, ADamagedFileHoldsNoneAndIsMadeAnew) {
  EXPECT_EQ(times().fault(), "") << "there is no file";
  for (const char* text : {"", "{", "[]", "{}", R"({"oldest_first": 1})", R"({"oldest_first": [["a"]]})",
                           R"({"oldest_first": [["a", -1]]})", R"({"oldest_first": [["a", 1e300]]})"}) {
    write(text);
    EXPECT_NE(times().fault().find("times.json: "), std::string::npos) << text;
    EXPECT_EQ(times().fault().find('\n'), std::string::npos) << text;
    EXPECT_EQ(times().seconds("launch"), 0) << text;
  }
  keep("launch", 1.5);
  EXPECT_EQ(times().fault(), "");
  EXPECT_DOUBLE_EQ(times().seconds("launch"), 1.5);
}

TEST_F(KnownTimesTest, WithoutAFileNoneAreKept) {
  KnownTimes known("", "{}");
  known.set("launch", 1.5);
  known.keep();
  EXPECT_EQ(known.fault(), "");
  EXPECT_EQ(KnownTimes("/nowhere/times.json", "{}").fault(), "");
}

}  // namespace
}  // namespace gdbench::measure
