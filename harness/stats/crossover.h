// At which sizes one implementation is faster than another: which size to measure next, and what the measured sizes
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
  int grid = 5;  // sizes that are measured first, in equal ratios, both ends among them
  int launches = min_launches(kCrossoverConfidence, Looks::every);  // of a size
  int max_launches = kMaxLaunchesWorthATry;                         // of a size whose verdict is inconclusive
};

struct SizeToMeasure {
  std::int64_t size = 0;
  int launches = 0;  // that the size shall have in all
};

// The grid first. Then every change of winner, and then every end of a zone without one, is narrowed down: opposite
// winners side by side by the middle of their ratio until they are neighbours; a zone without a winner by four times
// the launches where it is inconclusive, then by the gaps on either side of it until those are narrow. Then ever more
// launches at the open sizes. Nothing: done.
std::optional<SizeToMeasure> next_size(const ComparedSizes& sizes, const CrossoverOptions& options);

// The inconclusive sizes, except for those between two winners so close together that they do not matter. By size.
std::vector<std::int64_t> open_sizes(const ComparedSizes& sizes);

// Measured sizes that follow one another and have the same winner, or all of them none.
struct Zone {
  Verdict verdict = Verdict::inconclusive;  // without a winner: equivalent where all of its sizes are
  std::int64_t first = 0;
  std::int64_t last = 0;

  bool has_winner() const { return verdict == Verdict::faster || verdict == Verdict::slower; }
};

enum class CrossoverOutcome {
  crossing,   // A is faster at one size and slower at another
  none,       // one of the two is certainly faster nowhere
  undecided,  // each may be faster somewhere
};
inline constexpr Named<CrossoverOutcome> kCrossoverOutcomes[] = {{CrossoverOutcome::crossing, "crossing"},
                                                                 {CrossoverOutcome::none, "none"},
                                                                 {CrossoverOutcome::undecided, "undecided"}};
constexpr const auto& rows_of(CrossoverOutcome /*any*/) { return kCrossoverOutcomes; }

struct Crossover {
  CrossoverOutcome outcome = CrossoverOutcome::undecided;
  std::vector<Zone> zones;  // by size; every measured size lies in one of them
};

// `margin` is that of the verdicts: where a size is inconclusive, its interval says who may be faster there.
Crossover find_crossover(const ComparedSizes& sizes, double margin);

}  // namespace gdbench::stats
