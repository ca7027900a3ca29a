#include "reports/page/history_page.h"

#include <gtest/gtest.h>

#include "tests/support/reports/example_history.h"
#include "tests/unit/page/page_parts.h"

namespace gdbench::page {
namespace {

TEST(Golden, HistoryPage) {
  report::History history = tests::example_history();
  history.separated = {{"Abacus", "cpu/model: found 1, the base has 2", {"d.json", "e.json"}}};
  history.notes = {"left out f.json: not so"};
  expect_golden_page("history", history_page(history));
}

// Cells of one scenario on one axis: as times while they are near each other, else as multiples of their first level.
TEST(HistoryPage, ShowsCellsThatLieFarApartAsMultiples) {
  report::History history = tests::example_history();
  EXPECT_NE(history_page(history).find("times the cell&#39;s first level, logarithmic"), std::string::npos);
  history.cells.resize(1);
  EXPECT_NE(history_page(history).find("time per step, logarithmic"), std::string::npos);
}

TEST(HistoryPage, FoldsCellsWithoutAChangeWhereThereAreMany) {
  report::History history = tests::example_history();
  report::HistoryCell still = history.cells[1];
  for (int i = 0; i < 9; ++i) {
    still.id = "s/still " + std::to_string(i);
    history.cells.push_back(still);
  }
  const std::string page = history_page(history);
  EXPECT_NE(page.find("<summary>11 cells without a change</summary>"), std::string::npos);
  EXPECT_NE(page.find("Thin grey lines are 5 cells more"), std::string::npos);
}

}  // namespace
}  // namespace gdbench::page
