// A small history made by hand, with every kind of cell and an awkward revision in it. Its figures are invented.
#pragma once

#include "harness/report/history.h"

namespace gdbench::tests {

inline report::History example_history() {
  using stats::Verdict;
  const auto estimate = [](double value) { return stats::Estimate{value, {0.98 * value, 1.02 * value}, 10, false}; };
  report::History history;
  history.machine = "Processor, 2 logical processors";
  history.margin = 0.03;
  history.significance = 0.01;
  history.level_confidence = 0.95;
  history.confidence = 0.99;
  const std::string newest = "0123456789abcdef0123456789abcdef01234567 with changes";
  history.revision = newest;
  history.reports = {{"a.json", "1", "aaaaaaaaaaaaaaaaaaaa", "", "2026-01-01T00:00:00Z"},
                     {"b.json", "2", "run with words", "", "2026-01-02T00:00:00Z"},
                     {"c.json", "3", newest, "", "2026-01-03T00:00:00Z"}};
  report::HistoryCell slower{"s/slower", "key", "s", {{0, estimate(100)}, {1, estimate(110)}, {2, estimate(132)}},
                             {},         {},    {},  ""};
  slower.segments = {{0, 0, 1, estimate(100)}, {1, 1, 1, estimate(110)}};
  const auto add = [&](const char* before, const char* after, double ratio, Verdict verdict, const char* remark) {
    slower.changes.push_back({0, 1, before, after, {estimate(ratio), verdict, ""}, remark});
  };
  add("aaaaaaaaaaaaaaaaaaaa", "run with words", 1.1, Verdict::slower, "build/compiler: found 2, the base has 1");
  add("bbbbbbbbbbbbbbbbbbbb", "bbbbbbbbbbbbbbbbbbbb", 0.9, Verdict::faster, "");
  add("cccccccccccccccccccc", "dddddddddddddddddddd", 1, Verdict::equivalent, "");
  slower.newest = report::HistoryNewest{{2}, estimate(132), stats::Comparison{estimate(1.2), Verdict::slower, ""}};
  report::HistoryCell gone{"s/gone",           "key", "s", {{0, estimate(2500)}}, {{0, 0, 1, estimate(2500)}}, {}, {},
                           "wrong: w0 differs"};
  report::HistoryCell added{
      "s/added", "key", "s", {{2, estimate(3)}}, {}, {}, report::HistoryNewest{{2}, estimate(3), {}}, ""};
  history.cells = {slower, added, gone};
  return history;
}

}  // namespace gdbench::tests
