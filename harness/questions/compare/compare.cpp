#include "harness/questions/compare/compare.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/analysis/verdicts.h"
#include "harness/base/json.h"
#include "harness/base/json_reader.h"
#include "harness/base/text.h"
#include "harness/questions/compare/layouts.h"
#include "harness/stats/estimate.h"

namespace gdbench::compare {

namespace {

using report::Cell;
using report::Change;
using report::ComparedCell;
using report::Quantity;
using report::Report;
using report::ReportComparison;

Change change_of(stats::Verdict verdict) {
  // By verdict: faster, slower, equivalent, inconclusive.
  constexpr Change kChangeAt[] = {Change::improved, Change::regressed, Change::equivalent, Change::inconclusive};
  return kChangeAt[static_cast<std::size_t>(verdict)];
}

// Of an arm, as the first worker that says one does.
std::string build_of(const Report& report, const std::string& arm) {
  for (const Cell& cell : report.cells) {
    if (cell.arm == arm && !cell.worker.empty()) return cell.worker;
  }
  return "";
}

// Cells of one arm of either report, by their id. In the order of the new side, then what only the base has.
std::vector<Match> matched(const Report& base, const std::string& base_arm, const Report& next,
                           const std::string& next_arm) {
  std::unordered_map<std::string, const Cell*> known;
  for (const Cell& cell : base.cells) {
    if (cell.arm == base_arm) known.emplace(id_without_arm(cell), &cell);
  }
  std::vector<Match> matches;
  for (const Cell& cell : next.cells) {
    if (cell.arm != next_arm) continue;
    const auto found = known.find(id_without_arm(cell));
    matches.push_back({found == known.end() ? nullptr : found->second, &cell});
    if (found != known.end()) known.erase(found);
  }
  for (const Cell& cell : base.cells) {
    if (cell.arm == base_arm && known.contains(id_without_arm(cell))) matches.push_back({&cell, nullptr});
  }
  return matches;
}

// What can be said without a look at the times, which neither side may have.
ComparedCell compared_cell(const Match& match) {
  ComparedCell cell;
  cell.id = id_without_arm(match.next != nullptr ? *match.next : *match.base);
  if (match.base != nullptr && match.base->summary) cell.base = match.base->summary->step_ns;
  if (match.next != nullptr && match.next->summary) cell.next = match.next->summary->step_ns;
  if (cell.base && cell.next) {
    if (!match.decided_by_times()) cell.remark = "the scenario is not the same any more";
  } else if (cell.next) {
    cell.change = match.base != nullptr && report::is_failure(match.base->status.state) ? Change::fixed : Change::added;
    if (match.base != nullptr) cell.remark = report::words_of(match.base->status) + " in the base";
  } else if (cell.base) {
    cell.change =
        match.next != nullptr && report::is_failure(match.next->status.state) ? Change::failing : Change::removed;
    if (match.next != nullptr) cell.remark = report::words_of(match.next->status);
  }
  return cell;
}

std::optional<stats::Estimate> typical(Quantity quantity, const Cell& cell) {
  std::vector<stats::Observation> values;
  for (const auto& [launch, value] : analysis::by_launch(quantity, 0, cell)) values.push_back({launch, value});
  if (values.empty()) return std::nullopt;
  return stats::typical_time(values);
}

// The same of what is judged next to steps; nothing where a side has no such quantity.
std::optional<ComparedCell> compared_cell(const Match& match, Quantity quantity) {
  if (!match.decided_by_times()) return std::nullopt;
  ComparedCell cell;
  cell.id = id_without_arm(*match.next);
  cell.quantity = quantity;
  cell.base = typical(quantity, *match.base);
  cell.next = typical(quantity, *match.next);
  if (!cell.base || !cell.next) return std::nullopt;
  return cell;
}

// What is counted is as large in every launch.
void judge_count(double margin, ComparedCell& cell) {
  const double ratio = cell.next->value / cell.base->value;
  const stats::Interval range = stats::margin_range(margin);
  cell.change = ratio > range.high ? Change::regressed : ratio < range.low ? Change::improved : Change::equivalent;
  cell.ratio = stats::Estimate{.value = ratio, .interval = {ratio, ratio}, .launches = 1};
}

// At a confidence of its own; the cell may be given what else is found.
using CompareMatch = std::function<stats::Comparison(const Match&, double confidence, ComparedCell&)>;

// Judges all matches that have times on both sides as one family, each quantity of them.
void judge(const std::vector<Match>& matches, const CompareMatch& compare, ReportComparison& result) {
  std::vector<std::pair<const Match*, std::size_t>> judged;  // with the number of its cell
  for (const Match& match : matches) {
    ComparedCell cell = compared_cell(match);
    if (!cell.base && !cell.next) continue;
    if (match.decided_by_times()) judged.emplace_back(&match, result.cells.size());
    result.cells.push_back(std::move(cell));
    for (const report::Gate& gate : result.gates) {
      std::optional<ComparedCell> other = compared_cell(match, gate.quantity);
      if (!other) continue;
      if (report::is_counted(gate.quantity)) {
        judge_count(gate.margin, *other);
      } else {
        judged.emplace_back(&match, result.cells.size());
      }
      result.cells.push_back(std::move(*other));
    }
  }
  const auto one = [&](std::size_t i, double confidence) {
    return compare(*judged[i].first, confidence, result.cells[judged[i].second]);
  };
  const std::vector<stats::Comparison> comparisons = stats::compare_family(judged.size(), result.confidence, one);
  for (std::size_t i = 0; i < judged.size(); ++i) {
    ComparedCell& cell = result.cells[judged[i].second];
    cell.change = change_of(comparisons[i].verdict);
    if (comparisons[i].ratio.launches > 0) cell.ratio = comparisons[i].ratio;
    cell.remark = comparisons[i].remark;
  }
}

// What is known of a side's noise, of each quantity that is judged.
class Noise {
 public:
  Noise(const Report& report, const CompareOptions& options) : options_(options) {
    comparers_.emplace(Quantity::step, analysis::Comparer(report));
    for (const report::Gate& gate : options.gates) {
      comparers_.emplace(gate.quantity, analysis::Comparer(report, gate.quantity));
    }
  }

