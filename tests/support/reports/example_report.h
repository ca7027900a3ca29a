// A small report made by hand, with every state, optional part and awkward text in it. Its figures are invented and its
// implementations are called "example/...": nothing was measured.
#pragma once

#include "harness/report/report.h"

namespace gdbench::tests {

// With summaries; they are written by hand too, so that renderers are tested without statistics.
report::Report example_report();

}  // namespace gdbench::tests
