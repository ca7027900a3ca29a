#include "harness/analysis/verdicts.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/launch_costs.h"
#include "harness/base/text.h"

namespace gdbench::analysis {

namespace {

using report::Cell;
using report::Quantity;

// Null where the cell that the control repeats has no time.
const Cell* twin_of(const report::Report& report, const Cell& control) {
  const auto twin = std::ranges::find_if(report.cells, [&](const Cell& cell) {
    return cell.arm != report::kControlArm && cell.summary && cell.scenario == control.scenario &&
           cell.implementation == control.implementation && cell.options == control.options &&
           cell.threads == control.threads;
  });
  return twin == report.cells.end() ? nullptr : &*twin;
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

ByLaunch by_launch(Quantity quantity, std::uint64_t steps, const Cell& cell) {
  ByLaunch values;
  const auto of_launches = [&](const auto& value_of) {
    for (const report::Launch& launch : cell.launches) values[launch.launch] = static_cast<double>(value_of(launch));
  };
  switch (quantity) {
    case Quantity::step:
      return step_by_launch(cell);
    case Quantity::ratio:
      break;  // of two cells
    case Quantity::time_to_target:
      values = training_times(cell, cell.target->steps);
      break;
    case Quantity::time_for_steps:
      values = training_times(cell, steps);
      break;
    case Quantity::first_step:
      of_launches([](const report::Launch& launch) { return launch.first_step_ns; });
      break;
    case Quantity::prepare:
      of_launches([](const report::Launch& launch) {
        return 1e9 * (launch.prepare_seconds - launch.import_seconds.value_or(0));
      });
      break;
    case Quantity::import:
      of_launches([](const report::Launch& launch) { return 1e9 * launch.import_seconds.value_or(0); });
      break;
    case Quantity::peak_memory:
      of_launches([](const report::Launch& launch) { return launch.peak_resident_bytes; });
      break;
    case Quantity::own_memory:
      of_launches([](const report::Launch& launch) { return launch.peak_anonymous_bytes.value_or(0); });
      break;
    case Quantity::device_memory:
      of_launches([](const report::Launch& launch) { return launch.peak_device_bytes.value_or(0); });
      break;
    case Quantity::steps_to_target:
      values = {{0, static_cast<double>(cell.target->steps)}};
      break;
    case Quantity::allocations:
      values = {{0, cell.profile ? cell.profile->allocations_per_step.value_or(0) : 0}};
      break;
    case Quantity::step_p95:
    case Quantity::step_p99:
      if (!cell.summary || !cell.summary->single_steps || !are_telling(*cell.summary->single_steps)) break;
      of_launches([=](const report::Launch& launch) {
        if (!launch.single_steps) return 0.0;
        return quantity == Quantity::step_p95 ? launch.single_steps->p95_ns : launch.single_steps->p99_ns;
      });
  }
  std::erase_if(values, [](const auto& entry) { return !(entry.second > 0) || !std::isfinite(entry.second); });
  return values;
}

namespace {

std::vector<stats::Observation> observations_of(const ByLaunch& values) {
  std::vector<stats::Observation> observations;
  for (const auto& [launch, value] : values) observations.push_back({launch, value});
  return observations;
}

}  // namespace

void Compared::scale(double base_factor, double candidate_factor) {
  for (stats::Pair& pair : pairs) pair = {pair.launch, pair.base * base_factor, pair.candidate * candidate_factor};
  for (stats::Observation& observation : base) observation.value *= base_factor;
  for (stats::Observation& observation : candidate) observation.value *= candidate_factor;
}

stats::Estimate Compared::ratio(double confidence, stats::Looks looks) const {
  return base.empty() ? stats::paired_ratio(pairs, confidence, looks)
                      : stats::unpaired_ratio(base, candidate, confidence);
}

stats::Estimate Compared::difference(double confidence) const {
  return base.empty() ? stats::paired_difference(pairs, confidence)
                      : stats::unpaired_difference(base, candidate, confidence);
}

stats::Comparison Compared::compare(const stats::VerdictOptions& options) const {
  return base.empty() ? stats::compare(pairs, options) : stats::compare_unpaired(base, candidate, options);
}

Compared compared(Quantity quantity, std::uint64_t steps, const Cell& base, const Cell& candidate, bool side_by_side) {
  if (quantity == Quantity::step) {
    if (side_by_side) return {pairs_of(base, candidate), {}, {}};
    return {{}, observations_of(base), observations_of(candidate)};
  }
  const ByLaunch of_base = by_launch(quantity, steps, base);
  const ByLaunch of_candidate = by_launch(quantity, steps, candidate);
  if (!side_by_side && !report::is_counted(quantity)) {
    return {{}, observations_of(of_base), observations_of(of_candidate)};
  }
  Compared result;
  for (const auto& [launch, value] : of_candidate) {
    const auto found = of_base.find(launch);
    if (found != of_base.end()) result.pairs.push_back({launch, found->second, value});
  }
  return result;
}

namespace {

// At every look only launches that can bring enough evidence decide; Student's t of fewer holds at one.
stats::VerdictOptions options_without_control(const report::Report& report) {
  stats::VerdictOptions options;
  if (!report.run.until_decided.value_or(false)) return options;
  options.looks = stats::Looks::every;
  options.minimum_launches = stats::min_launches(options.confidence, options.looks);
  return options;
}

}  // namespace

std::vector<report::Control> controls_of(const report::Report& report, Quantity quantity, double margin) {
  std::vector<report::Control> controls;
  for (const Cell& cell : report.cells) {
    const Cell* twin = cell.arm == report::kControlArm && cell.summary ? twin_of(report, cell) : nullptr;
    if (twin == nullptr) continue;
    stats::VerdictOptions options = options_without_control(report);
    options.margin = margin;
    const stats::Comparison comparison = compared(quantity, 0, *twin, cell, true).compare(options);
    if (comparison.ratio.launches > 0) controls.push_back({cell.scenario, cell.id, twin->id, comparison});
  }
  return controls;
}

Comparer::Comparer(const report::Report& report, Quantity quantity, double margin)
    : report_(report), without_control_(options_without_control(report)) {
  if (!report.controls) return;
  const bool of_steps = quantity == Quantity::step;
  for (const report::Control& control : of_steps ? *report.controls : controls_of(report, quantity, margin)) {
    apply(control, by_scenario_.try_emplace(control.scenario, without_control_).first->second);
  }
}

const stats::VerdictOptions& Comparer::options(const std::string& scenario) const {
  const auto found = by_scenario_.find(scenario);
  return found == by_scenario_.end() ? without_control_ : found->second;
}

stats::VerdictOptions Comparer::options(const Cell& base, const Cell& candidate) const {
  stats::VerdictOptions both = options(candidate.scenario);
  const stats::VerdictOptions& other = options(base.scenario);
  both.noise_floor = std::max(both.noise_floor, other.noise_floor);
  if (both.unfit.empty()) both.unfit = other.unfit;
  return both;
}

bool Comparer::are_side_by_side(const Cell& base, const Cell& candidate) const {
  if (base.scenario == candidate.scenario) return true;
  const report::ScenarioRecord* a = report_.find_scenario(base.scenario);
  const report::ScenarioRecord* b = report_.find_scenario(candidate.scenario);
  return a != nullptr && b != nullptr && a->side_by_side && b->side_by_side &&
         a->side_by_side->first == b->side_by_side->first;
}

Compared Comparer::steps(const Cell& base, const Cell& candidate) const {
  if (!are_side_by_side(base, candidate)) return compared(Quantity::step, 0, base, candidate, false);
  const auto [visits, fresh] = visits_.try_emplace(&base);
  if (fresh) visits->second = visits_of(base);
  return {pairs_of(visits->second, candidate), {}, {}};
}

stats::Comparison Comparer::compare(const Cell& base, const Cell& candidate) const {
  const std::optional<report::Summary>& summary = candidate.summary;
  if (summary && summary->ratio && summary->ratio->baseline == base.id) return summary->ratio->comparison;
  return steps(base, candidate).compare(options(base, candidate));
}

report::CellDifference Comparer::difference(const Cell& base, const Cell& candidate) const {
  return {candidate.id, base.id, steps(base, candidate).difference(), compare(base, candidate)};
}

}  // namespace gdbench::analysis
