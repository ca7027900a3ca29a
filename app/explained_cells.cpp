#include "app/explained_cells.h"

#include <algorithm>
#include <limits>

#include "app/invocation.h"
#include "harness/base/text.h"
#include "harness/questions/explain/explain.h"
#include "harness/report/explanation.h"
#include "harness/report/report.h"
#include "reports/render/explanation.h"

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
    return usage_error("found no scenario " + in_quotes(name) + " in the report" + suggestion(name, labels) +
                       ", expected one of: " + joined(labels));
  }
  return chosen;
}

// A cell's id without its scenario.
std::string short_id(const ScenarioRecord& scenario, const Cell& cell) {
  const std::string prefix = scenario.label + "/";
  return cell.id.starts_with(prefix) ? cell.id.substr(prefix.size()) : cell.id;
}

Cells cells_of(const Report& report, const ScenarioRecord& scenario) {
  Cells cells;
  for (const Cell& cell : report.cells) {
    if (cell.scenario == scenario.key) cells.push_back(&cell);
  }
  return cells;
}

// "optimizer=adam,batch=64" of "mlp-10-50-1[optimizer=adam,batch=64]"; empty without overrides.
std::string overrides_of(const ScenarioRecord& scenario) {
  const std::size_t bracket = scenario.label.rfind('[');
  return bracket == std::string::npos ? "" : scenario.label.substr(bracket + 1, scenario.label.size() - bracket - 2);
}

// Whether each of the overrides, with commas between them, is one of the scenario's.
bool has_overrides(const ScenarioRecord& scenario, const std::string& overrides) {
  const std::string own = "," + overrides_of(scenario) + ",";
  std::size_t start = 0;
  while (start <= overrides.size()) {
    const std::size_t end = std::min(overrides.find(',', start), overrides.size());
    if (own.find("," + overrides.substr(start, end - start) + ",") == std::string::npos) return false;
    start = end + 1;
  }
  return true;
}

// The overrides that begin an id, and what is left of it. An option of a cell has its "=" behind "?".
struct Wanted {
  std::string overrides;
  std::string cell;  // empty: any
};
Wanted parse_wanted(const std::string& id) {
  const std::size_t equals = id.find('=');
  if (equals == std::string::npos || id.find_first_of("?[") < equals) return {"", id};
  const std::size_t slash = id.find('/', equals);
  if (slash == std::string::npos) return {id, ""};
  return {id.substr(0, slash), id.substr(slash + 1)};
}

// Those that fit in one scenario: with that very id, else of that implementation, controls left out.
Cells matches_in(const Report& report, const ScenarioRecord& scenario, const std::string& id) {
  const Wanted wanted = parse_wanted(id);
  if (!wanted.overrides.empty() && !has_overrides(scenario, wanted.overrides)) return {};
  Cells matches;
  for (const Cell* cell : cells_of(report, scenario)) {
    if (cell->id == wanted.cell || short_id(scenario, *cell) == wanted.cell) return {cell};
    if (cell->arm == report::kControlArm) continue;
    const bool any = wanted.cell.empty() && cell->ranked;
    if (any || cell->implementation == wanted.cell) matches.push_back(cell);
  }
  return matches;
}

std::string ids_of(const Cells& cells) {
  std::vector<std::string> ids;
  for (const Cell* cell : cells) ids.push_back(cell->id);
  return joined(ids);
}

Error several(const std::string& option, const std::string& id, const Cells& cells) {
  return usage_error(option + ": found " + std::to_string(cells.size()) + " cells of " + in_quotes(id) +
                     ", expected one of: " + ids_of(cells));
}

