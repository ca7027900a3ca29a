#include "harness/analysis/verdicts.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/pairing.h"
#include "harness/base/text.h"
#include "harness/report/report.h"

namespace gdbench::analysis {

namespace {

// Timed cells by scenario, but for the controls.
using Timed = std::unordered_map<std::string, std::vector<const report::Cell*>>;

Timed timed_cells(const report::Report& report) {
  Timed timed;
  for (const report::Cell& cell : report.cells) {
    if (cell.arm != report::kControlArm && cell.summary) timed[cell.scenario].push_back(&cell);
  }
  return timed;
}

const report::Cell* twin_of(const Timed& timed, const report::Cell& control) {
  const auto cells = timed.find(control.scenario);
  if (cells == timed.end()) return nullptr;
  const auto twin = std::find_if(cells->second.begin(), cells->second.end(), [&](const report::Cell* cell) {
    return cell->implementation == control.implementation && cell->options == control.options &&
           cell->threads == control.threads;
  });
  return twin == cells->second.end() ? nullptr : *twin;
}

std::string unfit_words(const report::Control& control) {
  const stats::Estimate& ratio = control.comparison.ratio;
  return formatted("the control took %.3g [%.3g, %.3g] times as long as itself: this machine was unfit", ratio.value,
                   ratio.interval.low, ratio.interval.high);
}

void apply(const report::Control& control, stats::VerdictOptions& options) {
  const stats::Comparison& comparison = control.comparison;
  if (comparison.ratio.launches >= options.minimum_launches) {
    options.noise_floor = std::max(options.noise_floor, std::exp(std::abs(std::log(comparison.ratio.value))) - 1);
  }
  const stats::Verdict verdict = comparison.verdict;
  if (verdict == stats::Verdict::faster || verdict == stats::Verdict::slower) options.unfit = unfit_words(control);
}

}  // namespace

std::vector<report::Control> controls_of(const report::Report& report) {
  std::vector<report::Control> controls;
  const Timed timed = timed_cells(report);
  for (const report::Cell& cell : report.cells) {
    if (cell.arm != report::kControlArm || !cell.summary) continue;
    const report::Cell* twin = twin_of(timed, cell);
    if (twin == nullptr) continue;
    const std::vector<stats::Pair> pairs = pairs_of(*twin, cell);
    if (!pairs.empty()) controls.push_back({cell.scenario, cell.id, twin->id, stats::compare(pairs, {})});
  }
  return controls;
}

VerdictRules::VerdictRules(const report::Report& report) {
  if (!report.controls) return;
  for (const report::Control& control : *report.controls) apply(control, by_scenario_[control.scenario]);
}

const stats::VerdictOptions& VerdictRules::of(const std::string& scenario) const {
  const auto found = by_scenario_.find(scenario);
  return found == by_scenario_.end() ? without_control_ : found->second;
}

stats::VerdictOptions VerdictRules::of(const std::string& scenario, const std::string& other) const {
  stats::VerdictOptions options = of(scenario);
  options.noise_floor = std::max(options.noise_floor, of(other).noise_floor);
  if (options.unfit.empty()) options.unfit = of(other).unfit;
  return options;
}

stats::VerdictOptions verdict_options(const report::Report& report, const std::string& scenario) {
  return VerdictRules(report).of(scenario);
}

}  // namespace gdbench::analysis
