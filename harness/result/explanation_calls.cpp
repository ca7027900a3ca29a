#include <cmath>

#include "harness/result/explanation.h"

namespace gdbench::result {

namespace {

// Takes `candidate` where it saves more than what there is.
void offer(std::optional<Advice>& best, Advice candidate) {
  if (!best || candidate.saving_ns > best->saving_ns) best = std::move(candidate);
}

}  // namespace

const char* name_of(Remedy remedy) { return remedy == Remedy::axis ? "axis" : "phase"; }

std::optional<DispatchCost> dispatch_cost(const Cell& cell) {
  if (!cell.profile || !cell.profile->dispatches_per_step || !cell.profile->floor || cell.profile->floor->empty()) {
    return std::nullopt;
  }
  DispatchCost cost;
  cost.dispatches = *cell.profile->dispatches_per_step;
  cost.floor = *cell.profile->floor;
  cost.least_ns = cost.dispatches * cost.floor.front().time_ns;
  cost.share = cost.least_ns / cell.summary->step_ns.value;
  return cost;
}

std::optional<Advice> advice_for(const Explanation& explanation) {
  const bool a_is_slower = explanation.whole.comparison.verdict == stats::Verdict::slower;
  const std::string& cell = a_is_slower ? explanation.a : explanation.b;
  const double step_ns = a_is_slower ? explanation.a_step_ns.value : explanation.b_step_ns.value;
  // Differences are a - b: what the slower cell has more of is positive after this.
  const double sign = a_is_slower ? 1 : -1;
  std::optional<Advice> best;
  for (const AxisPath& path : explanation.paths) {
    for (const AxisPart& part : path.parts) {
      const stats::Verdict verdict = part.difference.comparison.verdict;
      const double saving_ns = sign * part.difference.difference_ns.value;
      const bool told = verdict == stats::Verdict::faster || verdict == stats::Verdict::slower;
      if (!told || saving_ns <= 0) continue;
      offer(best, {Remedy::axis, cell, part.axis, a_is_slower ? part.base_value : part.value, saving_ns,
                   saving_ns / step_ns});
    }
  }
  // A change of one axis says more than the phase it shows in, unless it is the whole difference anyway.
  const bool several_axes = !explanation.paths.empty() && explanation.paths.front().parts.size() > 1;
  if (best && several_axes) return best;
  best.reset();
  if (!explanation.profiles) return best;
  for (const PhasePart& phase : explanation.profiles->phases) {
    if (phase.standing != Standing::cause) continue;
    const double saving_ns = sign * phase.difference_ns;
    offer(best, {Remedy::phase, cell, phase.phase, "", saving_ns, saving_ns / step_ns});
  }
  return best;
}

}  // namespace gdbench::result
