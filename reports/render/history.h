// Renderer of a history.
#pragma once

#include <string>
#include <vector>

#include "harness/report/history.h"
#include "reports/render/table.h"

namespace gdbench::render {

// A row per cell with its first time, its level, the newest time and where its level changed; what there is to know of
// the reports; and whether the newest revision is slower, in words.
std::string history_table(const report::History& history);

// What that is made of.

// A row for each of these cells.
TextTable history_cells(const std::vector<const report::HistoryCell*>& cells);
// Which reports of how many revisions on which machine; what the table's words mean; how many changes lie within the
// margin, nothing where none does; the answer in one sentence.
std::string history_reports_words(const report::History& history);
std::string history_method_words(const report::History& history);
std::string history_hidden_words(const report::History& history);
std::string history_answer(const report::History& history);

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
// The earliest first.
std::vector<HistoryMark> history_marks(const report::History& history);
// A row for each of them, counted from 1, with dates.
TextTable history_changes(const report::History& history, const std::vector<HistoryMark>& marks);

// "0123456789ab", "0123456789ab with changes"; what is no revision stays whole.
std::string short_revision(const std::string& revision, std::size_t digits = 12);
// The day of a report's revision; where that is not known, of its run.
std::string day_of(const report::HistoryReport& report);

}  // namespace gdbench::render
