#include "reports/render/standing.h"

#include <algorithm>

#include "harness/result/pairing.h"

namespace gdbench::render {

namespace {

using result::Cell;
using stats::Comparison;
using stats::Verdict;

const Comparison* stored(const Cell& base, const Cell& candidate) {
  const auto& ratio = candidate.summary->ratio;
  return ratio && ratio->baseline == base.id ? &ratio->comparison : nullptr;
}

Comparison reciprocal(Comparison comparison) {
  stats::Estimate& ratio = comparison.ratio;
  ratio.value = 1 / ratio.value;
  ratio.interval = {1 / ratio.interval.high, 1 / ratio.interval.low};
  if (comparison.verdict == Verdict::faster || comparison.verdict == Verdict::slower) {
    comparison.verdict = comparison.verdict == Verdict::faster ? Verdict::slower : Verdict::faster;
  }
  return comparison;
}

}  // namespace

Comparison Standings::compare(const Cell& base, const Cell& candidate) const {
  if (const Comparison* comparison = stored(base, candidate)) return *comparison;
  if (const Comparison* comparison = stored(candidate, base)) return reciprocal(*comparison);
  return stats::compare(result::pairs_of(base, candidate), rules_.of(base.scenario));
}

Comparison Standings::compare_to_target(const Cell& base, const Cell& candidate) const {
  return stats::compare(result::pairs_to_target(base, candidate), rules_.of(base.scenario));
}

bool Standings::undecidable(const Comparison& comparison, const std::string& scenario) const {
  const stats::VerdictOptions& options = rules_.of(scenario);
  return comparison.verdict == Verdict::inconclusive &&
         (comparison.ratio.launches < options.minimum_launches || !options.unfit.empty());
}

Standing Standings::of(std::vector<const Cell*> cells) const {
  Standing standing;
  std::stable_sort(cells.begin(), cells.end(),
                   [](const Cell* a, const Cell* b) { return a->summary->step_ns.value < b->summary->step_ns.value; });
  if (!cells.empty()) standing.fastest = cells.front();
  for (std::size_t i = 1; i < cells.size(); ++i) {
    const Comparison comparison = compare(*cells.front(), *cells[i]);
    const bool undecided = undecidable(comparison, cells[i]->scenario);
    if (i == 1) {
      standing.next = cells[i];
      standing.lead = comparison;
      if (undecided) standing.undecidable = comparison.remark;
    }
    if (!undecided && comparison.verdict != Verdict::slower) standing.tied.push_back(cells[i]);
  }
  if (!standing.undecidable.empty()) standing.tied.clear();
  return standing;
}

}  // namespace gdbench::render