  stats::VerdictOptions options_for(Quantity quantity, const std::string& scenario, double confidence) const {
    stats::VerdictOptions verdict = comparers_.at(quantity).options(scenario);
    const auto gate = std::ranges::find(options_.gates, quantity, &report::Gate::quantity);
    verdict.margin = gate == options_.gates.end() ? options_.margin : gate->margin;
    verdict.confidence = confidence;
    // Order statistics are exact; Student's t of a few launches is not what a gate should rest on.
    verdict.minimum_launches = stats::min_launches(confidence);
    return verdict;
  }

 private:
  const CompareOptions& options_;
  std::map<Quantity, analysis::Comparer> comparers_;
};

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

stats::Comparison compare_confirmed(Quantity quantity, const Cell& base, const Cell& next,
                                    const stats::VerdictOptions& verdict) {
  const std::vector<stats::Pair> pairs = analysis::compared(quantity, 0, base, next, true).pairs;
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
  comparison.base_build = build_of(report, report::kBaseArm);
  comparison.next_build = build_of(report, report::kNewArm);
  comparison.paired = true;
  comparison.margin = options.margin;
  comparison.confidence = options.confidence;
  comparison.gates = options.gates;
  const Noise noise(report, options);
  const Layouts base_layouts(report, report::kBasePaddedArm);
  const Layouts next_layouts(report, report::kNewPaddedArm);
  const auto compare = [&](const Match& match, double confidence, ComparedCell& cell) {
    const stats::VerdictOptions verdict = noise.options_for(cell.quantity, match.next->scenario, confidence);
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
  judge(matched(report, report::kBaseArm, report, report::kNewArm), compare, comparison);
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
    stats::VerdictOptions verdict = next_noise.options_for(cell.quantity, match.next->scenario, confidence);
    const stats::VerdictOptions other = base_noise.options_for(cell.quantity, match.base->scenario, confidence);
    const double least = cell.of_step() ? drift : drift_between(cell.quantity);
    verdict.noise_floor = std::max({verdict.noise_floor, other.noise_floor, least});
    if (verdict.unfit.empty()) verdict.unfit = other.unfit;
    if (cell.of_step()) comparison.noise_floor = std::max(comparison.noise_floor, verdict.noise_floor);
    return analysis::compared(cell.quantity, 0, *match.base, *match.next, comparison.paired).compare(verdict);
  };
  judge(matched(base, report::kNewArm, next, report::kNewArm), compare, comparison);
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
