#include "harness/questions/compare/compare.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "harness/analysis/verdicts.h"
#include "harness/base/json.h"
#include "harness/base/json_reader.h"
#include "harness/base/text.h"
#include "harness/questions/compare/judging.h"
#include "harness/questions/compare/layouts.h"
#include "harness/stats/estimate.h"

namespace gdbench::compare {

namespace {

using report::Cell;
using report::ComparedCell;
using report::Quantity;
using report::Report;
using report::ReportComparison;

// Of an arm, as the first worker that says one does.
std::string build_of(const Report& report, const std::string& arm) {
  for (const Cell& cell : report.cells) {
    if (cell.arm == arm && !cell.worker.empty()) return cell.worker;
  }
  return "";
}

// Launches before or from a number on, as a part of its own.
std::vector<stats::Pair> part_of(const std::vector<stats::Pair>& pairs, int from, bool later) {
  std::vector<stats::Pair> part;
  std::copy_if(pairs.begin(), pairs.end(), std::back_inserter(part),
               [&](const stats::Pair& pair) { return (pair.launch >= from) == later; });
  return part;
}

// How far the later half of a run's launches is from the earlier, in the middle over its cells; as a share.
double drift_of(const Report& report, Quantity quantity) {
  std::vector<double> shifts;
  for (const Cell& cell : report.cells) {
    if (!cell.summary || cell.arm != report::kNewArm) continue;
    const analysis::ByLaunch values = analysis::by_launch(quantity, 0, cell);
    std::vector<double> earlier;
    std::vector<double> later;
    for (const auto& [launch, value] : values) {
      (earlier.size() < values.size() / 2 ? earlier : later).push_back(value);
    }
    if (earlier.empty()) continue;
    shifts.push_back(std::abs(std::log(stats::median(later) / stats::median(earlier))));
  }
  return shifts.empty() ? 0 : std::exp(stats::median(shifts)) - 1;
}

// What all cells have in common is the machine's doing rather than the code's: where each is off by as much, within
// half of that, beyond the margin.
std::string moved_alike(const ReportComparison& comparison) {
  constexpr std::size_t kLeastCells = 5;
  std::vector<double> ratios;
  for (const ComparedCell& cell : comparison.cells) {
    if (cell.of_step() && cell.ratio) ratios.push_back(cell.ratio->value);
  }
  if (ratios.size() < kLeastCells) return "";
  const double middle = stats::median(ratios);
  const double shift = std::abs(std::log(middle));
  const auto is_near = [&](double ratio) { return std::abs(std::log(ratio / middle)) < shift / 2; };
  if (shift <= std::log(1 + comparison.margin) || !std::ranges::all_of(ratios, is_near)) return "";
  return cat("all ", ratios.size(), " cells moved alike, to about ", formatted("%.2f", middle),
             " times the base: that is what a busier or another machine does, and hardly a change of the code; gdbench "
             "compare --ratios compares what does not depend on it");
}

stats::Comparison compare_confirmed(Quantity quantity, const Cell& base, const Cell& next,
                                    const stats::VerdictOptions& verdict) {
  const std::vector<stats::Pair> pairs = analysis::compared(quantity, 0, base, next, true).pairs;
  if (!next.confirmed_from) return stats::compare(pairs, verdict);
  const auto is_apart = [](const stats::Comparison& comparison) {
    return comparison.verdict == stats::Verdict::faster || comparison.verdict == stats::Verdict::slower;
  };
  const stats::Comparison first = stats::compare(part_of(pairs, *next.confirmed_from, false), verdict);
  // Launched again for another of the cell's quantities.
  stats::Comparison all = stats::compare(pairs, verdict);
  if (!is_apart(first) && !is_apart(all)) return all;
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
  comparison.base_build = build_of(report, report::kBaseArm);
  comparison.next_build = build_of(report, report::kNewArm);
  comparison.paired = true;
  comparison.margin = options.margin;
  comparison.confidence = options.confidence;
  comparison.until_decided = report.run.until_decided;
  comparison.gates = options.gates;
  const Noise noise(report, options);
  const Layouts base_layouts(report, report::kBasePaddedArm);
  const Layouts next_layouts(report, report::kNewPaddedArm);
  const auto compare = [&](const Match& match, double confidence, ComparedCell& cell) {
    const stats::VerdictOptions verdict = noise.options_for(cell.quantity, cell.id, match.next->scenario, confidence);
    if (!cell.of_step()) return compare_confirmed(cell.quantity, *match.base, *match.next, verdict);
    comparison.noise_floor = std::max(comparison.noise_floor, verdict.noise_floor);
    const std::vector<const Cell*> bases = base_layouts.of(*match.base);
    const std::vector<const Cell*> nexts = next_layouts.of(*match.next);
    std::optional<stats::Comparison> all;
    cell.layouts.clear();
    for (const Cell* base : bases) {
      for (const Cell* next : nexts) {
        const stats::Comparison one = compare_confirmed(Quantity::step, *base, *next, verdict);
        all = all ? agreed(*all, one) : one;
        if (one.ratio.launches > 0) cell.layouts.push_back(one.ratio.value);
      }
    }
    if (cell.layouts.size() <= 1) cell.layouts.clear();
    const bool padded = base_layouts.exist() || next_layouts.exist();
    if (padded && all->ratio.launches > 0) cell.layout = std::max(layout_effect(bases), layout_effect(nexts));
    return *all;
  };
  const auto rows = [&](const Match& match) { return rows_of(match, options.gates); };
  judge(matched(report, report::kBaseArm, report, report::kNewArm), rows, compare, comparison);
  comparison.remarks = layout_remarks(comparison);
  return comparison;
}

ReportComparison compare_reports(const Report& base, const Report& next, const CompareOptions& options) {
  ReportComparison comparison;
  comparison.base_build = build_of(base, report::kNewArm);
  comparison.next_build = build_of(next, report::kNewArm);
  comparison.margin = options.margin;
  comparison.confidence = options.confidence;
  const std::string machines = first_difference(kMachine, base.environment, next.environment);
  if (!machines.empty() && !options.force) {
    comparison.not_comparable = "not the same machine: " + machines;
    return comparison;
  }
  if (!machines.empty()) comparison.remarks.push_back("not the same machine: " + machines);
  const std::string builds = first_difference(kBuild, base.environment, next.environment);
  if (!builds.empty()) comparison.remarks.push_back("not built alike: " + builds);
  // One and the same run has nothing between its two sides.
  comparison.paired = base.run.id == next.run.id;
  comparison.gates = options.gates;
  const auto drift_between = [&](Quantity quantity) {
    return comparison.paired ? 0 : std::max(drift_of(base, quantity), drift_of(next, quantity));
  };
  const double drift = drift_between(Quantity::step);
  if (drift > options.margin) {
    comparison.remarks.push_back("within one of the runs the machine's speed drifted by " +
                                 formatted("%.2g%%", 100 * drift) + ", which is the least margin here");
  }
  if (!comparison.paired) {
    comparison.remarks.emplace_back(
        "two runs: what the machine did between them cannot be separated from what the build does; gdbench run "
        "--against "
        "measures both builds side by side");
  }
  const Noise base_noise(base, options);
  const Noise next_noise(next, options);
  const auto compare = [&](const Match& match, double confidence, ComparedCell& cell) {
    stats::VerdictOptions verdict = next_noise.options_for(cell.quantity, cell.id, match.next->scenario, confidence);
    const stats::VerdictOptions other =
        base_noise.options_for(cell.quantity, cell.id, match.base->scenario, confidence);
    const double least = cell.of_step() ? drift : drift_between(cell.quantity);
    verdict.noise_floor = std::max({verdict.noise_floor, other.noise_floor, least});
    if (verdict.unfit.empty()) verdict.unfit = other.unfit;
    if (cell.of_step()) comparison.noise_floor = std::max(comparison.noise_floor, verdict.noise_floor);
    return analysis::compared(cell.quantity, 0, *match.base, *match.next, comparison.paired).compare(verdict);
  };
  const auto rows = [&](const Match& match) { return rows_of(match, options.gates); };
  judge(matched(base, report::kNewArm, next, report::kNewArm), rows, compare, comparison);
  if (const std::string alike = moved_alike(comparison); !comparison.paired && !alike.empty()) {
    comparison.remarks.push_back(alike);
  }
  return comparison;
}

std::string first_difference(std::span<const char* const> parts, const std::string& base, const std::string& next) {
  constexpr std::size_t kLongest = 60;
  const auto brief = [](const Json& value) {
    const std::string text = compact(value);
    return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
  };
  const auto value_at = [](const Json& environment, const char* part) {
    const Json::json_pointer pointer(part);
    return environment.contains(pointer) ? environment[pointer] : Json();
  };
  const Json base_environment = Json::parse(base);
  const Json next_environment = Json::parse(next);
  for (const char* part : parts) {
    const Json here = value_at(next_environment, part);
    const Json there = value_at(base_environment, part);
    if (here != there) return std::string(part + 1) + ": found " + brief(here) + ", the base has " + brief(there);
  }
  return "";
}

}  // namespace gdbench::compare
