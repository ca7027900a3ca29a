// What became of the times of cells over many revisions on one machine: `gdbench history`. A document of its own next
// to the reports, which hold the samples.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/stats/estimate.h"

namespace gdbench::report {

// A report of the history. Everything below names reports by their number in History::reports.
struct HistoryReport {
  std::string file;
  std::string run;           // its id
  std::string revision;      // "0123abc... with changes": of the build; the run's id where it knows none
  std::string committed_at;  // of the revision, UTC, ISO 8601; empty where the build does not say
  std::string started_at;    // of the run, likewise
};

// The time of a cell in one report.
struct HistoryPoint {
  int report = 0;
  stats::Estimate step_ns;
};

// Points that follow one another and have one level.
struct HistorySegment {
  int first = 0;  // reports, both of them belong to it
  int last = 0;
  int reports = 0;           // that have the cell
  stats::Estimate level_ns;  // median over its reports, with what they scatter by
};

struct HistoryChange {
  int last_before = 0;  // reports on both sides of the border
  int first_after = 0;
  std::string before;  // their revisions. The same one twice: the machine changed, not the code
  std::string after;
  stats::Comparison comparison;  // of the level behind the border to the level before it
  std::string remark;  // in what else than the revision the two builds differ; empty: in nothing that is known
};

// The newest revision against the last level before it.
struct HistoryNewest {
  std::vector<int> reports;
  stats::Estimate step_ns;                      // as the level of a segment
  std::optional<stats::Comparison> comparison;  // absent where no report before it has the cell
};

struct HistoryCell {
  std::string id;
  std::string scenario;                  // key of the resolved scenario: where that changes, the id has another series
  std::string label;                     // of the scenario: what the id begins with
  std::vector<HistoryPoint> points;      // in the order of time
  std::vector<HistorySegment> segments;  // of the revisions before the newest
  std::vector<HistoryChange> changes;    // between them
  std::optional<HistoryNewest> newest;   // absent where the newest revision has no time
  std::string remark;                    // why there is none: "wrong: w0 differs", "not in its report"
};

// Reports that are no part of the history, because their times cannot be compared with it.
struct SeparatedMachine {
  std::string machine;
  std::string difference;  // "cpu/model: found "B", the base has "A""
  std::vector<std::string> files;
};

struct History {
  std::string machine;                 // "Processor, 2 logical processors, Linux 6.1, Debian GNU/Linux 12"
  std::string revision;                // the newest
  double margin = 0;                   // levels this close make no difference
  double significance = 0;             // of a change point
  double level_confidence = 0;         // of the intervals of levels and changes
  double confidence = 0;               // that no cell of the newest revision is wrongly called slower or faster
  std::vector<HistoryReport> reports;  // in the order of time
  std::vector<SeparatedMachine> separated;
  std::vector<HistoryCell> cells;
  std::vector<std::string> notes;

  // Whether a cell of the newest revision is confidently slower than the level before it.
  bool is_slower() const;
};

OrderedJson to_json(const History& history);
OrderedJson history_schema();

}  // namespace gdbench::report
