#include "harness/stats/family.h"

#include <string>
#include <utility>

namespace gdbench::stats {

namespace {

// Nearly everything is rejected in the first few; without a limit ten thousand members could take as many steps.
constexpr int kMaxSteps = 10;

bool is_apart(const Comparison& comparison) {
  return comparison.verdict == Verdict::faster || comparison.verdict == Verdict::slower;
}

}  // namespace

std::vector<Comparison> compare_family(std::size_t members, double confidence,
                                       const std::function<Comparison(std::size_t, double)>& compare) {
  std::vector<Comparison> comparisons(members);
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < members; ++i) left.push_back(i);
  // Step down: with every rejection the rest is a smaller family. To stop early is only more careful.
  std::size_t before = members + 1;
  for (int step = 0; step < kMaxSteps && !left.empty() && left.size() < before; ++step) {
    before = left.size();
    const double own = 1 - (1 - confidence) / static_cast<double>(before);
    std::vector<std::size_t> open;
    for (const std::size_t i : left) {
      comparisons[i] = compare(i, own);
      if (!is_apart(comparisons[i])) open.push_back(i);
    }
    left = std::move(open);
  }
  for (const std::size_t i : left) {
    Comparison alone = compare(i, confidence);
    if (is_apart(alone)) {
      alone.verdict = Verdict::inconclusive;
      alone.remark = "beyond the margin by itself, but not sure enough among " + std::to_string(members) + " cells";
    }
    comparisons[i] = std::move(alone);
  }
  return comparisons;
}

}  // namespace gdbench::stats
