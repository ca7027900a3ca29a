#include "reports/answers/ranking.h"

namespace gdbench::answers {

using report::Cell;
using stats::Comparison;
using stats::Verdict;

bool is_clear(const Comparison& comparison) {
  constexpr double kClearRatio = 1.5;
  const stats::Estimate& ratio = comparison.ratio;
  const bool few = ratio.launches > 0 && ratio.launches < stats::VerdictOptions{}.minimum_launches;
  return few && (ratio.interval.low > kClearRatio || ratio.interval.high < 1 / kClearRatio);
}

stats::Estimate Rankings::ratio(const Cell& base, const Cell& candidate, double confidence) {
  return stats::paired_ratio(analysis::pairs_of(base, candidate), confidence);
}

Comparison Rankings::compare_to_target(const Cell& base, const Cell& candidate) const {
  return analysis::compared(report::Quantity::time_to_target, 0, base, candidate, true)
      .compare(comparer_.options(base.scenario));
}

std::string Rankings::undecidable(const Comparison& comparison, const std::string& scenario) const {
  if (comparison.verdict == Verdict::faster) return "the comparisons contradict each other";
  const stats::VerdictOptions& options = comparer_.options(scenario);
  const bool decidable = comparison.ratio.launches >= options.minimum_launches && options.unfit.empty();
  return decidable ? "" : comparison.remark;
}

Ranking Rankings::of(std::vector<const Cell*> cells) const {
  Ranking ranking;
  std::ranges::stable_sort(cells, {}, [](const Cell* cell) { return cell->summary->step_ns.value; });
  for (const Cell* cell : cells) {
    const bool ahead = ranking.fastest == nullptr || compare(*ranking.fastest, *cell).verdict == Verdict::faster;
    if (ahead) ranking.fastest = cell;
  }
  std::erase(cells, ranking.fastest);
  for (const Cell* cell : cells) {
    const Comparison comparison = compare(*ranking.fastest, *cell);
    if (ranking.undecidable.empty()) ranking.undecidable = undecidable(comparison, cell->scenario);
    if (comparison.verdict != Verdict::slower) ranking.tied.push_back(cell);
    ranking.ratios[cell] = comparison.ratio;
    if (ranking.next != nullptr) continue;
    ranking.next = cell;
    ranking.lead = comparison;
  }
  if (!ranking.undecidable.empty()) ranking.tied.clear();
  return ranking;
}

}  // namespace gdbench::answers
