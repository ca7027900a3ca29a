// Comparisons made by hand.
#pragma once

#include <cstddef>

#include "harness/report/comparison.h"

namespace gdbench::tests {

// Every change in two scenarios, with layouts, a remark and a hostile name. Its figures are invented.
report::ReportComparison example_comparison();

// So many equivalent cells in two scenarios, and one that regressed.
report::ReportComparison long_comparison(std::size_t equivalent_cells);

}  // namespace gdbench::tests
