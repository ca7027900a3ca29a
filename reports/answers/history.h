// What the answer of `gdbench history` is made of.
#pragma once

#include <string>
#include <vector>

#include "harness/report/history.h"
#include "reports/document/document.h"

namespace gdbench::answers {

// A cell that became slower or faster beyond the margin, or may have: where its level changed before the newest
// revision, and where that is confidently another.
struct HistoryMark {
  const report::HistoryCell* cell = nullptr;
  int last_before = 0;  // reports on both sides
  int first_after = 0;
  const stats::Comparison* comparison = nullptr;
  std::string place;   // "0123abc -> 4567def", "within 0123abc (not the code)"
  std::string remark;  // "not built alike: ..."
};
using HistoryMarks = std::vector<HistoryMark>;  // the earliest first; the first one has the number 1
using HistoryCells = std::vector<const report::HistoryCell*>;

// Whether the cell has one of the marks.
bool is_marked(const HistoryMarks& marks, const report::HistoryCell& cell);

// The times of one scenario's cells over the revisions, with their intervals and levels; changes of a level numbered as
// in `marks`, which are those of the whole history.
document::Figure history_figure(const report::History& history, const HistoryMarks& marks, const HistoryCells& cells);

// "0123456789ab", "0123456789ab with changes"; what is no revision stays whole.
std::string short_revision(const std::string& revision, std::size_t digits = 12);
// The day of a report's revision; where that is not known, of its run.
std::string day_of(const report::HistoryReport& report);

}  // namespace gdbench::answers
