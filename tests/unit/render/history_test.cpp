#include "reports/render/history.h"

#include <gtest/gtest.h>

#include "tests/support/reports/example_history.h"

namespace gdbench::render {
namespace {

using stats::Verdict;

TEST(HistoryTable, HasALinePerCellAndTheAnswerAtTheEnd) {
  report::History history = tests::example_history();
  history.separated = {{"Abacus", "cpu/model: found 1, the base has 2", {"d.json", "e.json"}}};
  history.notes = {"left out f.json: not so"};
  const char* expected =
      "  cell      reports   first   level  newest  change           verdict            earlier changes of the level\n"
      "  s/slower        3  100 ns  110 ns  132 ns  +20% [+18, +22]  slower             "
      "aaaaaaaaaaaa -> run with words: +10% [+8, +12] slower (not built alike: build/compiler: found 2, the base has "
      "1); "
      "within bbbbbbbbbbbb (not the code): -10% [-12, -8] faster\n"
      "  s/added         1    3 ns       -    3 ns  -                new\n"
      "  s/gone          1  2.5 us  2.5 us       -  -                wrong: w0 differs\n"
      "\n"
      "3 reports of 3 revisions on Processor, 2 logical processors, from 2026-01-01T00:00:00Z to "
      "2026-01-03T00:00:00Z.\n"
      "level: median of the reports since its last change, before the newest revision; change: of the newest to it, "
      "with what reports scatter by; slower and faster: all of it beyond the margin of 3.0%, at 99% for all cells "
      "together (Holm).\n"
      "Levels also changed 1 time within the margin.\n"
      "Note: left out, of another machine than the base above: d.json, e.json: cpu/model: found 1, the base has 2.\n"
      "Note: left out f.json: not so.\n"
      "The newest revision 0123456789ab with changes is slower in 1 of 3 cells: s/slower (+20% [+18, +22]), 1 cell "
      "without a time.\n";
  EXPECT_EQ(history_table(history), expected);
}

TEST(HistoryTable, SaysWhenNothingIsKnownToBeSlower) {
  report::History history = tests::example_history();
  history.cells[0].newest->comparison->verdict = Verdict::inconclusive;
  const std::string text = history_table(history);
  EXPECT_TRUE(
      text.ends_with("The newest revision 0123456789ab with changes is not known to be slower: 1 inconclusive, 1 cell "
                     "without a time.\n"))
      << text;
}

}  // namespace
}  // namespace gdbench::render
