#include "harness/questions/explain/explain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/analysis/launch_costs.h"
#include "harness/analysis/verdicts.h"
#include "harness/base/json.h"
#include "harness/questions/explain/calls.h"
#include "harness/questions/explain/missing.h"
#include "harness/questions/explain/phases.h"
#include "harness/report/report.h"
#include "harness/stats/break_even.h"

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

std::optional<report::TargetDifference> target_difference(const analysis::Comparer& comparer, const report::Cell& a,
                                                          const report::Cell& b) {
  if (!a.target || !b.target) return std::nullopt;
  report::TargetDifference result{*a.target, *b.target, std::nullopt};
  const bool reached =
      a.target->state == report::TargetState::reached && b.target->state == report::TargetState::reached;
  if (!reached || a.target->steps == 0 || b.target->steps == 0) return result;
  analysis::Compared times = comparer.steps(b, a);
  times.scale(static_cast<double>(b.target->steps), static_cast<double>(a.target->steps));
  result.time = {a.id, b.id, times.difference(), times.compare(comparer.options(b, a))};
  if (result.time->comparison.ratio.launches == 0) result.time.reset();
  return result;
}

// Beyond this many axes there are too many ways round to be read.
constexpr std::size_t kMaxAxes = 3;

constexpr std::array kAxes = {"strategy", "backend", "policy", "environment", "options", "threads", "arm"};
using Coordinates = std::array<std::string, kAxes.size()>;

Coordinates coordinates_of(const report::Cell& cell) {
  const report::ImplementationName name = report::parse_implementation(cell.implementation);
  std::string options;
  for (const auto& [key, value] : cell.options) options += (options.empty() ? "" : "&") + key + "=" + value;
  return {name.strategy, name.backend, name.policy, name.environment, options, std::to_string(cell.threads), cell.arm};
}

// What the two parts of a framework's id are called. Only frameworks say how long they took to load.
std::string axis_name(std::size_t axis, const report::Cell& a, const report::Cell& b) {
  const std::string name = kAxes[axis];
  if (!a.summary->import_seconds || !b.summary->import_seconds) return name;
  return name == "strategy" ? "framework" : name == "backend" ? "mode" : name;
}

const report::Cell* cell_at(const report::Report& report, const std::string& scenario, const Coordinates& coordinates) {
  const auto found = std::find_if(report.cells.begin(), report.cells.end(), [&](const report::Cell& cell) {
    return cell.scenario == scenario && cell.summary && coordinates_of(cell) == coordinates;
  });
  return found == report.cells.end() ? nullptr : &*found;
}

double magnitude(const report::AxisPart& part) { return std::abs(part.difference.difference_ns.value); }

// Walks from a to b, changing the axes in the given order; nothing where a cell on the way is missing, or no launch has
// both it and the one before.
std::optional<report::AxisPath> walk(const report::Report& report, const analysis::Comparer& comparer,
                                     const report::Cell& a, const report::Cell& b,
                                     const std::vector<std::size_t>& order, const report::CellDifference& whole) {
  const Coordinates goal = coordinates_of(b);
  Coordinates here = coordinates_of(a);
  const report::Cell* cell = &a;
  report::AxisPath path;
  path.rest_ns = whole.difference_ns.value;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t axis = order[i];
    const std::string value = std::exchange(here[axis], goal[axis]);
    const report::Cell* next = i + 1 == order.size() ? &b : cell_at(report, a.scenario, here);
    if (next == nullptr) return std::nullopt;
    path.parts.push_back({axis_name(axis, a, b), value, goal[axis], comparer.difference(*next, *cell)});
    if (path.parts.back().difference.difference_ns.launches == 0) return std::nullopt;
    path.rest_ns -= path.parts.back().difference.difference_ns.value;
    cell = next;
  }
  std::stable_sort(path.parts.begin(), path.parts.end(),
                   [](const report::AxisPart& x, const report::AxisPart& y) { return magnitude(x) > magnitude(y); });
  return path;
}

std::vector<std::size_t> axes_between(const report::Cell& a, const report::Cell& b) {
  const Coordinates from = coordinates_of(a);
  const Coordinates to = coordinates_of(b);
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < kAxes.size(); ++axis) {
    if (from[axis] != to[axis]) axes.push_back(axis);
  }
  return axes;
}

std::vector<report::AxisPath> paths_between(const report::Report& report, const analysis::Comparer& comparer,
                                            const report::Cell& a, const report::Cell& b,
                                            const report::CellDifference& whole) {
  std::vector<std::size_t> order = axes_between(a, b);
  std::vector<report::AxisPath> paths;
  if (order.empty() || order.size() > kMaxAxes) return paths;
  do {
    if (std::optional<report::AxisPath> path = walk(report, comparer, a, b, order, whole))
      paths.push_back(std::move(*path));
  } while (std::next_permutation(order.begin(), order.end()));
  return paths;
}

