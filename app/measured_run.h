// The life of a measurement: opened before anything is measured or read, measured, closed with its report written.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/invocation.h"
#include "app/output_file.h"
#include "harness/base/clock.h"
#include "harness/base/result.h"
#include "harness/measure/cell_group.h"
#include "harness/measure/options.h"
#include "harness/measure/plan.h"
#include "harness/report/journal.h"
#include "harness/report/report.h"

namespace gdbench::app {

class Run {
 public:
  // `report` holds what the plan says; without cells it is one of cells that are chosen as they are measured, which has
  // no journal, and a file only where the output has a path. Takes the output first of all: another run of it is
  // neither disturbed by what is measured here nor read half-way. Then takes over what a stopped run measured, where
  // that is asked for, and measures the ceilings, unless `ceilings` is false: the report then has no share of them.
  // Leaves the processor that is measured on to the workers. Errors: another run has the output, it cannot be written,
  // the stopped run is one of something else.
  static Result<Run> open(const Invocation& invocation, const measure::RunOptions& options, const OutputFile& output,
                          report::Report report, bool ceilings = false);

  // Errors: the journal cannot be written, or a scenario is unfit.
  Status measure(measure::Plan& plan, measure::RunOptions options);

  // The cells of a group that was measured, where open had none.
  void add(const measure::CellGroup& group);

  report::Report& report() { return report_; }
  report::Journal& journal() { return journal_; }

  // Summarises, writes the report and has it printed; `measured` is what measuring ended with. Returns the exit status:
  // that of an error, which is printed, or of an interruption, or what the cells call for.
  int close(const Status& measured, const std::function<Status(const report::Report&)>& print);

 private:
  Run(OutputFile output, report::Report report) : output_(std::move(output)), report_(std::move(report)) {}

  bool has_file() const { return !output_.path.empty(); }
  Status write();

  std::int64_t began_ns_ = monotonic_ns();
  OutputFile output_;
  report::Report report_;
  report::Journal journal_ = report::Journal::nowhere();
  bool is_journalled_ = false;  // a run of a plan, which --resume goes on with
  bool has_ceilings_ = false;
};

// Those of the cells, by place in the report, whose ids are among these.
std::vector<std::size_t> cells_named(const std::set<std::string>& ids, const report::Report& report,
                                     const std::vector<std::size_t>& cells);

// The exit status that the cells call for.
int status_of_cells(const report::Report& report);

// Prints why the first cell that is wrong, crashed, timed out or untrusted is so; returns status_of_cells.
int report_failed_cells(const report::Report& report);

// What follows a run's last launch: a look at the ceilings, the summary, the report.
double closing_seconds(const report::Run& run, bool ceilings);

// The cells of a plan, one a line, those that cannot be trained with the reason; on stderr their number and how long
// the run is expected to take. Adapters are asked for reasons of theirs; no framework is loaded.
void print_dry_run(const measure::Plan& plan, measure::RunOptions options, bool ceilings, report::Report& report);

}  // namespace gdbench::app
