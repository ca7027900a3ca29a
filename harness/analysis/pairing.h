// A cell's steps by launch, and which samples of two cells belong together: those of the same launch and round, which
// were measured side by side.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/report/report.h"

namespace gdbench::analysis {

// Launch -> a value of it.
using ByLaunch = std::map<int, double>;

// The step of each launch: the least of its samples that are neither cold nor no positive number.
ByLaunch step_by_launch(const report::Cell& cell);

// All of those samples, as estimates take them.
std::vector<stats::Observation> observations_of(const report::Cell& cell);

// Times by (launch, round); where a visit timed several blocks, in the order of measuring.
using Visits = std::unordered_map<std::uint64_t, std::vector<double>>;
Visits visits_of(const report::Cell& cell);

// Samples of the candidate with those of the base in the same visit; visits that one side lacks are left out.
std::vector<stats::Pair> pairs_of(const Visits& base, const report::Cell& candidate);
std::vector<stats::Pair> pairs_of(const report::Cell& base, const report::Cell& candidate);

// The value that a cell has for an option; null where its implementation does not declare it.
const std::string* option_of(const report::Cell& cell, const std::string& key);

// The same for cells that can be compared: of one scenario, thread count and arm.
std::string group_of(const report::Cell& cell);

}  // namespace gdbench::analysis
