// From which size on one implementation is faster than another: which size to measure next, and what the measured sizes
// say. Knows nothing of how a size is measured.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "harness/stats/estimate.h"

namespace gdbench::stats {

// Of the verdicts at single sizes. Many sizes are judged, some of them again and again: at 95% one in twenty would be
// given a winner by chance.
constexpr double kCrossoverConfidence = 0.99;

// By size: time of A over time of B. "faster" means that A is.
using ComparedSizes = std::map<std::int64_t, Comparison>;

struct CrossoverOptions {
  std::int64_t from = 1;
  std::int64_t to = 1;
  int grid = 5;            // sizes that are measured first, in equal ratios, both ends among them
  int launches = 8;        // of a size; see fewest_launches()
  int most_launches = 32;  // of a size whose verdict is inconclusive
};

struct SizeToMeasure {
  std::int64_t size = 0;
  int launches = 0;  // that the size shall have in all
};

// The grid first. Then, within the first pair of sizes with opposite verdicts, the middle by ratio until the two are
// neighbours; where sizes between them have no winner, more launches there and then the gaps on either side of them,
// until those are narrow. Without such a pair, more launches where the verdict is inconclusive. Nothing: done.
std::optional<SizeToMeasure> next_size(const ComparedSizes& sizes, const CrossoverOptions& options);

// Two sizes with opposite winners and none with a winner between them.
struct Crossing {
  std::int64_t low = 0;
  std::int64_t high = 0;
  bool a_faster_above = false;
};

enum class CrossoverOutcome {
  crossing,
  none,       // the winner, or that there is none, is the same at every size
  undecided,  // an end is inconclusive, or a size in between whose neighbours do not agree
};
const char* name_of(CrossoverOutcome outcome);  // "crossing", "none", "undecided"

struct Crossover {
  CrossoverOutcome outcome = CrossoverOutcome::undecided;
  Crossing crossing;             // the one with the smallest sizes
  double estimate = 0;           // where the ratio is 1 between its ends
  std::vector<Crossing> others;  // further ones: the order is not monotone
};

// The estimate is the zero of the least-squares line of log ratio over log size through the crossing's ends and the
// sizes between them (the straight line where there are none), kept within the ends.
Crossover find_crossover(const ComparedSizes& sizes);

}  // namespace gdbench::stats
