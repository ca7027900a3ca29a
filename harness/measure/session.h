// A whole run: verifies every cell, then measures in launches until the budget, the precision or the count is reached.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "harness/measure/options.h"
#include "harness/measure/plan.h"
#include "harness/measure/time_needed.h"
#include "harness/report/journal.h"
#include "harness/report/report.h"

namespace gdbench::measure {

// Seconds that run_session takes from now on, with what is reserved: of a budget, that, what the most launches take
// or the least that must be done; of a count of launches, what they take.
Span expected_seconds(const Plan& plan, const RunOptions& options, const report::Report& report);

// Verifies, calibrates and measures. Everything learned goes to the report and, at once, to the journal. Stops early,
// without an error, once options.cancelled() says so; report.run.status tells. Which scenario has a launch when is said
// by scheduler.h. Errors: the journal cannot be written, or a scenario is unfit.
Status run_session(Plan& plan, const RunOptions& options, report::Report& report, report::Journal& journal);

// As many launches again of the cells of `units` (PlannedCell::unit): what the first ones showed is to be seen once
// more by others; fewer, but one at least, where the budget does not last. Their number is noted as the cells'
// confirmed_from. Errors: the journal cannot be written.
Status confirm(Plan& plan, const std::set<std::size_t>& units, const RunOptions& options, report::Report& report,
               report::Journal& journal);

// Consecutive scenarios, kMostDatasets at most, whose data fits into `data_cap_bytes` together; measured batch after
// batch. What is launched together stays together where it fits, as it does into the cap that it was planned with.
std::vector<std::vector<PlannedScenario*>> batches(const Plan& plan, std::size_t data_cap_bytes);

}  // namespace gdbench::measure
