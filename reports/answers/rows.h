// The rows of a report's tables, by scenario and in order, and what is said of one of them.
#pragma once

#include <string>
#include <vector>

#include "harness/report/report.h"
#include "reports/answers/ranking.h"

namespace gdbench::answers {

struct Row {
  const report::Report* report = nullptr;
  const report::ScenarioRecord* scenario = nullptr;
  const report::Cell* cell = nullptr;

  bool timed() const { return cell->status.state == report::CellState::ok && cell->summary.has_value(); }
  bool is_baseline() const;  // of other rows
};

// The rows of one scenario. ranked and unranked have a time and are sorted fastest first.
struct ScenarioTable {
  const report::ScenarioRecord* scenario = nullptr;
  std::vector<Row> ranked;
  std::vector<Row> unranked;  // policies, and implementations that do nothing on purpose
  std::vector<Row> untimed;   // in the report's order
  std::vector<Row> controls;  // timed; cells that are others again, no rows of a table
  Ranking ranking;            // of the ranked rows
};

// In the report's order of scenarios, those without cells left out. Linear but for the sorting.
std::vector<ScenarioTable> tables_of(const report::Report& report);

// Its timed rows, ranked ones first, each fastest first; and with the others behind them.
std::vector<Row> timed_rows(const ScenarioTable& table);
std::vector<Row> all_rows(const ScenarioTable& table);

// "hand/eigen packed=true @4 #base": options, threads and arm where they differ from the defaults.
std::string row_name(const report::Cell& cell);

// "packed=true loader=gather"; empty where all are at their defaults.
std::string options_of(const report::Cell& cell);

// What bounds a step, in a word: what takes most of its operations ("fma", "exp", "div"), the level whose
// bandwidth does ("L1" ... "memory"), or "chain".
std::string bound_words(const report::CeilingShare& ceiling);

// "34% fma", "82% L3", "55% chain" of a cell with a time; above 100% the ceiling is at fault, which a mark says. "-"
// without a share.
std::string ceiling_words(const report::Cell& cell);

// Untimed rows that say the same, where at least three do: a device that is not there takes one line, not six.
struct UntimedRows {
  std::vector<std::string> names;
  const report::Cell* cell = nullptr;  // one of them, for its status
};
std::vector<UntimedRows> untimed_groups(const std::vector<Row>& rows);

// "wrong: w0 differs by 3e-2": why a row has no time.
std::string reason_of(const report::Cell& cell);

// Whether making batches takes a part of the cell's step that is worth a word.
bool tells_of_data(const report::Cell& cell);

// Whether an interval rests on a single launch, which rows mark with kOneProcessMark.
bool any_within_one_process(const ScenarioTable& table);
constexpr const char* kOneProcessMark = "*";
// " *" behind a figure whose interval does; else nothing.
std::string process_mark(const stats::Estimate& estimate);

}  // namespace gdbench::answers
