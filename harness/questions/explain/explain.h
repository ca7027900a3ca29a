// Why one cell is faster or slower than another: computed from a report, put into words by reports/answers/explanation.
#pragma once

#include <vector>

#include "harness/report/explanation.h"

namespace gdbench::explain {

// `a` and `b` are different cells of `report`, both with a summary (see summarise()), of one scenario or of two with
// one name.
report::Explanation explain(const report::Report& report, const report::Cell& a, const report::Cell& b);

// The keys of the two cells' scenarios that differ.
std::vector<report::KeyDifference> differing_keys(const report::Report& report, const report::Cell& a,
                                                  const report::Cell& b);

// The same implementation, options, threads and arm in two scenarios.
bool differ_in_scenario_alone(const report::Cell& a, const report::Cell& b);

}  // namespace gdbench::explain
