#include "reports/render/history.h"

#include <gtest/gtest.h>

namespace gdbench::render {
namespace {

using stats::Verdict;

stats::Estimate estimate(double value, int launches = 10) {
  return {value, {0.98 * value, 1.02 * value}, launches, launches == 1};
}

report::History made_history() {
  report::History history;
  history.machine = "Processor, 2 logical processors";
  history.margin = 0.03;
  history.significance = 0.01;
  history.level_confidence = 0.95;
  history.confidence = 0.99;
  const std::string newest = "0123456789abcdef0123456789abcdef01234567 (changed)";
  history.revision = newest;
  history.reports = {{"a.json", "1", "aaaaaaaaaaaaaaaaaaaa", "", "2026-01-01T00:00:00Z"},
                     {"b.json", "2", "run with words", "", "2026-01-02T00:00:00Z"},
                     {"c.json", "3", newest, "", "2026-01-03T00:00:00Z"}};
  report::HistoryCell slower{"s/slower", "key", {{0, estimate(100)}, {1, estimate(110)}, {2, estimate(132)}}, {}, {},
                             {},         ""};
  slower.segments = {{0, 0, 1, estimate(100)}, {1, 1, 1, estimate(110)}};
  slower.changes = {{0,
                     1,
                     "aaaaaaaaaaaaaaaaaaaa",
                     "run with words",
                     {estimate(1.1), Verdict::slower, ""},
                     "build/compiler: found 2, the base has 1"},
                    {1, 1, "bbbbbbbbbbbbbbbbbbbb", "bbbbbbbbbbbbbbbbbbbb", {estimate(0.9), Verdict::faster, ""}, ""},
                    {1, 1, "cccccccccccccccccccc", "dddddddddddddddddddd", {estimate(1), Verdict::equivalent, ""}, ""}};
  slower.newest = report::HistoryNewest{{2}, estimate(132), stats::Comparison{estimate(1.2), Verdict::slower, ""}};
  report::HistoryCell gone{"s/gone", "key", {{0, estimate(2500)}}, {{0, 0, 1, estimate(2500)}},
                           {},       {},    "wrong: w0 differs"};
  report::HistoryCell added{"s/added", "key", {{2, estimate(3)}}, {}, {}, report::HistoryNewest{{2}, estimate(3), {}},
                            ""};
  history.cells = {slower, added, gone};
  return history;
}

TEST(HistoryTable, HasALinePerCellAndTheAnswerAtTheEnd) {
  report::History history = made_history();
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
      "The newest revision 0123456789ab (changed) is slower in 1 of 3 cells: s/slower (+20% [+18, +22]), 1 cell "
      "without a time.\n";
  EXPECT_EQ(history_table(history), expected);
}

TEST(HistoryTable, SaysWhenNothingIsKnownToBeSlower) {
  report::History history = made_history();
  history.cells[0].newest->comparison->verdict = Verdict::inconclusive;
  const std::string text = history_table(history);
  EXPECT_TRUE(text.ends_with(
      "The newest revision 0123456789ab (changed) is not known to be slower: 1 inconclusive, 1 cell without a time.\n"))
      << text;
}

}  // namespace
}  // namespace gdbench::render
