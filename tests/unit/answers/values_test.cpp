#include "reports/answers/values.h"

#include <gtest/gtest.h>

#include "reports/answers/console.h"
#include "tests/unit/answers/made_report.h"

namespace gdbench::answers {
namespace {

// Of sgd and of each other optimizer, whose steps take so much longer by hand and in a framework.
report::Report optimizers_report(const std::map<std::string, std::pair<double, double>>& others) {
  tests::MadeReport made("hand/x");
  const auto add = [&](const std::string& optimizer, double by_hand, double framework) {
    made.scenario("mlp[optimizer=" + optimizer + "]",
                  {{"hand/x", 100 * by_hand}, {"hand/y", 120 * by_hand}, {"eager/x", 1000 * framework}});
    made.report().scenarios.back().side_by_side = {made.report().scenarios.front().key, {{"optimizer", optimizer}}};
  };
  add("sgd", 1, 1);
  for (const auto& [optimizer, factors] : others) add(optimizer, factors.first, factors.second);
  return made.summarised();
}

TEST(ValueSentence, SaysWhatAValueTakesInTheFastestRowsOfTwoKinds) {
  const report::Report report = optimizers_report({{"adam", {1.8, 1.2}}});
  EXPECT_EQ(
      ValueWords(report).sentence(overview_of(report)),
      "optimizer=adam takes 1.80x [1.80, 1.80] the time of optimizer=sgd in hand/x, 1.20x [1.20, 1.20] in eager/x.");
  EXPECT_NE(first_screen(report, {false, 200}).find("optimizer=adam takes 1.80x"), std::string::npos);
}

TEST(ValueSentence, OfSeveralValuesTheFarthestApartIsSaid) {
  report::Report report = optimizers_report({{"adam", {1.8, 1.2}}, {"momentum", {0.5, 1}}, {"rmsprop", {1.1, 1}}});
  for (report::ValueComparison& values : *report.values) values.operations_ratio = 0.75;
  EXPECT_EQ(ValueWords(report).sentence(overview_of(report)),
            "Of 3 pairs of values the farthest apart: optimizer=momentum takes 0.50x [0.50, 0.50] the time of "
            "optimizer=sgd in hand/x, 1.00x [1.00, 1.00] in eager/x, for 0.75x the operations.");
}

TEST(ValueSentence, IsNotThereWithoutARankOrAnotherValue) {
  report::Report report = optimizers_report({{"adam", {1.8, 1.2}}});
  report.values.reset();
  EXPECT_EQ(ValueWords(report).sentence(overview_of(report)), "");
  report = optimizers_report({{"adam", {1.8, 1.2}}});
  for (std::size_t i = 0; i < 3; ++i) report.cells[i].ranked = false;
  EXPECT_EQ(ValueWords(report).sentence(overview_of(report)), "");
}

}  // namespace
}  // namespace gdbench::answers
