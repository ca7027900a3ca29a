// Correctness only: how close every cell came to the reference, or why it is not right.
#pragma once

#include "harness/report/report.h"
#include "reports/document/document.h"

namespace gdbench::answers {

// A row for each cell; brief: for each scenario, and only for cells that are neither ok nor unsupported.
document::Document verification(const report::Report& report, bool brief);

}  // namespace gdbench::answers
