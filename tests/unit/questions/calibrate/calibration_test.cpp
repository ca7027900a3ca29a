#include "harness/questions/calibrate/calibration.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

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

TEST(CalibrationLevels, CountFalseAlarmsAndFindings) {
  report::Calibration calibration;
  for (int i = 0; i < 10; ++i) {
    calibration.outcomes.push_back(outcome(0, i == 0 ? Change::improved : Change::equivalent));
    calibration.outcomes.push_back(outcome(0.02, i < 6 ? Change::regressed : Change::inconclusive));
    calibration.outcomes.push_back(outcome(0.05, Change::regressed));
  }
  const std::vector<report::CalibrationLevel> levels = report::levels_of(calibration);
  ASSERT_EQ(levels.size(), 3U);
  EXPECT_DOUBLE_EQ(levels[0].share, 0.1) << "a wrong improvement is a false alarm too";
  EXPECT_DOUBLE_EQ(levels[1].share, 0.6);
  EXPECT_DOUBLE_EQ(levels[2].share, 1);
  EXPECT_NEAR(levels[2].lower_limit, 0.741, 1e-3);
  EXPECT_DOUBLE_EQ(report::smallest_detectable_slowdown(levels), 0.035) << "half-way from 60% to 100%";
}

TEST(CalibrationLevels, HaveMediansAndLimits) {
  report::Calibration calibration;
  for (const double ratio : {1.01, 0.0, 1.05, 1.03}) {  // 0: nothing was measured
    calibration.outcomes.push_back(outcome(0.02, ratio > 1.02 ? Change::regressed : Change::improved));
    calibration.outcomes.back().ratio = ratio;
    calibration.outcomes.back().seconds = 100 * ratio;
  }
  const report::CalibrationLevel level = report::levels_of(calibration).at(0);
  EXPECT_EQ(level.slowdown, 0.02);
  EXPECT_EQ(level.comparisons, 4);
  EXPECT_EQ(level.regressed, 2);
  EXPECT_EQ(level.improved, 2);
  EXPECT_EQ(level.share, 0.5) << "an improvement finds no slowdown";
  EXPECT_EQ(level.median_ratio, 1.03);
  EXPECT_EQ(level.seconds, 102);
  // Clopper and Pearson for 2 of 4, one-sided at 95%.
  EXPECT_NEAR(level.lower_limit, 0.0976, 1e-4);
  EXPECT_NEAR(level.upper_limit, 0.9024, 1e-4);
}

TEST(CalibrationLevels, FourInFiveFindTheSmallestSlowdown) {
  const auto level = [](double slowdown, double share) {
    report::CalibrationLevel made;
    made.slowdown = slowdown;
    made.share = share;
    return made;
  };
  const auto smallest = [](const std::vector<report::CalibrationLevel>& levels) {
    return report::smallest_detectable_slowdown(levels);
  };
  EXPECT_EQ(smallest({}), 0);
  EXPECT_EQ(smallest({level(0, 1), level(0.1, 0.79)}), 0) << "without a slowdown there is nothing to find";
  EXPECT_EQ(smallest({level(0, 0), level(0.1, 0.8), level(0.2, 1)}), 0.1);
  EXPECT_EQ(smallest({level(0, 0.1), level(0.1, 0.9)}), 0.1) << "false alarms find nothing";
  EXPECT_EQ(smallest({level(0.5, 0.6), level(1, 0.8)}), 1);
  EXPECT_DOUBLE_EQ(smallest({level(0.1, 0.1), level(0.2, 0.6), level(0.4, 1)}), 0.3);
}

TEST(OutcomeFile, IsGoneOnWithAndKnowsAnotherCalibration) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("gdbench-outcomes-" + std::to_string(getpid()))).string();
  std::filesystem::remove(path);
  report::Calibration calibration;
  calibration.planned = 3;
  {
    Result<OutcomeFile> file = OutcomeFile::open(path, "design", calibration);
    ASSERT_TRUE(file.ok()) << file.error().message;
    ASSERT_TRUE(file->append(outcome(0.02, Change::regressed)).ok());
  }
  std::ofstream(path, std::ios::app) << "{\"event\":\"outc";  // killed while it wrote
  report::Calibration again;
  again.planned = 3;
  ASSERT_TRUE(OutcomeFile::open(path, "design", again).ok());
  ASSERT_EQ(again.outcomes.size(), 1U);
  EXPECT_EQ(again.outcomes[0].change, Change::regressed);
  EXPECT_EQ(again.outcomes[0].slowdown, 0.02);
  report::Calibration other;
  other.planned = 4;
  const Result<OutcomeFile> refused = OutcomeFile::open(path, "design", other);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("line 1: found another calibration"), std::string::npos);
  std::filesystem::remove(path);
}

TEST(OutcomeFile, AChangeThatNobodyKnowsIsAnError) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("gdbench-unknown-change-" + std::to_string(getpid()))).string();
  report::Calibration calibration;
  {
    Result<OutcomeFile> file = OutcomeFile::open(path, "design", calibration);
    ASSERT_TRUE(file.ok()) << file.error().message;
    ASSERT_TRUE(file->append(outcome(0.02, Change::regressed)).ok());
  }
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  std::string changed = text.str();
  changed.replace(changed.find("regressed"), 9, "regresses");
  std::ofstream(path) << changed;
  const Result<OutcomeFile> refused = OutcomeFile::open(path, "design", calibration);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("line 2: found"), std::string::npos) << refused.error().message;
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace gdbench::calibrate
