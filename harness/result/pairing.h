// Which samples of two cells belong together: those of the same launch and round, which were measured side by side.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/result/report.h"

namespace gdbench::result {

// Neither cold nor a time that is no positive number.
bool is_used(const Sample& sample);

// Times by launch, in the order of measuring.
std::map<int, std::vector<double>> times_by_launch(const Cell& cell);

// The same as estimates take them.
std::vector<stats::Observation> observations_of(const Cell& cell);

// Times by (launch, round); where a visit timed several blocks, in the order of measuring.
using Visits = std::unordered_map<std::uint64_t, std::vector<double>>;
Visits visits_of(const Cell& cell);

// Samples of the candidate with those of the base in the same visit; visits that one side lacks are left out.
std::vector<stats::Pair> pairs_of(const Visits& base, const Cell& candidate);
std::vector<stats::Pair> pairs_of(const Cell& base, const Cell& candidate);

// The same for cells that can be compared: of one scenario, thread count and arm.
std::string group_of(const Cell& cell);

}  // namespace gdbench::result
