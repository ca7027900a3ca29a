#include "reports/answers/target.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "reports/answers/overview.h"
#include "reports/answers/overview_sentences.h"
#include "reports/answers/scenario_charts.h"
#include "tests/support/reports/example_report.h"

namespace gdbench::answers {
namespace {

using report::TargetState;

TEST(TargetTable, IsEmptyWithoutATarget) {
  const report::Report report = tests::example_report();
  const ScenarioTable table = tables_of(report)[1];
  EXPECT_TRUE(target_table(table).front().texts.empty());
  EXPECT_EQ(target_title(table), "");
  EXPECT_TRUE(target_sentences(table).empty());
}

TEST(TargetTable, HasImportsAndSkippedStepsWhereThereAreSome) {
  report::Report report = tests::example_report();
  report.cells[0].summary->import_seconds = 0.25;
  report.cells[0].target->skipped_steps = 7;
  const Columns columns = target_table(tables_of(report)[0]);
  ASSERT_EQ(columns.size(), 8U);
  EXPECT_EQ(columns[6].texts, std::vector<std::string>({"-", "250 ms"}));
  EXPECT_EQ(columns[7].texts, std::vector<std::string>({"-", "7"}));
}

TEST(TargetFigure, FallsFromBeingReadyAtThePaceOfASteadyStep) {
  report::Report report = tests::example_report();
  report::Cell& cell = report.cells[0];
  cell.target->curve->push_back({cell.target->steps, 0.2});  // where the target is reached
  document::Hues hues;
  const MaybeFigure figure = target_figure(tables_of(report)[0], hues);
  ASSERT_TRUE(figure.has_value());
  const report::TimeToTarget& time = *cell.summary->to_target;
  const std::vector<document::Point>& points = std::get<document::Plane>(figure->chart).series.at(0).points;
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points[1].x, *time.ready_ns + 1000 * cell.summary->step_ns.value);
  EXPECT_EQ(points[2].x, time.time_ns.value);
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
  EXPECT_TRUE(target_sentences(tables_of(report)[0])
                  .back()
                  .starts_with("example/matrix reaches the target before example/loops, in 0.98x [0.98, 0.98] of the "
                               "time, though a step of "));
  const std::size_t all = target_sentences(tables_of(report)[0]).size();
  for (report::Launch& launch : report.cells[1].launches) launch.load_seconds *= launch.launch == 1 ? 1 : 1.1;
  EXPECT_EQ(target_sentences(tables_of(report)[0]).size(), all - 1) << "launch by launch they are not distinguished";
}

}  // namespace
}  // namespace gdbench::answers
