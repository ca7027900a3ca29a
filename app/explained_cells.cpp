#include "app/explained_cells.h"

#include <algorithm>
#include <limits>

#include "app/invocation.h"
#include "app/overrides.h"
#include "harness/base/text.h"
#include "harness/questions/explain/explain.h"
#include "harness/report/explanation.h"
#include "harness/report/report.h"
#include "reports/answers/labels.h"

namespace gdbench::app {

namespace {

using report::Cell;
using report::Report;
using report::ScenarioRecord;
using Scenarios = std::vector<const ScenarioRecord*>;
using Cells = std::vector<const Cell*>;

// By key, label, or name (which several may share); all of them without a name.
Result<Scenarios> chosen_scenarios(const Report& report, const std::string& name) {
  Scenarios chosen;
  std::vector<std::string> labels;
  for (const ScenarioRecord& scenario : report.scenarios) {
    labels.push_back(scenario.label);
    if (name.empty() || name == scenario.key || name == scenario.label || name == scenario.name) {
      chosen.push_back(&scenario);
    }
  }
  if (chosen.empty() && !name.empty()) {
    return usage_error("found no scenario " + in_quotes(name) + " in the report, expected " + one_of(name, labels));
  }
  return chosen;
}

Cells cells_of(const Report& report, const ScenarioRecord& scenario) {
  Cells cells;
  for (const Cell& cell : report.cells) {
    if (cell.scenario == scenario.key) cells.push_back(&cell);
  }
  return cells;
}

// Whether each of the overrides, with commas between them, is one of the scenario's.
bool has_overrides(const ScenarioRecord& scenario, const std::string& overrides) {
  const std::vector<std::string> own = answers::overrides_of(scenario.label);
  return std::ranges::all_of(answers::overrides_of("[" + overrides + "]"),
                             [&](const std::string& one) { return std::ranges::find(own, one) != own.end(); });
}

// Those that fit in one scenario: with that very id, else of that implementation, controls left out.
Cells matches_in(const Report& report, const ScenarioRecord& scenario, const std::string& id) {
  const Overridden wanted = split_overrides(id);
  if (!wanted.overrides.empty() && !has_overrides(scenario, wanted.overrides)) return {};
  Cells matches;
  for (const Cell* cell : cells_of(report, scenario)) {
    if (cell->id == wanted.cell || answers::short_id(scenario.label, cell->id) == wanted.cell) return {cell};
    if (cell->arm == report::kControlArm) continue;
    const bool any = wanted.cell.empty() && cell->ranked;
    if (any || cell->implementation == wanted.cell) matches.push_back(cell);
  }
  return matches;
}

Error several(const std::string& option, const std::string& id, const Cells& cells) {
  std::vector<std::string> ids;
  for (const Cell* cell : cells) ids.push_back(cell->id);
  return usage_error(
      cat(option, ": found ", cells.size(), " cells of ", in_quotes(id), ", expected one of: ", joined(ids)));
}

Error unknown_cell(const Report& report, const Scenarios& scenarios, const std::string& option, const std::string& id) {
  std::vector<std::string> names;
  for (const ScenarioRecord* scenario : scenarios) {
    for (const Cell* cell : cells_of(report, *scenario)) names.push_back(answers::short_id(scenario->label, cell->id));
    const std::string overrides = joined(answers::overrides_of(scenario->label), ",");
    if (!overrides.empty()) names.push_back(overrides);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const std::string where = scenarios.size() == 1 ? scenarios.front()->label : "the report";
  return usage_error(cat(option, ": found no cell ", in_quotes(id), " in ", where, ", expected ", one_of(id, names)));
}

Status check_timed(const Cell& cell) {
  if (is_comparable(cell)) return {};
  if (cell.summary) {
    return usage_error(cell.id + " is not ranked: it " + *cell.summary->not_ranked +
                       ", expected a cell that keeps to its threads");
  }
  const std::string reason = cell.status.reason.empty() ? "" : " (" + one_line(cell.status.reason) + ")";
  return usage_error(cell.id + " has no time: it is " + report::name_of(cell.status.state) + reason +
                     ", expected a cell that is ok");
}

// Those of which both cells have a time. Errors: there is none; the first reason is given.
Result<std::vector<CellPair>> timed(const std::vector<CellPair>& pairs) {
  std::vector<CellPair> kept = pairs;
  std::erase_if(kept, [](const CellPair& pair) { return !is_comparable(*pair.a) || !is_comparable(*pair.b); });
  if (!kept.empty()) return kept;
  TRY(check_timed(*pairs.front().a));
  TRY(check_timed(*pairs.front().b));
  return kept;
}

// The cell whose scenario has a's name and differs from a's in the fewest keys; null where there is none. Errors:
// several are as near.
Result<const Cell*> nearest(const Report& report, const Cell& a, const Cells& candidates, const std::string& b) {
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  Cells nearest;
  for (const Cell* cell : candidates) {
    if (cell->scenario == a.scenario) continue;
    if (report.find_scenario(cell->scenario)->name != report.find_scenario(a.scenario)->name) continue;
    const std::size_t count = explain::differing_keys(report, a, *cell).size();
    if (count < fewest) nearest.clear();
    if (count <= fewest) nearest.push_back(cell);
    fewest = std::min(fewest, count);
  }
  if (nearest.size() > 1) return several("--b", b, nearest);
  return nearest.empty() ? nullptr : nearest.front();
}

// a and b in each scenario, a cell of each; none where that scenario lacks one. Errors: several fit.
Result<std::vector<CellPair>> within_scenarios(const Report& report, const Scenarios& scenarios,
                                               const CellRequest& request) {
  std::vector<CellPair> pairs;
  for (const ScenarioRecord* scenario : scenarios) {
    const Cells a = matches_in(report, *scenario, request.a);
    const Cells b = matches_in(report, *scenario, request.b);
    if (a.empty() || b.empty()) continue;
    if (a.size() > 1) return several("--a", request.a, a);
    if (b.size() > 1) return several("--b", request.b, b);
    if (a == b) return usage_error("--a and --b: found " + a.front()->id + " twice, expected two cells");
    pairs.push_back({a.front(), b.front()});
  }
  return pairs;
}

Result<std::vector<CellPair>> asked_for(const Report& report, const Scenarios& scenarios, const CellRequest& request) {
  Cells of_a;
  Cells of_b;
  for (const ScenarioRecord* scenario : scenarios) {
    for (const Cell* cell : matches_in(report, *scenario, request.a)) of_a.push_back(cell);
    for (const Cell* cell : matches_in(report, *scenario, request.b)) of_b.push_back(cell);
  }
  if (of_a.empty()) return unknown_cell(report, scenarios, "--a", request.a);
  if (of_b.empty()) return unknown_cell(report, scenarios, "--b", request.b);
  std::vector<CellPair> pairs = TRY(within_scenarios(report, scenarios, request));
  if (!pairs.empty()) return timed(pairs);
  for (const Cell* a : of_a) {
    Cells candidates = of_b;
    if (split_overrides(request.b).cell.empty()) {
      std::erase_if(candidates, [&](const Cell* cell) { return !explain::differ_in_scenario_alone(*a, *cell); });
    }
    const Cell* b = TRY(nearest(report, *a, candidates, request.b));
    if (b != nullptr) pairs.push_back({a, b});
  }
  if (!pairs.empty()) return timed(pairs);
  return usage_error(cat("found no scenario with both ", in_quotes(request.a), " and ", in_quotes(request.b),
                         ", expected two cells of one scenario, whatever its overrides"));
}

// Ranked cells with a time, of the threads and arm of the fastest of them, fastest first; controls left out.
Cells candidates_in(const Report& report, const ScenarioRecord& scenario) {
  Cells cells = cells_of(report, scenario);
  std::erase_if(cells, [](const Cell* cell) {
    return !report::is_ranked(*cell) || !cell->summary || cell->arm == report::kControlArm;
  });
  std::ranges::stable_sort(cells, {}, [](const Cell* cell) { return cell->summary->step_ns.value; });
  if (cells.empty()) return cells;
  const Cell& fastest = *cells.front();
  std::erase_if(cells, [&](const Cell* cell) { return cell->threads != fastest.threads || cell->arm != fastest.arm; });
  return cells;
}

// The fastest beside the baseline that was named; else beside the runner-up, the best framework and the report's
// baseline.
void add_usual(const Report& report, const ScenarioRecord& scenario, const std::string& baseline,
               std::vector<CellPair>& pairs) {
  const Cells cells = candidates_in(report, scenario);
  if (cells.size() < 2) return;
  Cells others;
  const auto add_first = [&](auto&& is_wanted) {
    const auto found = std::find_if(cells.begin() + 1, cells.end(), is_wanted);
    if (found != cells.end() && std::ranges::find(others, *found) == others.end()) others.push_back(*found);
  };
  add_first([&](const Cell* cell) { return cell->implementation == baseline; });
  if (others.empty()) {
    others = {cells[1]};
    add_first([](const Cell* cell) { return cell->summary->import_seconds.has_value(); });
    add_first([&](const Cell* cell) { return cell->implementation == report.run.baseline && !cell->summary->ratio; });
  }
  for (const Cell* other : others) pairs.push_back({cells.front(), other});
}

// Each cell beside the first one that has it under other overrides.
void add_across(const Report& report, const Scenarios& scenarios, std::vector<CellPair>& pairs) {
  Cells first;
  for (const ScenarioRecord* scenario : scenarios) {
    for (const Cell* cell : candidates_in(report, *scenario)) {
      const auto known = std::ranges::find_if(first, [&](const Cell* other) {
        return report.find_scenario(other->scenario)->name == scenario->name &&
               explain::differ_in_scenario_alone(*cell, *other);
      });
      if (known == first.end()) {
        first.push_back(cell);
      } else {
        pairs.push_back({cell, *known});
      }
    }
  }
}

}  // namespace

bool is_comparable(const Cell& cell) { return cell.summary && !cell.summary->not_ranked; }

Result<std::vector<CellPair>> explained_cells(const Report& report, const CellRequest& request) {
  const Scenarios scenarios = TRY(chosen_scenarios(report, request.scenario));
  if (!request.a.empty()) return asked_for(report, scenarios, request);
  std::vector<CellPair> pairs;
  for (const ScenarioRecord* scenario : scenarios) add_usual(report, *scenario, request.baseline, pairs);
  if (pairs.empty()) add_across(report, scenarios, pairs);
  if (!pairs.empty()) return pairs;
  return usage_error(request.report +
                     ": found no two ranked cells with a time in one scenario, expected at least one pair");
}

std::vector<report::Explanation> explanations_of(const Report& report, const std::vector<CellPair>& pairs) {
  std::vector<report::Explanation> explanations;
  for (const CellPair& pair : pairs) explanations.push_back(explain::explain(report, *pair.a, *pair.b));
  return explanations;
}

}  // namespace gdbench::app
