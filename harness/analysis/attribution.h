// What the differences of a run are made of, computed from samples, launches and profiles.
#pragma once

#include "harness/report/report.h"

namespace gdbench::analysis {

// Of a report whose cells have their summaries. Linear in the samples, quadratic in the cells of one scenario.
report::Attribution attribution_of(const report::Report& report);

}  // namespace gdbench::analysis
