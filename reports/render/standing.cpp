#include "reports/render/standing.h"

#include <algorithm>

#include "harness/analysis/pairing.h"
#include "harness/analysis/time_to_target.h"

namespace gdbench::render {

namespace {

using report::Cell;
using stats::Comparison;
using stats::Verdict;

const Comparison* stored(const Cell& base, const Cell& candidate) {
  const auto& ratio = candidate.summary->ratio;
  return ratio && ratio->baseline == base.id ? &ratio->comparison : nullptr;
}

}  // namespace

Comparison Standings::compare(const Cell& base, const Cell& candidate) const {
  if (const Comparison* comparison = stored(base, candidate)) return *comparison;
  return stats::compare(analysis::pairs_of(base, candidate), rules_.of(base.scenario));
}

Comparison Standings::compare_to_target(const Cell& base, const Cell& candidate) const {
  return stats::compare(analysis::pairs_to_target(base, candidate), rules_.of(base.scenario));
}

std::string Standings::undecidable(const Comparison& comparison, const std::string& scenario) const {
  if (comparison.verdict == Verdict::faster) return "the comparisons contradict each other";
  const stats::VerdictOptions& options = rules_.of(scenario);
  const bool decidable = comparison.ratio.launches >= options.minimum_launches && options.unfit.empty();
  return decidable ? "" : comparison.remark;
}

Standing Standings::of(std::vector<const Cell*> cells) const {
  Standing standing;
  std::stable_sort(cells.begin(), cells.end(),
                   [](const Cell* a, const Cell* b) { return a->summary->step_ns.value < b->summary->step_ns.value; });
  for (const Cell* cell : cells) {
    const bool ahead = standing.fastest == nullptr || compare(*standing.fastest, *cell).verdict == Verdict::faster;
    if (ahead) standing.fastest = cell;
  }
  std::erase(cells, standing.fastest);
  for (const Cell* cell : cells) {
    const Comparison comparison = compare(*standing.fastest, *cell);
    if (standing.undecidable.empty()) standing.undecidable = undecidable(comparison, cell->scenario);
    if (comparison.verdict != Verdict::slower) standing.tied.push_back(cell);
    if (standing.next != nullptr) continue;
    standing.next = cell;
    standing.lead = comparison;
  }
  if (!standing.undecidable.empty()) standing.tied.clear();
  return standing;
}

}  // namespace gdbench::render
