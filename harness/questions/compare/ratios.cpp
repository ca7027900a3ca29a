#include <algorithm>

#include "harness/analysis/pairing.h"
#include "harness/base/text.h"
#include "harness/questions/compare/judging.h"

namespace gdbench::compare {

namespace {

using report::Cell;
using report::Report;

const Cell* baseline_of(const Report& report, const Cell& cell) {
  if (!cell.summary || !cell.summary->ratio) return nullptr;
  const auto found = std::ranges::find(report.cells, cell.summary->ratio->baseline, &Cell::id);
  return found == report.cells.end() ? nullptr : &*found;
}

// Of each launch that both have.
std::vector<stats::Observation> ratios_of(const Report& report, const Cell& cell) {
  std::vector<stats::Observation> ratios;
  const Cell* const baseline = baseline_of(report, cell);
  if (baseline == nullptr) return ratios;
  const analysis::ByLaunch of_baseline = analysis::step_by_launch(*baseline);
  for (const auto& [launch, step_ns] : analysis::step_by_launch(cell)) {
    const auto found = of_baseline.find(launch);
    if (found != of_baseline.end()) ratios.push_back({launch, step_ns / found->second});
  }
  return ratios;
}

}  // namespace

report::ReportComparison compare_ratios(const Report& base, const Report& next, const CompareOptions& options) {
  report::ReportComparison comparison;
  comparison.margin = options.margin;
  comparison.confidence = options.confidence;
  if (base.run.baseline != next.run.baseline) {
    comparison.not_comparable =
        cat("found ratios to ", next.run.baseline, ", the base has some to ", base.run.baseline);
    return comparison;
  }
  const std::string machines = first_difference(kMachine, base.environment, next.environment);
  comparison.remarks.push_back(cat("ratios to ", next.run.baseline, ", each within a run",
                                   machines.empty() ? "" : ": not the same machine: ", machines));
  const auto rows = [&](const Match& match) -> std::vector<Row> {
    if (!match.decided_by_times()) return {};
    Row row{.cell = {}, .is_judged = true};
    row.cell.id = id_without_arm(*match.next);
    row.cell.quantity = report::Quantity::ratio;
    const std::vector<stats::Observation> of_base = ratios_of(base, *match.base);
    const std::vector<stats::Observation> of_next = ratios_of(next, *match.next);
    if (of_base.empty() || of_next.empty()) return {};
    row.cell.base = stats::typical_time(of_base);
    row.cell.next = stats::typical_time(of_next);
    return {row};
  };
  const Noise base_noise(base, options);
  const Noise next_noise(next, options);
  const auto compare = [&](const Match& match, double confidence, report::ComparedCell& cell) {
    stats::VerdictOptions verdict =
        next_noise.options_for(report::Quantity::step, cell.id, match.next->scenario, confidence);
    const stats::VerdictOptions other =
        base_noise.options_for(report::Quantity::step, cell.id, match.base->scenario, confidence);
    verdict.noise_floor = std::max(verdict.noise_floor, other.noise_floor);
    if (verdict.unfit.empty()) verdict.unfit = other.unfit;
    comparison.noise_floor = std::max(comparison.noise_floor, verdict.noise_floor);
    return stats::compare_unpaired(ratios_of(base, *match.base), ratios_of(next, *match.next), verdict);
  };
  judge(matched(base, report::kNewArm, next, report::kNewArm), rows, compare, comparison);
  return comparison;
}

}  // namespace gdbench::compare