Error unknown_cell(const Report& report, const Scenarios& scenarios, const std::string& option, const std::string& id) {
  std::vector<std::string> names;
  for (const ScenarioRecord* scenario : scenarios) {
    for (const Cell* cell : cells_of(report, *scenario)) names.push_back(short_id(*scenario, *cell));
    if (const std::string overrides = overrides_of(*scenario); !overrides.empty()) names.push_back(overrides);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return usage_error(option + ": found no cell " + in_quotes(id) +
                     (scenarios.size() == 1 ? " in " + scenarios.front()->label : " in the report") +
                     suggestion(id, names) + ", expected one of: " + joined(names));
}

bool comparable(const Cell& cell) { return cell.summary && !cell.summary->not_ranked; }

Status check_timed(const Cell& cell) {
  if (comparable(cell)) return {};
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
  std::vector<CellPair> kept;
  Status problem;
  for (const CellPair& pair : pairs) {
    for (const Cell* cell : {pair.a, pair.b}) {
      if (const Status status = check_timed(*cell); !status.ok() && problem.ok()) problem = status;
    }
    if (comparable(*pair.a) && comparable(*pair.b)) kept.push_back(pair);
  }
  if (kept.empty()) return problem.error();
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
  Result<std::vector<CellPair>> pairs = within_scenarios(report, scenarios, request);
  if (!pairs.ok()) return pairs;
  if (!pairs->empty()) return timed(pairs.value());
  for (const Cell* a : of_a) {
    Cells candidates = of_b;
    if (parse_wanted(request.b).cell.empty()) {
      std::erase_if(candidates, [&](const Cell* cell) { return !explain::differ_in_scenario_alone(*a, *cell); });
    }
    const Cell* b = TRY(nearest(report, *a, candidates, request.b));
    if (b != nullptr) pairs->push_back({a, b});
  }
  if (!pairs->empty()) return timed(pairs.value());
  return usage_error("found no scenario with both " + in_quotes(request.a) + " and " + in_quotes(request.b) +
                     ", expected two cells of one scenario, whatever its overrides");
}

double step_ns(const Cell& cell) { return cell.summary->step_ns.value; }

// Ranked cells with a time, of the threads and arm of the fastest of them, fastest first; controls left out.
Cells candidates_in(const Report& report, const ScenarioRecord& scenario) {
  Cells cells = cells_of(report, scenario);
  std::erase_if(cells, [](const Cell* cell) {
    return !report::is_ranked(*cell) || !cell->summary || cell->arm == report::kControlArm;
  });
  std::stable_sort(cells.begin(), cells.end(), [](const Cell* x, const Cell* y) { return step_ns(*x) < step_ns(*y); });
  if (cells.empty()) return cells;
  const Cell& fastest = *cells.front();
  std::erase_if(cells, [&](const Cell* cell) { return cell->threads != fastest.threads || cell->arm != fastest.arm; });
  return cells;
}

// The fastest beside the baseline, then beside the fastest of each other strategy on its backend.
void add_usual(const Report& report, const ScenarioRecord& scenario, std::vector<CellPair>& pairs) {
  const Cells cells = candidates_in(report, scenario);
  if (cells.size() < 2) return;
  const Cell& fastest = *cells.front();
  Cells others;
  const auto baseline = std::find_if(cells.begin(), cells.end(), [&](const Cell* cell) {
    return cell->implementation == report.run.baseline && !cell->summary->ratio;
  });
  if (baseline != cells.end() && *baseline != &fastest) others.push_back(*baseline);
  const report::ImplementationName name = report::parse_implementation(fastest.implementation);
  std::vector<std::string> strategies = {name.strategy};
  for (const Cell* cell : cells) {
    const report::ImplementationName other = report::parse_implementation(cell->implementation);
    if (other.backend != name.backend) continue;
    if (std::find(strategies.begin(), strategies.end(), other.strategy) != strategies.end()) continue;
    strategies.push_back(other.strategy);
    if (std::find(others.begin(), others.end(), cell) == others.end()) others.push_back(cell);
  }
  if (others.empty()) others.push_back(cells[1]);
  for (const Cell* other : others) pairs.push_back({&fastest, other});
}

// Each cell beside the first one that has it under other overrides.
void add_across(const Report& report, const Scenarios& scenarios, std::vector<CellPair>& pairs) {
  Cells first;
  for (const ScenarioRecord* scenario : scenarios) {
    for (const Cell* cell : candidates_in(report, *scenario)) {
      const auto known = std::find_if(first.begin(), first.end(), [&](const Cell* other) {
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

Result<std::vector<CellPair>> explained_cells(const Report& report, const CellRequest& request) {
  const Scenarios scenarios = TRY(chosen_scenarios(report, request.scenario));
  if (!request.a.empty()) return asked_for(report, scenarios, request);
  std::vector<CellPair> pairs;
  for (const ScenarioRecord* scenario : scenarios) add_usual(report, *scenario, pairs);
  if (pairs.empty()) add_across(report, scenarios, pairs);
  if (!pairs.empty()) return pairs;
  return usage_error(request.report +
                     ": found no two ranked cells with a time in one scenario, expected at least one pair");
}

std::string explanations_of(const Report& report, const std::vector<CellPair>& pairs) {
  std::string text;
  for (const CellPair& pair : pairs) {
    text += (text.empty() ? "" : "\n") +
            render::explanation_words(explain::explain(report, *pair.a, *pair.b), terminal_width());
  }
  return text;
}

}  // namespace gdbench::app
