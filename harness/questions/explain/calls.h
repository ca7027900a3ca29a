// What calls of a framework's ops take of two cells' steps, and what to change first.
#pragma once

#include <optional>
#include <vector>

#include "harness/report/explanation.h"

namespace gdbench::explain {

// Profiles that times can be taken from.
std::vector<const report::Profile*> usable_profiles(const report::Cell& cell);

std::optional<report::DispatchCost> dispatch_cost(const report::Cell& cell);

std::optional<report::LargestOps> largest_ops(const report::Cell& cell);

// Of the difference that `explanation` holds, by its dispatch costs.
std::optional<report::CallsShare> calls_share(const report::Cell& a, const report::Cell& b,
                                              const report::Explanation& explanation);

// By the paths and the phases of `explanation`.
std::optional<report::Advice> advice_for(const report::Explanation& explanation);

}  // namespace gdbench::explain
