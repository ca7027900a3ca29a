#include "harness/result/verdicts.h"

#include <algorithm>
#include <cmath>

#include "harness/base/text.h"
#include "harness/result/pairing.h"
#include "harness/result/report.h"

namespace gdbench::result {

namespace {

const Cell* twin_of(const Report& report, const Cell& control) {
  const auto twin = std::find_if(report.cells.begin(), report.cells.end(), [&](const Cell& cell) {
    return cell.arm != kControlArm && cell.summary && cell.scenario == control.scenario &&
           cell.implementation == control.implementation && cell.options == control.options &&
           cell.threads == control.threads;
  });
  return twin == report.cells.end() ? nullptr : &*twin;
}

std::string unfit_words(const Control& control) {
  const stats::Estimate& ratio = control.comparison.ratio;
  return formatted("the control took %.3g [%.3g, %.3g] times as long as itself: this machine was unfit", ratio.value,
                   ratio.interval.low, ratio.interval.high);
}

}  // namespace

std::vector<Control> controls_of(const Report& report) {
  std::vector<Control> controls;
  for (const Cell& cell : report.cells) {
    if (cell.arm != kControlArm || !cell.summary) continue;
    const Cell* twin = twin_of(report, cell);
    if (twin == nullptr) continue;
    const std::vector<stats::Pair> pairs = pairs_of(*twin, cell);
    if (!pairs.empty()) controls.push_back({cell.scenario, cell.id, twin->id, stats::compare(pairs, {})});
  }
  return controls;
}

stats::VerdictOptions verdict_options(const Report& report, const std::string& scenario) {
  stats::VerdictOptions options;
  if (!report.controls) return options;
  for (const Control& control : *report.controls) {
    if (control.scenario != scenario) continue;
    const stats::Comparison& comparison = control.comparison;
    if (comparison.ratio.launches >= options.minimum_launches) {
      options.noise_floor = std::max(options.noise_floor, std::exp(std::abs(std::log(comparison.ratio.value))) - 1);
    }
    const stats::Verdict verdict = comparison.verdict;
    if (verdict == stats::Verdict::faster || verdict == stats::Verdict::slower) options.unfit = unfit_words(control);
  }
  return options;
}

stats::Comparison compare_cells(const Report& report, const Cell& base, const Cell& candidate) {
  return stats::compare(pairs_of(base, candidate), verdict_options(report, base.scenario));
}

}  // namespace gdbench::result
