// Which cells of two sides of a comparison are the same one, and what is to be said where only one has a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/report/comparison.h"
#include "harness/report/report.h"

namespace gdbench::compare {

std::string id_without_arm(const report::Cell& cell);

// A cell of either side; one of them may be missing.
struct Match {
  const report::Cell* base = nullptr;
  const report::Cell* next = nullptr;
};

// Cells of one arm of either report, by their id. In the order of the new side, then what only the base has.
std::vector<Match> matched(const report::Report& base, const std::string& base_arm, const report::Report& next,
                           const std::string& next_arm);

// What can be said without a look at the times; nothing where they decide.
std::optional<report::ComparedCell> without_times(const Match& match);

}  // namespace gdbench::compare
