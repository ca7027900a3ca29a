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

namespace {

// Why the comparison of the fastest with another decides nothing, whatever its figures; empty where it does.
std::string undecidable(const Comparison& comparison, const stats::VerdictOptions& options) {
  if (comparison.verdict == Verdict::faster) return "the comparisons contradict each other";
  const bool decidable = comparison.ratio.launches >= options.minimum_launches && options.unfit.empty();
  return decidable ? "" : comparison.remark;
}

}  // namespace

Ranking ranking_of(std::vector<const Cell*> cells, const analysis::Comparer& comparer) {
  Ranking ranking;
  std::ranges::stable_sort(cells, {}, [](const Cell* cell) { return cell->summary->step_ns.value; });
  for (const Cell* cell : cells) {
    const bool ahead =
        ranking.fastest == nullptr || comparer.compare(*ranking.fastest, *cell).verdict == Verdict::faster;
    if (ahead) ranking.fastest = cell;
  }
  std::erase(cells, ranking.fastest);
  for (const Cell* cell : cells) {
    const Comparison comparison = comparer.compare(*ranking.fastest, *cell);
    if (ranking.undecidable.empty()) ranking.undecidable = undecidable(comparison, comparer.options(cell->scenario));
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
