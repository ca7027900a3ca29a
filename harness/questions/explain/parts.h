// The parts of explain(), each from what `explanation` holds before it.
#pragma once

#include <optional>
#include <vector>

#include "harness/report/explanation.h"

namespace gdbench::explain {

// across.cpp
report::CellDifference difference_of(const report::Report& report, const report::Cell& cell, const report::Cell& base);
std::optional<report::TargetDifference> target_difference(const report::Report& report, const report::Cell& a,
                                                          const report::Cell& b);

// phases.cpp
std::optional<report::ProfileDifference> profile_difference(const report::Cell& a, const report::Cell& b,
                                                            const report::CellDifference& whole);
report::ProfileBasis profile_basis(const report::Cell& cell, double step_ns);

// calls.cpp
std::optional<report::DispatchCost> dispatch_cost(const report::Cell& cell);
std::optional<report::CallsShare> calls_share(const report::Cell& a, const report::Cell& b,
                                              const report::Explanation& explanation);
std::optional<report::Advice> advice_for(const report::Explanation& explanation);
// Profiles that times can be taken from.
std::vector<const report::Profile*> usable_profiles(const report::Cell& cell);

// missing.cpp
std::vector<report::MissingEvidence> missing_evidence(const report::Report& report, const report::Cell& a,
                                                      const report::Cell& b, const report::Explanation& explanation);

}  // namespace gdbench::explain
