// Cells of two scenarios that differ in overrides: what differs, how their steps compare, and their ways to a target.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/analysis/launch_costs.h"
#include "harness/analysis/pairing.h"
#include "harness/analysis/verdicts.h"
#include "harness/base/json.h"
#include "harness/questions/explain/explain.h"
#include "harness/questions/explain/parts.h"

namespace gdbench::explain {

namespace {

void flatten(const Json& value, const std::string& key, std::map<std::string, std::string>& keys) {
  if (!value.is_object()) {
    keys[key] = value.dump();
    return;
  }
  for (const auto& [name, member] : value.items()) flatten(member, key.empty() ? name : key + "." + name, keys);
}

std::map<std::string, std::string> keys_of(const report::Report& report, const report::Cell& cell) {
  std::map<std::string, std::string> keys;
  if (const report::ScenarioRecord* scenario = report.find_scenario(cell.scenario)) {
    flatten(Json::parse(scenario->resolved.text), "", keys);
  }
  return keys;
}

// For two scenarios the stricter of both.
stats::VerdictOptions options_for(const report::Report& report, const report::Cell& a, const report::Cell& b) {
  stats::VerdictOptions options = analysis::verdict_options(report, a.scenario);
  const stats::VerdictOptions other = analysis::verdict_options(report, b.scenario);
  options.noise_floor = std::max(options.noise_floor, other.noise_floor);
  if (options.unfit.empty()) options.unfit = other.unfit;
  return options;
}

// Times of a step multiplied by the number of steps of either side.
report::CellDifference difference_of_steps(const report::Report& report, const report::Cell& cell,
                                           const report::Cell& base, double cell_steps, double base_steps) {
  report::CellDifference result{cell.id, base.id, {}, {}};
  const stats::VerdictOptions options = options_for(report, cell, base);
  if (cell.scenario == base.scenario) {
    std::vector<stats::Pair> pairs = analysis::pairs_of(base, cell);
    for (stats::Pair& pair : pairs) {
      pair.candidate *= cell_steps;
      pair.base *= base_steps;
    }
    result.comparison = stats::compare(pairs, options);
  } else {
    std::vector<stats::Observation> of_cell = analysis::observations_of(cell);
    std::vector<stats::Observation> of_base = analysis::observations_of(base);
    for (stats::Observation& observation : of_cell) observation.value *= cell_steps;
    for (stats::Observation& observation : of_base) observation.value *= base_steps;
    result.comparison = stats::compare_unpaired(of_base, of_cell, options);
  }
  result.difference_ns = result.comparison.ratio;
  if (result.comparison.ratio.launches == 0) return result;
  const double base_ns = base.summary->step_ns.value * base_steps;
  stats::Interval& interval = result.difference_ns.interval;
  for (double* value : {&result.difference_ns.value, &interval.low, &interval.high}) *value = (*value - 1) * base_ns;
  return result;
}

}  // namespace

std::vector<report::KeyDifference> differing_keys(const report::Report& report, const report::Cell& a,
                                                  const report::Cell& b) {
  const std::map<std::string, std::string> of_a = keys_of(report, a);
  const std::map<std::string, std::string> of_b = keys_of(report, b);
  std::map<std::string, report::KeyDifference> keys;
  for (const auto& [key, value] : of_a) keys[key] = {key, value, ""};
  for (const auto& [key, value] : of_b) {
    keys[key].key = key;
    keys[key].b = value;
  }
  std::vector<report::KeyDifference> differing;
  for (const auto& [key, difference] : keys) {
    if (difference.a != difference.b) differing.push_back(difference);
  }
  return differing;
}

bool differ_in_scenario_alone(const report::Cell& a, const report::Cell& b) {
  return a.scenario != b.scenario && a.implementation == b.implementation && a.options == b.options &&
         a.threads == b.threads && a.arm == b.arm;
}

report::CellDifference difference_of(const report::Report& report, const report::Cell& cell, const report::Cell& base) {
  return difference_of_steps(report, cell, base, 1, 1);
}

std::optional<report::TargetDifference> target_difference(const report::Report& report, const report::Cell& a,
                                                          const report::Cell& b) {
  if (!a.target || !b.target) return std::nullopt;
  report::TargetDifference result{*a.target, *b.target, std::nullopt};
  const bool reached =
      a.target->state == report::TargetState::reached && b.target->state == report::TargetState::reached;
  if (!reached || a.target->steps == 0 || b.target->steps == 0) return result;
  result.time =
      difference_of_steps(report, a, b, static_cast<double>(a.target->steps), static_cast<double>(b.target->steps));
  if (result.time->comparison.ratio.launches == 0) result.time.reset();
  return result;
}

}  // namespace gdbench::explain
