#include "reports/answers/history.h"

#include <gtest/gtest.h>

#include "reports/answers/documents.h"
#include "tests/support/reports/answers.h"
#include "tests/support/reports/example_history.h"
#include "tests/unit/answers/screen_text.h"

namespace gdbench::answers {
namespace {

using stats::Verdict;

TEST(Golden, History) {
  report::History history = tests::example_history();
  history.separated = {{"Abacus", "cpu/model: found 1, the base has 2", {"d.json", "e.json"}}};
  history.notes = {"left out f.json: not so"};
  tests::expect_golden_answer("history", document_of(history));
}

TEST(History, SaysWhenNothingIsKnownToBeSlower) {
  report::History history = tests::example_history();
  history.cells[0].newest->comparison->verdict = Verdict::inconclusive;
  history.cells[0].changes.clear();
  const document::Document document = document_of(history);
  EXPECT_EQ(document.answer.front().text,
            "The newest revision 0123456789ab with changes is not known to be slower: 1 inconclusive, 1 cell without "
            "a time.");
  EXPECT_EQ(document.answer.back().text, "No level changed beyond the margin of 3.0%.");
}

document::Plane plane_of(const document::Figure& figure) { return std::get<document::Plane>(figure.chart); }

// Cells of one scenario on one axis: as times while they are near each other, else as multiples of their first level.
TEST(History, ShowsCellsThatLieFarApartAsMultiples) {
  const report::History history = tests::example_history();
  HistoryCells cells;
  for (const report::HistoryCell& cell : history.cells) cells.push_back(&cell);
  EXPECT_EQ(plane_of(history_figure(history, {}, cells)).series.front().points.front().y, 1);
  cells.resize(1);
  EXPECT_EQ(plane_of(history_figure(history, {}, cells)).up.title, "time per step");
  EXPECT_EQ(plane_of(history_figure(history, {}, cells)).series.front().points.front().y, 100);
}

// The flag of a change stands where the later revision's place begins; each report stands in its revision's place.
TEST(History, FlagsStandBetweenTheRevisionsOfAChange) {
  report::History history = tests::example_history();
  history.reports[1].revision = history.reports[0].revision;
  const HistoryCells cells = {&history.cells[0]};
  const report::HistoryChange& change = history.cells[0].changes.front();
  const HistoryMarks marks = {{&history.cells[0], 1, 2, &change.comparison, "", ""},
                              {&history.cells[0], 0, 1, &change.comparison, "", ""}};
  const document::Plane plane = plane_of(history_figure(history, marks, cells));
  ASSERT_EQ(plane.rules.size(), 2U);
  EXPECT_EQ(plane.rules[0].at, 0);
  EXPECT_EQ(plane.rules[1].at, 0.5);
  EXPECT_NEAR(plane.series.back().points[0].x, -0.15, 1e-9);
  EXPECT_NEAR(plane.series.back().points[1].x, 0.15, 1e-9);
}

TEST(History, FoldsCellsWithoutAChangeWhereThereAreMany) {
  report::History history = tests::example_history();
  report::HistoryCell still = history.cells[1];
  for (int i = 0; i < 9; ++i) {
    still.id = "s/still " + std::to_string(i);
    history.cells.push_back(still);
  }
  const std::string outline = tests::outline_of(document_of(history));
  EXPECT_TRUE(tests::says(outline,
                          "fold: 11 cells without a change: cell reports first level newest change verdict s/added 1"));
  EXPECT_TRUE(tests::says(outline, "Thin grey lines are 5 cells more"));
}

}  // namespace
}  // namespace gdbench::answers
