
#include "harness/analysis/attribution.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "harness/analysis/cost_fit.h"
#include "harness/analysis/launch_costs.h"
#include "harness/analysis/pairing.h"
#include "harness/analysis/verdicts.h"
#include "harness/report/implementation_name.h"

namespace gdbench::analysis {

namespace {

// The timed cells of one scenario, thread count and arm, without those that used more processors than that.
using Group = std::vector<const report::Cell*>;

// In the report's order.
std::vector<Group> groups_of(const report::Report& report) {
  std::vector<Group> groups;
  std::unordered_map<std::string, std::size_t> positions;
  for (const report::Cell& cell : report.cells) {
    if (!cell.summary || cell.summary->not_ranked) continue;
    const auto [position, fresh] = positions.emplace(group_of(cell), groups.size());
    if (fresh) groups.emplace_back();
    groups[position->second].push_back(&cell);
  }
  return groups;
}

const report::Cell* find_default(const Group& group, const std::string& implementation) {
  const auto found = std::find_if(group.begin(), group.end(), [&](const report::Cell* cell) {
    return cell->implementation == implementation && cell->options.empty();
  });
  return found == group.end() ? nullptr : *found;
}

std::vector<report::OpDifference> op_differences(const report::Profile& profile, const report::Profile& base) {
  std::map<std::pair<std::string, std::string>, report::OpDifference>
      ops;  // what differs alike stands in the order of names
  const auto at = [&ops](report::Phase phase, const std::string& op) -> report::OpDifference& {
    report::OpDifference& difference = ops[{name_of(phase), op}];
    difference.phase = phase;
    difference.op = op;
    return difference;
  };
  for (const report::ProfileRecord& record : profile.records) {
    if (record.once()) continue;
    report::OpDifference& difference = at(record.phase, record.op);
    difference.calls += record.calls;
    difference.time_ns += record.time_ns;
  }
  for (const report::ProfileRecord& record : base.records) {
    if (record.once()) continue;
    report::OpDifference& difference = at(record.phase, record.op);
    difference.base_calls += record.calls;
    difference.base_time_ns += record.time_ns;
  }
  report::OpDifference& rest = at(report::Phase::other, "unattributed");
  rest.time_ns += report::unattributed_ns(profile);
  rest.base_time_ns += report::unattributed_ns(base);

  std::vector<report::OpDifference> sorted;
  for (auto& [key, difference] : ops) sorted.push_back(std::move(difference));
  std::stable_sort(sorted.begin(), sorted.end(), [](const report::OpDifference& a, const report::OpDifference& b) {
    return std::abs(a.time_ns - a.base_time_ns) > std::abs(b.time_ns - b.base_time_ns);
  });
  return sorted;
}

// The baseline's strategy where it shares a backend with another one. A baseline without kernels is alone on its
// backend; strategies then stand beside derivatives by hand.
std::string reference_strategy(const report::Report& report) {
  const std::string strategy = report::parse_implementation(report.run.baseline).strategy;
  std::set<std::string> own;
  std::set<std::string> of_others;
  for (const report::Cell& cell : report.cells) {
    const report::ImplementationName name = report::parse_implementation(cell.implementation);
    (name.strategy == strategy ? own : of_others).insert(name.backend);
  }
  const bool shared =
      std::any_of(own.begin(), own.end(), [&](const std::string& backend) { return of_others.contains(backend); });
  return shared ? strategy : "hand";
}

void add_taxes(const std::string& base_strategy, const VerdictRules& rules, const Group& group,
               std::vector<report::FrameworkTax>& taxes) {
  std::unordered_map<const report::Cell*, Visits> visits;
  for (const report::Cell* cell : group) {
    const report::ImplementationName name = report::parse_implementation(cell->implementation);
    if (name.strategy == base_strategy) continue;
    const report::Cell* base = find_default(group, base_strategy + "/" + name.backend);
    if (base == nullptr) continue;
    const auto [entry, fresh] = visits.try_emplace(base);
    if (fresh) entry->second = visits_of(*base);
    const std::vector<stats::Pair> pairs = pairs_of(entry->second, *cell);
    if (pairs.empty()) continue;
    report::FrameworkTax tax;
    tax.cell = cell->id;
    tax.base = base->id;
    tax.difference_ns = stats::paired_difference(pairs);
    const auto& ratio = cell->summary->ratio;  // the same question where the base is the baseline's cell
    tax.ratio =
        ratio && ratio->baseline == base->id ? ratio->comparison : stats::compare(pairs, rules.of(cell->scenario));
    if (cell->profile) tax.calls_per_step = report::calls_per_step(*cell->profile);
    if (tax.calls_per_step > 0) tax.difference_per_call_ns = tax.difference_ns.value / tax.calls_per_step;
    if (cell->profile && base->profile) tax.ops = op_differences(*cell->profile, *base->profile);
    taxes.push_back(std::move(tax));
  }
}

// What each launch of a cell cost.
struct Costs {
  const report::Cell* cell = nullptr;
  std::string backend;
  Visits visits;
  std::vector<stats::LaunchCost> launches;
  double ready_ns = 0;  // medians over them
  double step_ns = 0;
};

Costs costs_of(const report::Cell& cell) {
  Costs costs{&cell, report::parse_implementation(cell.implementation).backend, visits_of(cell), launch_costs(cell)};
  std::vector<double> ready;
  std::vector<double> steps;
  for (const stats::LaunchCost& launch : costs.launches) {
    ready.push_back(launch.ready_ns);
    steps.push_back(launch.step_ns);
  }
  costs.ready_ns = stats::median(std::move(ready));
  costs.step_ns = stats::median(std::move(steps));
  return costs;
}

// Pairs that somebody chooses between: of one backend, or with the fastest cell or the baseline in it; and where
// waiting can pay: told to be faster per step, but ready later. Cells that do no arithmetic are no choice, nor are
// those that used more processors than the others.
void add_break_evens(const Group& group, const std::string& baseline, const VerdictRules& rules,
                     const stats::BootstrapOptions& options, std::vector<report::BreakEvenRecord>& break_evens) {
  std::vector<Costs> all;
  const report::Cell* fastest = nullptr;
  for (const report::Cell* cell : group) {
    if (report::is_ranked(*cell) &&
        (fastest == nullptr || cell->summary->step_ns.value < fastest->summary->step_ns.value)) {
      fastest = cell;
    }
    if (!cell->verification || cell->summary->not_ranked) continue;
    Costs costs = costs_of(*cell);
    if (!costs.launches.empty()) all.push_back(std::move(costs));
  }
  const report::Cell* base = find_default(group, baseline);
  const auto stands_out = [&](const Costs& costs) { return costs.cell == fastest || costs.cell == base; };
  for (const Costs& candidate : all) {
    for (const Costs& other : all) {
      if (candidate.backend != other.backend && !stands_out(candidate) && !stands_out(other)) continue;
      if (!(candidate.step_ns < other.step_ns && candidate.ready_ns > other.ready_ns)) continue;
      const stats::VerdictOptions& verdict = rules.of(candidate.cell->scenario);
      const std::vector<stats::Pair> pairs = pairs_of(other.visits, *candidate.cell);
      if (stats::compare(pairs, verdict).verdict != stats::Verdict::faster) continue;
      break_evens.push_back(
          {candidate.cell->id, other.cell->id,
           stats::break_even(candidate.launches, other.launches, stats::margin_of(verdict), options)});
    }
  }
}

}  // namespace

report::Attribution attribution_of(const report::Report& report) {
  const stats::BootstrapOptions bootstrap{.seed = report.run.seed};
  report::Attribution attribution;
  const VerdictRules rules(report);
  const std::string base_strategy = reference_strategy(report);
  for (const Group& group : groups_of(report)) {
    add_taxes(base_strategy, rules, group, attribution.taxes);
    add_break_evens(group, report.run.baseline, rules, bootstrap, attribution.break_evens);
  }
  attribution.fits = cost_fits_of(report, bootstrap);
  return attribution;
}

}  // namespace gdbench::analysis