// Over the fastest cell between the two in time that is one axis away from the faster one: what no profile divides is
// divided by a row.
std::optional<report::AxisPath> path_over_a_row(const report::Report& report, const analysis::Comparer& comparer,
                                                const report::Cell& a, const report::Cell& b,
                                                const report::CellDifference& whole) {
  const bool a_is_faster = whole.difference_ns.value < 0;
  const report::Cell& faster = a_is_faster ? a : b;
  const report::Cell& slower = a_is_faster ? b : a;
  const report::Cell* between = nullptr;
  const auto step_ns = [](const report::Cell& cell) { return cell.summary->step_ns.value; };
  for (const report::Cell& cell : report.cells) {
    if (cell.scenario != a.scenario || !cell.summary || !report::is_ranked(cell) || cell.arm == report::kControlArm)
      continue;
    if (step_ns(cell) <= step_ns(faster) || step_ns(cell) >= step_ns(slower)) continue;
    if (axes_between(cell, faster).size() != 1 || axes_between(cell, slower).empty()) continue;
    if (comparer.steps(a, cell).pairs.empty() || comparer.steps(b, cell).pairs.empty()) continue;
    if (between == nullptr || step_ns(cell) < step_ns(*between)) between = &cell;
  }
  if (between == nullptr) return std::nullopt;
  report::AxisPath path;
  path.rest_ns = whole.difference_ns.value;
  for (const auto& [cell, base] : {std::pair(&a, between), std::pair(between, &b)}) {
    path.parts.push_back(
        {report::kWholeImplementation, cell->implementation, base->implementation, comparer.difference(*base, *cell)});
    path.rest_ns -= path.parts.back().difference.difference_ns.value;
  }
  return path;
}

report::BreakEvenRecord break_even_of(const report::Report& report, const analysis::Comparer& comparer,
                                      const report::Cell& faster, const report::Cell& slower) {
  if (report.attribution) {
    for (const report::BreakEvenRecord& record : report.attribution->break_evens) {
      if (record.cell == faster.id && record.other == slower.id) return record;
    }
  }
  const double margin = stats::margin_of(comparer.options(faster.scenario));
  return {faster.id, slower.id,
          stats::break_even(analysis::launch_costs(faster), analysis::launch_costs(slower), margin)};
}

std::optional<double> import_ns(const report::Cell& cell) {
  if (!cell.summary->import_seconds) return std::nullopt;
  return *cell.summary->import_seconds * 1e9;
}

report::StartDifference start_difference(const report::Report& report, const analysis::Comparer& comparer,
                                         const report::Cell& a, const report::Cell& b, stats::Verdict verdict) {
  const bool a_is_faster = verdict == stats::Verdict::faster;
  return {a.summary->load_seconds * 1e9,
          b.summary->load_seconds * 1e9,
          a.summary->prepare_seconds * 1e9,
          b.summary->prepare_seconds * 1e9,
          a.summary->first_step_ns,
          b.summary->first_step_ns,
          import_ns(a),
          import_ns(b),
          break_even_of(report, comparer, a_is_faster ? a : b, a_is_faster ? b : a)};
}

// What only cells of one scenario share.
void add_causes_within(const report::Report& report, const analysis::Comparer& comparer, const report::Cell& a,
                       const report::Cell& b, report::Explanation& explanation) {
  explanation.paths = paths_between(report, comparer, a, b, explanation.whole);
  if (explanation.paths.empty() && !explanation.profiles) {
    if (std::optional<report::AxisPath> path = path_over_a_row(report, comparer, a, b, explanation.whole)) {
      explanation.paths.push_back(std::move(*path));
    }
  }
  explanation.start = start_difference(report, comparer, a, b, explanation.whole.comparison.verdict);
  explanation.advice = advice_for(explanation);
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

report::Explanation explain(const report::Report& report, const report::Cell& a, const report::Cell& b) {
  report::Explanation explanation;
  const auto label_of = [&](const report::Cell& cell) {
    const report::ScenarioRecord* scenario = report.find_scenario(cell.scenario);
    return scenario == nullptr ? cell.scenario : scenario->label;
  };
  explanation.scenario = label_of(a);
  explanation.b_scenario = label_of(b);
  explanation.a = a.id;
  explanation.b = b.id;
  explanation.a_step_ns = a.summary->step_ns;
  explanation.b_step_ns = b.summary->step_ns;
  const analysis::Comparer comparer(report);
  explanation.whole = comparer.difference(b, a);
  explanation.paired = comparer.are_side_by_side(a, b);
  if (a.scenario != b.scenario) explanation.differing = differing_keys(report, a, b);
  explanation.target = target_difference(comparer, a, b);
  const auto script = [](const report::Cell& cell) {
    const std::optional<report::ScriptTime>& time = cell.summary->script;
    return time && report::is_named(*time) ? time : std::nullopt;
  };
  explanation.a_script = script(a);
  explanation.b_script = script(b);
  if (explanation.differs()) {
    explanation.profiles = profile_difference(a, b, explanation.whole.comparison.ratio);
    explanation.a_dispatches = dispatch_cost(a);
    explanation.b_dispatches = dispatch_cost(b);
    explanation.a_ops = largest_ops(a);
    explanation.b_ops = largest_ops(b);
    explanation.calls = calls_share(a, b, explanation);
    explanation.a_ceiling = a.summary->ceiling;
    explanation.b_ceiling = b.summary->ceiling;
    if (a.scenario == b.scenario) add_causes_within(report, comparer, a, b, explanation);
  }
  explanation.missing = missing_evidence(report, a, b, explanation);
  return explanation;
}

}  // namespace gdbench::explain
