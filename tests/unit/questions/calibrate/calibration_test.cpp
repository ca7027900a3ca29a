#include "harness/questions/calibrate/calibration.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/reports/temporary_folder.h"

namespace gdbench::calibrate {
namespace {

using report::Change;

TEST(PlanComparisons, HasEveryComparisonInAnOrderOfItsOwn) {
  const std::vector<Level> levels = {{0, 30}, {0.05, 6}};
  const std::vector<PlannedComparison> planned = plan_comparisons(levels, 3, 1);
  ASSERT_EQ(planned.size(), 36U);
  std::map<std::pair<double, std::size_t>, int> counts;
  for (std::size_t i = 0; i < planned.size(); ++i) {
    EXPECT_EQ(planned[i].number, static_cast<int>(i));
    ++counts[{planned[i].slowdown, planned[i].workload}];
  }
  for (const auto& [key, count] : counts) EXPECT_EQ(count, key.first == 0 ? 10 : 2);
  bool mixed = false;
  for (std::size_t i = 0; i < 30; ++i) mixed = mixed || planned[i].slowdown > 0;
  EXPECT_TRUE(mixed) << "a level must not have a time of day to itself";
  const std::vector<PlannedComparison> again = plan_comparisons(levels, 3, 1);
  for (std::size_t i = 0; i < planned.size(); ++i) EXPECT_EQ(again[i].slowdown, planned[i].slowdown);
}

report::CalibrationOutcome outcome(double slowdown, Change change) {
  report::CalibrationOutcome outcome;
  outcome.slowdown = slowdown;
  outcome.change = change;
  outcome.ratio = 1 + slowdown;
  outcome.seconds = 2;
  return outcome;
}

// An improvement finds no slowdown, and is a false alarm where there is none.
TEST(CalibrationLevels, CountFindingsAndFalseAlarmsWithMediansAndLimits) {
  report::Calibration calibration;
  for (const double ratio : {1.01, 0.0, 1.05, 1.03}) {  // 0: nothing was measured
    for (const double slowdown : {0.0, 0.02}) {
      calibration.outcomes.push_back(outcome(slowdown, ratio > 1.02 ? Change::regressed : Change::improved));
      calibration.outcomes.back().ratio = ratio;
      calibration.outcomes.back().seconds = 100 * ratio;
    }
    calibration.outcomes.push_back(outcome(0.05, ratio > 1.04 ? Change::equivalent : Change::inconclusive));
  }
  const std::vector<report::CalibrationLevel> levels = report::levels_of(calibration);
  ASSERT_EQ(levels.size(), 3U);
  EXPECT_EQ(levels[0].share, 1);
  EXPECT_EQ(levels[1].comparisons, 4);
  EXPECT_EQ(levels[1].share, 0.5);
  EXPECT_EQ(levels[1].median_ratio, 1.03);
  EXPECT_EQ(levels[1].seconds, 102);
  // Clopper and Pearson for 2 of 4, one-sided at 95%.
  EXPECT_NEAR(levels[1].lower_limit, 0.0976, 1e-4);
  EXPECT_NEAR(levels[1].upper_limit, 0.9024, 1e-4);
  EXPECT_EQ(levels[2].share, 0);
}

TEST(CalibrationLevels, SayWhenComparisonsThatEndByThemselvesWereDecided) {
  report::Calibration calibration;
  for (const auto& [change, launches] :
       {std::pair(Change::equivalent, 12), {Change::equivalent, 30}, {Change::inconclusive, 80}}) {
    calibration.outcomes.push_back(outcome(0, change));
    calibration.outcomes.back().launches = launches;
  }
  EXPECT_FALSE(report::levels_of(calibration).front().median_launches) << "all have as many";
  calibration.until_decided = true;
  const report::CalibrationLevel level = report::levels_of(calibration).front();
  EXPECT_EQ(level.equivalent, 2);
  EXPECT_EQ(level.median_launches, 30);
}

TEST(CalibrationLevels, FourInFiveFindTheSmallestSlowdown) {
  using Levels = std::vector<std::pair<double, double>>;  // slowdowns and shares
  for (const auto& [levels, smallest] : {std::pair(Levels{}, 0.),
                                         {{{0, 1}, {0.1, 0.79}}, 0},  // without a slowdown there is nothing to find
                                         {{{0, 0}, {0.1, 0.8}, {0.2, 1}}, 0.1},
                                         {{{0, 0.1}, {0.1, 0.9}}, 0.1},  // false alarms find nothing
                                         {{{0.5, 0.6}, {1, 0.8}}, 1},
                                         {{{0.1, 0.1}, {0.2, 0.6}, {0.4, 1}}, 0.3}}) {  // half-way from 60% to 100%
    std::vector<report::CalibrationLevel> made(levels.size());
    for (std::size_t i = 0; i < levels.size(); ++i) {
      made[i].slowdown = levels[i].first;
      made[i].share = levels[i].second;
    }
    EXPECT_DOUBLE_EQ(report::smallest_detectable_slowdown(made), smallest);
  }
}

TEST(OutcomeFile, IsGoneOnWithAndKnowsAnotherCalibration) {
  const tests::TemporaryFolder folder;
  const std::string path = folder.file("outcomes");
  const auto open = [&](report::Calibration& calibration, int planned) {
    calibration.planned = planned;
    return OutcomeFile::open(path, "design", calibration);
  };
  {
    report::Calibration calibration;
    Result<OutcomeFile> file = open(calibration, 3);
    ASSERT_TRUE(file.ok()) << file.error().message;
    ASSERT_TRUE(file->append(outcome(0.02, Change::regressed)).ok());
  }
  std::string changed = tests::text_of(path);
  std::ofstream(path, std::ios::app) << "{\"event\":\"outc";  // killed while it wrote
  report::Calibration again;
  ASSERT_TRUE(open(again, 3).ok());
  ASSERT_EQ(again.outcomes.size(), 1U);
  EXPECT_EQ(again.outcomes[0].change, Change::regressed);
  EXPECT_EQ(again.outcomes[0].slowdown, 0.02);
  const auto refusal = [&](int planned) {
    report::Calibration other;
    const Result<OutcomeFile> refused = open(other, planned);
    return refused.ok() ? "" : refused.error().message;
  };
  EXPECT_NE(refusal(4).find("line 1: found another calibration"), std::string::npos) << refusal(4);
  changed.replace(changed.find("regressed"), 9, "regresses");
  tests::write_text(path, changed);
  EXPECT_NE(refusal(3).find("line 2: /change: found \"regresses\""), std::string::npos) << refusal(3);
}

}  // namespace
}  // namespace gdbench::calibrate
