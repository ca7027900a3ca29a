// Which samples of two cells stand beside each other: those of one launch and round.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "harness/result/report.h"
#include "harness/stats/estimate.h"

namespace gdbench::result {

// Whether estimates use the sample: not cold, and a positive time.
bool is_used(const Sample& sample);

// Step times in nanoseconds of the used samples by (launch, round); where a visit timed several blocks, in the order of
// measuring.
using Visits = std::unordered_map<std::uint64_t, std::vector<double>>;
Visits visits_of(const Cell& cell);

// Samples that one side lacks are left out. In the order of the candidate's samples.
std::vector<stats::Pair> pairs_of(const Visits& base, const Cell& candidate);

// Median of candidate - base in nanoseconds, clustered by launch.
stats::Estimate paired_difference(std::span<const stats::Pair> pairs, const stats::BootstrapOptions& bootstrap);

}  // namespace gdbench::result
