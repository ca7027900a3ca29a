// Measuring once more what a run seems to show, before it is called so.
#pragma once

#include <cstddef>
#include <set>

#include "harness/measure/options.h"
#include "harness/measure/plan.h"
#include "harness/report/journal.h"
#include "harness/report/report.h"

namespace gdbench::measure {

// As many launches again of the cells of `units` (PlannedCell::unit): what the first ones showed is to be seen once
// more by others; fewer, but one at least, where the budget does not last. Their number is noted as the cells'
// confirmed_from. Errors: the journal cannot be written.
Status confirm(Plan& plan, const std::set<std::size_t>& units, const RunOptions& options, report::Report& report,
               report::Journal& journal);

}  // namespace gdbench::measure
