// Many verdicts of one table, where one in twenty would be wrong by chance if each stood for itself.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "harness/stats/estimate.h"

namespace gdbench::stats {

// `compare(i, confidence)` is the comparison of member i at a confidence of its own. faster and slower are given by
// Holm's procedure: the chance that any of them is wrong, over the whole family, is at most 1 - confidence. Whatever it
// leaves over is judged at `confidence`, and may only be equivalent or inconclusive.
// S. Holm, A simple sequentially rejective multiple test procedure (1979).
std::vector<Comparison> compare_family(std::size_t members, double confidence,
                                       const std::function<Comparison(std::size_t, double)>& compare);

}  // namespace gdbench::stats
