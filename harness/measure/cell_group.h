// Cells that are measured side by side, launch after launch, as often as somebody asks: for commands
// that decide what comes next while they measure. A run with a budget and a journal is harness/measure/session.h.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/measure/launch_group.h"
#include "harness/measure/options.h"
#include "harness/measure/plan.h"
#include "harness/report/report.h"

namespace gdbench::measure {

class CellGroup {
 public:
  // A plan, mostly of one scenario, and the report that it was made for: report().cells are its cells.
  CellGroup(Plan plan, report::Report report) : plan_(std::move(plan)), report_(std::move(report)) {}

  // Verifies and calibrates every cell; the status goes to the report. Errors: the data cannot be made, the reference
  // diverges.
  Status verify(const RunOptions& options);

  // The cell, a place in the report, stays out of all launches.
  void leave_out(std::size_t cell);

  // One more launch of the cells that are ok. Errors: the data cannot be made.
  Status launch(const RunOptions& options);

  // Forgets launches and samples: the next launch is the first of another measurement.
  void start_over();

  // From now on every timed block of a cell of the report makes so much more work (harness/worker/block_timer.h); 0:
  // none.
  void add_work(std::size_t cell, std::uint64_t iterations);

  // Notes that the launches from now on confirm what those before them showed.
  void confirm_from_here();

  // Lets the data go until the next launch.
  void release();

  int launches() const { return launches_; }
  const report::Report& report() const { return report_; }
  // The first one.
  const PlannedScenario& scenario() const { return *plan_.scenarios.front(); }
  // The first cell that is neither ok nor pending; null where there is none.
  const report::Cell* failed_cell() const;

 private:
  Status acquire();

  Plan plan_;
  report::Report report_;
  std::vector<LiveCell> live_;
  int launches_ = 0;
};

}  // namespace gdbench::measure
