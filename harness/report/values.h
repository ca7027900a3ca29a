// What one value of --set takes compared with another. Computed by summarise() from the samples of one run.
#pragma once

#include <optional>
#include <string>

#include "harness/stats/estimate.h"

namespace gdbench::report {

// A cell against the same cell with the first value of one key, in a scenario that was launched together with its own.
struct ValueComparison {
  std::string cell;
  std::string first;             // id of that cell
  std::string key;               // "optimizer"
  stats::Comparison comparison;  // of their steps, paired by launch and round
  // Floating-point operations of a step over those of the first; absent where they are the same, or unknown.
  std::optional<double> operations_ratio{};
};

}  // namespace gdbench::report
