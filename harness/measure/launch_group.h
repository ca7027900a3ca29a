// One launch of every live cell of a group: fresh processes side by side, visited in rounds.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/measure/expected.h"
#include "harness/measure/options.h"
#include "harness/measure/plan.h"
#include "harness/report/journal.h"
#include "harness/report/report.h"

namespace gdbench::measure {

// What is known of a cell between launches.
struct LiveCell {
  const PlannedScenario* scenario = nullptr;
  const PlannedCell* planned = nullptr;
  std::optional<ExpectedDisplacement> expected;       // of a block, where it is affordable
  std::optional<ExpectedDisplacement> expected_step;  // of a single step, where that of a block is not
  bool checked = false;  // its first launch runs blocks that are no samples, see measured_worker.h
};

// The cells that are ok: verified and calibrated, their data held. Of several scenarios, those that differ in values of
// --set alone stand next to each other.
std::vector<LiveCell> live_cells(const PlannedScenario& planned, const report::Report& report);
std::vector<LiveCell> live_cells(const std::vector<PlannedScenario*>& scenarios, const report::Report& report);

// The number of the cells' next launch: beyond those of a journal that is gone on with, finished or not.
int next_launch(const std::vector<LiveCell>& cells, const report::Report& report);

// Adds a note to the report and the journal, unless the report has it. Errors: the journal cannot be written.
Status note_once(const std::string& note, report::Report& report, report::Journal& journal);

// Runs launch number `launch` of the cells, whose data are held, appending samples and launches to the report's cells
// and the journal. A cell that fails gets its status and is dropped from `cells`; the others go on. Errors: the journal
// cannot be written.
Status run_launch_group(std::vector<LiveCell>& cells, int launch, const RunOptions& options, report::Report& report,
                        report::Journal& journal);

}  // namespace gdbench::measure
