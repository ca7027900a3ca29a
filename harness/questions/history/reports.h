// Reports as a history needs them: what was measured when, of which sources, on which machine. They are reduced one by
// one, for two hundred reports with their samples would fill the memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/report/history.h"
#include "harness/report/report.h"
#include "harness/stats/estimate.h"

namespace gdbench::history {

// A cell of the arm "new".
struct MeasuredCell {
  std::string id;
  std::string scenario;  // key
  std::string data_digest;
  std::string label;                       // of the scenario
  std::optional<stats::Estimate> step_ns;  // absent where it has no time
  report::CellStatus status;
  double noise_floor = 0;  // what the report's control is off by
  std::string unfit;       // why its control allows no verdict; empty: it does
};

struct MeasuredReport {
  report::HistoryReport source;
  std::string environment;  // JSON text
  std::string machine;      // the same in words
  std::vector<MeasuredCell> cells;
};

// `report` is summarised.
MeasuredReport measured_report(const std::string& file, const report::Report& report);

struct ReadReports {
  std::vector<MeasuredReport> reports;
  std::vector<std::string> notes;  // what was left out, and why
};

// Of folders every *.json, sorted by name, and files. Notes: files of a folder that are no reports, runs that were met
// before. Errors, in one line that names the path: a file that is no report, a folder that cannot be read, no report in
// all of them.
Result<ReadReports> read_reports(const std::vector<std::string>& paths);

}  // namespace gdbench::history
