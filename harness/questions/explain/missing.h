// What was not measured and would say more of a difference, with the command that measures it.
#pragma once

#include <vector>

#include "harness/report/explanation.h"

namespace gdbench::explain {

// `explanation` holds all else.
std::vector<report::MissingEvidence> missing_evidence(const report::Report& report, const report::Cell& a,
                                                      const report::Cell& b, const report::Explanation& explanation);

}  // namespace gdbench::explain
