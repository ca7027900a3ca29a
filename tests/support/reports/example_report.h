// A small report made by hand, with every state, optional part and awkward text in it:
// tests/golden/answers/report.json, which is changed there. Its figures are invented, its summaries too, so that
// renderers are tested without statistics, and its implementations are called "example/...": nothing was measured.
#pragma once

#include "harness/report/report.h"

namespace gdbench::tests {

report::Report example_report();

}  // namespace gdbench::tests
