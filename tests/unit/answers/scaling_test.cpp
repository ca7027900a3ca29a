#include "reports/answers/scaling.h"

#include <gtest/gtest.h>

#include "tests/unit/answers/made_report.h"
#include "tests/unit/answers/screen_text.h"

namespace gdbench::answers {
namespace {

using Texts = std::vector<std::string>;

report::Report threads_report() {
  tests::MadeReport made("graph/x");
  made.scenario("large").timed("graph/x", 1000);
  made.timed("graph/x", 600).threads = 2;
  made.scenario("small").timed("graph/x", 100);
  made.timed("graph/x", 125).threads = 2;
  made.timed("hand/x", 90);
  return made.summarised();
}

TEST(ScalingTable, HasARowForEachCellOfSeveralThreads) {
  const report::Report report = threads_report();
  const ScalingWords words(report);
  const Columns large = words.of_scenario(report.scenarios[0].key);
  EXPECT_EQ(large[0].texts, Texts{"graph/x @2"});
  EXPECT_EQ(large[1].texts, Texts{"1.67x [1.67, 1.67]"});
  EXPECT_EQ(large[2].texts, Texts{"83%"});
  EXPECT_EQ(large[3].texts, Texts{"-"});
  EXPECT_EQ(large[4].texts, Texts{"+100 ns [+98, +102]"}) << "600 - 1000 / 2, drifting by 2.5% either way";
  EXPECT_EQ(large[5].texts, Texts{"faster"});
  const Columns small = words.of_scenario(report.scenarios[1].key);
  EXPECT_EQ(small[1].texts, Texts{"0.80x [0.80, 0.80]"});
  EXPECT_EQ(small[2].texts, Texts{"40%"});
  EXPECT_EQ(small[5].texts, Texts{"slower"});
  EXPECT_TRUE(words.of_scenario("another").front().texts.empty());
}

TEST(ScalingTable, CostsAreThoseOfTheShortestStep) {
  const report::Report report = threads_report();
  const Columns costs = ScalingWords(report).costs();
  EXPECT_EQ(costs[0].texts, Texts{"graph/x @2"});
  EXPECT_EQ(costs[2].texts, Texts{"small"});
}

TEST(ScalingTable, IsLeftOutOfARunWithOneThread) {
  tests::MadeReport single("graph/x");
  single.scenario("large").timed("graph/x", 1000);
  EXPECT_EQ(tests::details_of(single.summarised()).find(kScalingTitle), std::string::npos);
}

}  // namespace
}  // namespace gdbench::answers
