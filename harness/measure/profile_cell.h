// Where a verified cell's step spends its time.
#pragma once

#include "harness/measure/cell_worker.h"
#include "harness/measure/options.h"
#include "harness/measure/plan.h"
#include "harness/report/journal.h"
#include "harness/report/profile.h"
#include "harness/report/report.h"

namespace gdbench::measure {

// Runs profiled and unprofiled blocks in turn in one fresh process, `blocks` of each; the profiled block of median
// length is kept. The cell was verified and has its block. Errors: it offers no profile (unsupported), its worker
// failed.
Result<report::Profile> profile_verified_cell(const PlannedScenario& planned, const PlannedCell& planned_cell,
                                              const RunOptions& options, int blocks, const report::Cell& cell);

// The same in a worker that is there and has made its first step; `launch` is its record.
Result<report::Profile> profile_worker(CellWorker& worker, const PlannedScenario& planned, const report::Launch& launch,
                                       int blocks, const report::Cell& cell);

// Where allocations cannot be counted, a profile needs no process of its own: it is taken at the end of a launch.
inline bool profiled_in_launch(const PlannedCell& planned_cell) {
  return planned_cell.entry->allocation_counter.empty();
}

// The note on a profile that could not be had.
std::string note_on_profile(const report::Cell& cell, const Error& error);

// A glance at where a step's time goes, beside the launches that time it.
constexpr int kBlocksOfAGlance = 3;

// Processes that a cell is profiled in: how its phases scatter between processes takes three to tell, and more than
// five narrow it little.
constexpr std::size_t kMaxProfiles = 5;
std::size_t count_profiles(const report::Cell& cell);

// One more profile of the cell. A slow spell lasts as long as a profile: that of the fastest process is the cell's own,
// the others are kept beside it, without what they did once. A framework's ops were asked for the first time alone, and
// stay with the cell's own.
void add_profile(report::Profile profile, report::Cell& cell);

// Three profiles of each of these cells (indices of the report's), which are measured, one of each after the other,
// until the budget is spent. Errors: the journal cannot be written.
Status profile_cells(const std::vector<std::size_t>& cells, Plan& plan, const RunOptions& options,
                     report::Report& report, report::Journal& journal);

// Verifies the cell, then does that at length. Errors: as above, or the cell is not right (usage).
Result<report::Profile> profile_cell(const PlannedScenario& planned, const PlannedCell& planned_cell,
                                     const RunOptions& options, report::Cell& cell);

}  // namespace gdbench::measure
