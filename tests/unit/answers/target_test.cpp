#include "reports/answers/target.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "reports/answers/overview.h"
#include "reports/answers/overview_sentences.h"
#include "tests/support/reports/example_report.h"

namespace gdbench::answers {
namespace {

using report::TargetState;

TEST(TargetTable, HasTheFirstToReachItAtTheTop) {
  const report::Report report = tests::example_report();
  const std::vector<ScenarioTable> tables = tables_of(report);
  const Columns table = target_table(tables[0]);
  const std::vector<std::string> names = {"example/matrix", "example/loops"};
  EXPECT_EQ(table[0].texts, names);
  const std::vector<std::string> steps = {"789", "3456"};
  EXPECT_EQ(table[1].texts, steps);
  EXPECT_EQ(table[3].texts[0], "1.5 ms") << "load, prepare and the first step";
  EXPECT_EQ(table[4].texts[0], "1.54 ms [1.53, 1.54]");
  EXPECT_EQ(table[5].texts[0], "-") << "the reference evaluated";
  EXPECT_EQ(table[5].texts[1], "1.58 ms");
  EXPECT_EQ(target_title(tables[0]),
            "time to target: loss 0.25 from 2.5, evaluated every 100 steps, at most 10000 steps");
}

TEST(TargetTable, IsEmptyWithoutATarget) {
  const report::Report report = tests::example_report();
  const ScenarioTable table = tables_of(report)[1];
  EXPECT_TRUE(target_table(table).front().texts.empty());
  EXPECT_EQ(target_title(table), "");
  EXPECT_TRUE(target_sentences(table).empty());
}

TEST(TargetSentences, SayHowTheOthersEnded) {
  const report::Report report = tests::example_report();
  const std::vector<std::string> sentences = {
      "example/matrix @2 #base diverged within 200 steps.",
      "example/matrix packed=true unit=\u00b5 unreached: loss 0.312 after 10000 steps.",
      "example/matrix+replay cut for lack of time: loss 1.75 after 300 steps.",
      "example/matrix reaches the target, example/matrix @2 #base does not, though a step of that one takes less "
      "time."};
  EXPECT_EQ(target_sentences(tables_of(report)[0]), sentences);
}

TEST(TargetSentences, SayWhereNoRowHasATime) {
  report::Report report = tests::example_report();
  const auto said = [&report](const std::string& sentence) {
    return std::ranges::any_of(sentences_of(overview_of(report)),
                               [&](const Sentence& found) { return found.text.starts_with(sentence); });
  };
  EXPECT_TRUE(said("There are times to a target loss, on 1 scenario."));
  for (report::Cell& cell : report.cells) {
    if (cell.target) cell.target->state = TargetState::diverged;
    if (cell.summary) cell.summary->to_target.reset();
  }
  EXPECT_FALSE(said("There are times"));
  EXPECT_TRUE(said("No row has a time to its target loss, on 1 scenario."));
}

TEST(TargetSentences, SayThatTheFastestPerStepLosesOnlyWhereItDoes) {
  report::Report report = tests::example_report();
  report.cells.erase(report.cells.begin() + 3);  // the fastest, which diverged
  EXPECT_EQ(
      target_sentences(tables_of(report)[0]).back(),
      "example/matrix reaches the target before example/loops, in 0.98x [0.98, 0.98] of the time, though a step of "
      "that one takes less time.");
  const std::size_t all = target_sentences(tables_of(report)[0]).size();
  for (report::Launch& launch : report.cells[1].launches) launch.load_seconds *= launch.launch == 1 ? 1 : 1.1;
  EXPECT_EQ(target_sentences(tables_of(report)[0]).size(), all - 1) << "launch by launch they are not distinguished";
}

}  // namespace
}  // namespace gdbench::answers
