#include "harness/questions/compare/compare.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>

#include "harness/analysis/pairing.h"
#include "harness/analysis/verdicts.h"
#include "harness/base/text.h"
#include "harness/questions/compare/fingerprint.h"
#include "harness/questions/compare/layouts.h"
#include "harness/questions/compare/matches.h"
#include "harness/stats/estimate.h"

namespace gdbench::compare {

namespace {

using report::Cell;
using report::Change;
using report::ComparedCell;
using report::Report;
using report::ReportComparison;

Change change_of(stats::Verdict verdict) {
  switch (verdict) {
    case stats::Verdict::faster:
      return Change::improved;
    case stats::Verdict::slower:
      return Change::regressed;
    case stats::Verdict::equivalent:
      return Change::equivalent;
    case stats::Verdict::inconclusive:
      break;
  }
  return Change::inconclusive;
}

using CompareMatch = std::function<stats::Comparison(const Match&, double confidence)>;

// Judges all matches that have times on both sides as one family.
void judge(const std::vector<Match>& matches, const CompareMatch& compare, ReportComparison& result) {
  std::vector<const Match*> timed;
  for (const Match& match : matches) {
    std::optional<ComparedCell> cell = without_times(match);
    if (cell && !cell->base_ns && !cell->new_ns) continue;  // nothing to compare on either side
    if (!cell) {
      timed.push_back(&match);
      cell.emplace();
      cell->id = id_without_arm(*match.next);
      cell->base_ns = match.base->summary->step_ns;
      cell->new_ns = match.next->summary->step_ns;
    }
    result.cells.push_back(std::move(*cell));
  }
  const auto one = [&](std::size_t i, double confidence) { return compare(*timed[i], confidence); };
  const std::vector<stats::Comparison> comparisons = stats::compare_family(timed.size(), result.confidence, one);
  std::unordered_map<std::string, ComparedCell*> cells;
  for (ComparedCell& cell : result.cells) cells[cell.id] = &cell;
  for (std::size_t i = 0; i < timed.size(); ++i) {
    ComparedCell& cell = *cells.at(id_without_arm(*timed[i]->next));
    cell.change = change_of(comparisons[i].verdict);
    if (comparisons[i].ratio.launches > 0) cell.ratio = comparisons[i].ratio;
    cell.remark = comparisons[i].remark;
  }
}

stats::VerdictOptions options_for(const analysis::VerdictRules& rules, const std::string& scenario,
                                  const CompareOptions& options, double confidence) {
  stats::VerdictOptions verdict = rules.of(scenario);
  verdict.margin = options.margin;
  verdict.confidence = confidence;
  // Order statistics are exact; Student's t of a few launches is not what a gate should rest on.
  verdict.minimum_launches = stats::min_launches(confidence);
  return verdict;
}

// Launches before or from a number on, as a part of its own.
std::vector<stats::Pair> part_of(const std::vector<stats::Pair>& pairs, int from, bool later) {
  std::vector<stats::Pair> part;
  std::copy_if(pairs.begin(), pairs.end(), std::back_inserter(part),
               [&](const stats::Pair& pair) { return (pair.launch >= from) == later; });
  return part;
}

// How far the later half of a run's launches is from the earlier, in the middle over its cells; as a share.
double drift_of(const Report& report) {
  std::vector<double> shifts;
  for (const Cell& cell : report.cells) {
    if (!cell.summary || cell.arm != report::kNewArm) continue;
    const std::map<int, std::vector<double>> launches = analysis::times_by_launch(cell);
    std::vector<double> earlier;
    std::vector<double> later;
    for (const auto& [launch, times] : launches) {
      (earlier.size() < launches.size() / 2 ? earlier : later).push_back(*std::min_element(times.begin(), times.end()));
    }
    if (earlier.empty() || later.empty()) continue;
    shifts.push_back(std::abs(std::log(stats::median(later) / stats::median(earlier))));
  }
  return shifts.empty() ? 0 : std::exp(stats::median(shifts)) - 1;
}

stats::Comparison compare_confirmed(const Cell& base, const Cell& next, const stats::VerdictOptions& verdict) {
  const std::vector<stats::Pair> pairs = analysis::pairs_of(base, next);
  if (!next.confirmed_from) return stats::compare(pairs, verdict);
  const stats::Comparison first = stats::compare(part_of(pairs, *next.confirmed_from, false), verdict);
  stats::Comparison second = stats::compare(part_of(pairs, *next.confirmed_from, true), verdict);
  if (first.verdict == second.verdict) return second;
  second.remark = std::string(stats::name_of(first.verdict)) + " at first" +
                  (second.remark.empty() ? ", not again in fresh launches" : "; fresh launches: " + second.remark);
  second.verdict = stats::Verdict::inconclusive;
  return second;
}

}  // namespace

ReportComparison compare_arms(const Report& report, const CompareOptions& options) {
  ReportComparison comparison;
  comparison.base = report::kBaseArm;
  comparison.next = report::kNewArm;
  comparison.paired = true;
  comparison.margin = options.margin;
  comparison.confidence = options.confidence;
  const analysis::VerdictRules rules(report);
  const Layouts base_layouts(report, report::kBasePaddedArm);
  const Layouts next_layouts(report, report::kNewPaddedArm);
  const auto compare = [&](const Match& match, double confidence) {
    const stats::VerdictOptions verdict = options_for(rules, match.next->scenario, options, confidence);
    comparison.noise_floor = std::max(comparison.noise_floor, verdict.noise_floor);
    std::optional<stats::Comparison> all;
    for (const Cell* base : base_layouts.of(*match.base)) {
      for (const Cell* next : next_layouts.of(*match.next)) {
        const stats::Comparison one = compare_confirmed(*base, *next, verdict);
        all = all ? agreed(*all, one) : one;
      }
    }
    return *all;
  };
  const std::vector<Match> matches = matched(report, report::kBaseArm, report, report::kNewArm);
  judge(matches, compare, comparison);
  add_layouts(matches, base_layouts, next_layouts, comparison);
  return comparison;
}

ReportComparison compare_reports(const Report& base, const Report& next, const CompareOptions& options) {
  ReportComparison comparison;
  comparison.margin = options.margin;
  comparison.confidence = options.confidence;
  const std::string machines = difference_of_machines(base.environment, next.environment);
  if (!machines.empty() && !options.force) {
    comparison.not_comparable = "not the same machine: " + machines;
    return comparison;
  }
  if (!machines.empty()) comparison.remarks.push_back("not the same machine: " + machines);
  const std::string builds = difference_of_builds(base.environment, next.environment);
  if (!builds.empty()) comparison.remarks.push_back("not built alike: " + builds);
  // One and the same run has nothing between its two sides.
  comparison.paired = base.run.id == next.run.id;
  const double drift = comparison.paired ? 0 : std::max(drift_of(base), drift_of(next));
  if (drift > options.margin) {
    comparison.remarks.push_back("within one of the runs the machine's speed drifted by " +
                                 formatted("%.2g%%", 100 * drift) + ", which is the least margin here");
  }
  if (!comparison.paired) {
    comparison.remarks.emplace_back(
        "two runs: what the machine did between them cannot be told from what the build does; gdbench run --against "
        "measures both builds side by side");
  }
  const analysis::VerdictRules base_rules(base);
  const analysis::VerdictRules next_rules(next);
  const auto compare = [&](const Match& match, double confidence) {
    stats::VerdictOptions verdict = options_for(next_rules, match.next->scenario, options, confidence);
    const stats::VerdictOptions other = options_for(base_rules, match.base->scenario, options, confidence);
    verdict.noise_floor = std::max({verdict.noise_floor, other.noise_floor, drift});
    if (verdict.unfit.empty()) verdict.unfit = other.unfit;
    comparison.noise_floor = std::max(comparison.noise_floor, verdict.noise_floor);
    if (comparison.paired) return stats::compare(analysis::pairs_of(*match.base, *match.next), verdict);
    return stats::compare_unpaired(analysis::observations_of(*match.base), analysis::observations_of(*match.next),
                                   verdict);
  };
  judge(matched(base, report::kNewArm, next, report::kNewArm), compare, comparison);
  return comparison;
}

}  // namespace gdbench::compare
