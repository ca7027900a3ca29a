#include "harness/questions/explain/calls.h"

#include <algorithm>
#include <cmath>

namespace gdbench::explain {

namespace {

// Takes `candidate` where it saves more than what there is.
void offer(std::optional<report::Advice>& best, report::Advice candidate) {
  if (!best || candidate.saving_ns > best->saving_ns) best = std::move(candidate);
}

// One call of the cheapest op, from the least to the most that any of the cell's profiles found.
stats::Interval range_of_cheapest(const report::Cell& cell, const std::string& op) {
  stats::Interval range{INFINITY, 0};
  for (const report::Profile* profile : usable_profiles(cell)) {
    if (!profile->floor) continue;
    for (const report::FloorPart& part : *profile->floor) {
      if (part.op != op) continue;
      range = {std::min(range.low, part.time_ns), std::max(range.high, part.time_ns)};
    }
  }
  return range;
}

// Of a cell's calls in a step, at the price of the cheapest: least, typical, most. Nothing where they are not known.
struct CallsTime {
  double calls = 0;
  double time_ns = 0;
  stats::Interval interval;
};
std::optional<CallsTime> calls_time(const report::Cell& cell, const std::optional<report::DispatchCost>& cost) {
  if (cost) {
    const double calls = cost->dispatches;
    return CallsTime{calls, cost->least_ns, {calls * cost->cheapest_ns.low, calls * cost->cheapest_ns.high}};
  }
  if (cell.summary->import_seconds) return std::nullopt;  // a framework that does not count
  return CallsTime{};
}

}  // namespace

std::vector<const report::Profile*> usable_profiles(const report::Cell& cell) {
  const auto is_time = [](double ns) { return std::isfinite(ns) && ns > 0; };
  std::vector<const report::Profile*> profiles;
  if (cell.profile) profiles.push_back(&*cell.profile);
  if (cell.other_profiles) {
    for (const report::Profile& profile : *cell.other_profiles) profiles.push_back(&profile);
  }
  std::erase_if(profiles, [&](const report::Profile* profile) {
    return !is_time(profile->profiled_step_ns) || !is_time(profile->step_ns) || profile->records.empty();
  });
  return profiles;
}

std::optional<report::DispatchCost> dispatch_cost(const report::Cell& cell) {
  if (!cell.profile || !cell.profile->dispatches_per_step || !cell.profile->floor || cell.profile->floor->empty()) {
    return std::nullopt;
  }
  report::DispatchCost cost;
  cost.dispatches = *cell.profile->dispatches_per_step;
  cost.floor = *cell.profile->floor;
  std::stable_sort(cost.floor.begin(), cost.floor.end(),
                   [](const report::FloorPart& x, const report::FloorPart& y) { return x.time_ns < y.time_ns; });
  cost.cheapest_ns = range_of_cheapest(cell, cost.floor.front().op);
  cost.least_ns = cost.dispatches * cost.floor.front().time_ns;
  cost.share = cost.least_ns / cell.summary->step_ns.value;
  return cost;
}

std::optional<report::LargestOps> largest_ops(const report::Cell& cell) {
  constexpr std::size_t kMost = 3;
  if (!cell.profile || !cell.profile->ops || cell.profile->ops->records.empty()) return std::nullopt;
  const report::FrameworkOps& ops = *cell.profile->ops;
  report::LargestOps largest{ops.profiler, ops.step_ns / cell.profile->step_ns, {}};
  if (!(ops.step_ns > 0) || !std::isfinite(largest.slowdown)) return std::nullopt;
  for (const report::ProfileRecord& record : ops.records) {
    if (largest.ops.size() == kMost) break;
    largest.ops.push_back({record.phase, record.op, record.layers, record.time_ns / ops.step_ns});
  }
  return largest;
}

std::optional<report::CallsShare> calls_share(const report::Cell& a, const report::Cell& b,
                                              const report::Explanation& explanation) {
  if (!explanation.a_dispatches && !explanation.b_dispatches) return std::nullopt;
  const std::optional<CallsTime> of_a = calls_time(a, explanation.a_dispatches);
  const std::optional<CallsTime> of_b = calls_time(b, explanation.b_dispatches);
  if (!of_a || !of_b) return std::nullopt;
  const stats::Estimate& difference_ns = explanation.whole.difference_ns;
  if (difference_ns.interval.low * difference_ns.interval.high <= 0) return std::nullopt;  // a share of next to nothing
  report::CallsShare result{of_a->calls, of_b->calls, (of_a->time_ns - of_b->time_ns) / difference_ns.value, {}};
  result.interval = {result.share, result.share};
  for (const double whole_ns : {difference_ns.interval.low, difference_ns.interval.high}) {
    for (const double calls_ns : {of_a->interval.low - of_b->interval.high, of_a->interval.high - of_b->interval.low}) {
      result.interval.low = std::min(result.interval.low, calls_ns / whole_ns);
      result.interval.high = std::max(result.interval.high, calls_ns / whole_ns);
    }
  }
  return result;
}

std::optional<report::Advice> advice_for(const report::Explanation& explanation) {
  const bool a_is_slower = explanation.whole.comparison.verdict == stats::Verdict::slower;
  const std::string& cell = a_is_slower ? explanation.a : explanation.b;
  const double step_ns = a_is_slower ? explanation.a_step_ns.value : explanation.b_step_ns.value;
  std::optional<report::Advice> best;
  for (const report::AxisPath& path : explanation.paths) {
    for (const report::AxisPart& part : path.parts) {
      if (part.axis == report::kWholeImplementation) continue;  // the faster cell itself would help more
      const report::CellDifference& difference = part.difference;
      // What the axis does to a cell on the way says nothing about this one.
      if ((a_is_slower ? difference.cell : difference.base) != cell) continue;
      const stats::Comparison& comparison = difference.comparison;
      const bool helps = comparison.verdict == explanation.whole.comparison.verdict;
      if (!helps) continue;
      const double share = 1 - (a_is_slower ? 1 / comparison.ratio.value : comparison.ratio.value);
      offer(best, {report::Remedy::axis, cell, part.axis, a_is_slower ? part.base_value : part.value, share * step_ns,
                   share});
    }
  }
  // A change of one axis says more than the phase it shows in, unless it is the whole difference anyway.
  const bool several_axes = !explanation.paths.empty() && explanation.paths.front().parts.size() > 1;
  if (best && several_axes) return best;
  best.reset();
  if (!explanation.profiles) return best;
  for (const report::PhasePart& phase : explanation.profiles->phases) {
    if (phase.contribution.standing != report::Standing::cause || phase.only_bounded) continue;
    const double difference_ns = phase.contribution.difference_ns;
    const double saving_ns = std::min(a_is_slower ? difference_ns : -difference_ns, step_ns);
    offer(best, {report::Remedy::phase, cell, phase.name(), "", saving_ns, saving_ns / step_ns});
  }
  return best;
}

}  // namespace gdbench::explain
