#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/base/text.h"
#include "harness/cli/check_comparison.h"
#include "harness/cli/commands.h"
#include "harness/result/explanation.h"
#include "harness/result/implementation_name.h"
#include "harness/result/summarise.h"
#include "reports/render/explanation.h"

namespace gdbench::cli {

namespace {

using result::Cell;
using result::Report;
using result::ScenarioRecord;

struct Options {
  std::string report;
  std::string scenario;
  std::string a;
  std::string b;
  std::vector<std::string> descriptions;  // of --check-comparison, else none
  bool json = false;
};

struct Comparison {
  const Cell* a = nullptr;
  const Cell* b = nullptr;
};

// By key, label, or name (which several may share); all of them without a name.
Result<std::vector<const ScenarioRecord*>> chosen_scenarios(const Report& report, const std::string& name) {
  std::vector<const ScenarioRecord*> chosen;
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

std::vector<const Cell*> cells_of(const Report& report, const ScenarioRecord& scenario) {
  std::vector<const Cell*> cells;
  for (const Cell& cell : report.cells) {
    if (cell.scenario == scenario.key) cells.push_back(&cell);
  }
  return cells;
}

// The cell with that id, whole or without its scenario, else the only one of that implementation; null where there is
// none. Errors: several fit.
Result<const Cell*> find_cell(const Report& report, const ScenarioRecord& scenario, const std::string& id) {
  std::vector<const Cell*> of_implementation;
  std::vector<std::string> names;
  for (const Cell* cell : cells_of(report, scenario)) {
    if (cell->id == id || short_id(scenario, *cell) == id) return cell;
    if (cell->implementation != id) continue;
    of_implementation.push_back(cell);
    names.push_back(short_id(scenario, *cell));
  }
  if (of_implementation.size() > 1) {
    return usage_error(scenario.label + ": found " + std::to_string(names.size()) + " cells of " + in_quotes(id) +
                       ", expected one of: " + joined(names));
  }
  return of_implementation.empty() ? nullptr : of_implementation.front();
}

Error unknown_cell(const Report& report, const std::vector<const ScenarioRecord*>& scenarios, const std::string& option,
                   const std::string& id) {
  std::vector<std::string> names;
  for (const ScenarioRecord* scenario : scenarios) {
    for (const Cell* cell : cells_of(report, *scenario)) names.push_back(short_id(*scenario, *cell));
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
  return usage_error(cell.id + " has no time: it is " + result::name_of(cell.status.state) + reason +
                     ", expected a cell that is ok");
}

// Those of which both cells have a time. Errors: there is none; the first reason is given.
Result<std::vector<Comparison>> timed(const std::vector<Comparison>& comparisons) {
  std::vector<Comparison> kept;
  Status problem;
  for (const Comparison& comparison : comparisons) {
    for (const Cell* cell : {comparison.a, comparison.b}) {
      if (const Status status = check_timed(*cell); !status.ok() && problem.ok()) problem = status;
    }
    if (comparable(*comparison.a) && comparable(*comparison.b)) kept.push_back(comparison);
  }
  if (kept.empty()) return problem.error();
  return kept;
}

// --a and --b in each scenario that holds both.
Result<std::vector<Comparison>> asked_for(const Report& report, const std::vector<const ScenarioRecord*>& scenarios,
                                          const Options& options) {
  std::vector<Comparison> comparisons;
  bool found_a = false;
  bool found_b = false;
  for (const ScenarioRecord* scenario : scenarios) {
    const Result<const Cell*> a = find_cell(report, *scenario, options.a);
    if (!a.ok()) return a.error();
    const Result<const Cell*> b = find_cell(report, *scenario, options.b);
    if (!b.ok()) return b.error();
    found_a = found_a || a.value() != nullptr;
    found_b = found_b || b.value() != nullptr;
    if (a.value() == nullptr || b.value() == nullptr) continue;
    if (a.value() == b.value())
      return usage_error("--a and --b: found " + a.value()->id + " twice, expected two cells");
    comparisons.push_back({a.value(), b.value()});
  }
  if (!found_a) return unknown_cell(report, scenarios, "--a", options.a);
  if (!found_b) return unknown_cell(report, scenarios, "--b", options.b);
  if (comparisons.empty()) {
    return usage_error("found no scenario with both " + in_quotes(options.a) + " and " + in_quotes(options.b) +
                       ", expected two cells of one scenario");
  }
  return timed(comparisons);
}

double step_ns(const Cell& cell) { return cell.summary->step_ns.value; }

// Ranked cells with a time, of the threads and arm of the fastest of them, fastest first.
std::vector<const Cell*> candidates(const Report& report, const ScenarioRecord& scenario) {
  std::vector<const Cell*> cells = cells_of(report, scenario);
  std::erase_if(cells, [](const Cell* cell) { return !result::is_ranked(*cell) || !cell->summary; });
  std::stable_sort(cells.begin(), cells.end(), [](const Cell* x, const Cell* y) { return step_ns(*x) < step_ns(*y); });
  if (cells.empty()) return cells;
  const Cell& fastest = *cells.front();
  std::erase_if(cells, [&](const Cell* cell) { return cell->threads != fastest.threads || cell->arm != fastest.arm; });
  return cells;
}

// The fastest beside the baseline, then beside the fastest of each other strategy on its backend.
void add_usual(const Report& report, const ScenarioRecord& scenario, std::vector<Comparison>& comparisons) {
  const std::vector<const Cell*> cells = candidates(report, scenario);
  if (cells.size() < 2) return;
  const Cell& fastest = *cells.front();
  std::vector<const Cell*> others;
  const auto baseline = std::find_if(cells.begin(), cells.end(), [&](const Cell* cell) {
    return cell->implementation == report.run.baseline && !cell->summary->ratio;
  });
  if (baseline != cells.end() && *baseline != &fastest) others.push_back(*baseline);
  const result::ImplementationName name = result::parse_implementation(fastest.implementation);
  std::vector<std::string> strategies = {name.strategy};
  for (const Cell* cell : cells) {
    const result::ImplementationName other = result::parse_implementation(cell->implementation);
    if (other.backend != name.backend) continue;
    if (std::find(strategies.begin(), strategies.end(), other.strategy) != strategies.end()) continue;
    strategies.push_back(other.strategy);
    if (std::find(others.begin(), others.end(), cell) == others.end()) others.push_back(cell);
  }
  if (others.empty()) others.push_back(cells[1]);
  for (const Cell* other : others) comparisons.push_back({&fastest, other});
}

Result<std::vector<Comparison>> choose(const Report& report, const Options& options) {
  const Result<std::vector<const ScenarioRecord*>> scenarios = chosen_scenarios(report, options.scenario);
  if (!scenarios.ok()) return scenarios.error();
  if (!options.a.empty()) return asked_for(report, scenarios.value(), options);
  std::vector<Comparison> comparisons;
  for (const ScenarioRecord* scenario : scenarios.value()) add_usual(report, *scenario, comparisons);
  if (comparisons.empty()) {
    return usage_error(options.report +
                       ": found no two ranked cells with a time in one scenario, expected at least one pair");
  }
  return comparisons;
}

int explain(const Options& options) {
  if (!options.descriptions.empty()) {
    return check_comparison(options.descriptions[0], options.descriptions[1], options.json);
  }
  if (options.report.empty()) {
    return report_error(usage_error("found no report, expected a report or --check-comparison A.json B.json"));
  }
  const Result<Report> read = result::read_summarised(options.report);
  if (!read.ok()) return report_error(read.error());
  const Report& report = read.value();
  const Result<std::vector<Comparison>> chosen = choose(report, options);
  if (!chosen.ok()) return report_error(chosen.error());
  std::vector<result::Explanation> explanations;
  for (const Comparison& comparison : chosen.value()) {
    explanations.push_back(result::explain(report, *comparison.a, *comparison.b));
  }
  if (options.json) {
    std::cout << result::to_ordered_json(explanations).dump(2) << "\n";
    return kFine;
  }
  const char* separator = "";
  for (const result::Explanation& explanation : explanations) {
    std::cout << separator << render::explanation_words(explanation, terminal_width());
    separator = "\n";
  }
  return kFine;
}

}  // namespace

void add_explain(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("explain", "Why a cell is faster or slower than another, with the evidence");
  CLI::Option* report = command->add_option("report", options->report, "report.json or a journal")->type_name("FILE");
  command->add_option("scenario", options->scenario, "Only this scenario of the report");
  CLI::Option* a = command->add_option("--a", options->a, "Cell of the report: implementation, or id")->type_name("ID");
  CLI::Option* b = command->add_option("--b", options->b, "Cell that it is compared with")->type_name("ID");
  a->needs(b);
  b->needs(a);
  command
      ->add_option("--check-comparison", options->descriptions,
                   "Instead: what is unequal between two timed trainings that you describe")
      ->type_name("A.json B.json")
      ->type_size(2)
      ->expected(1)
      ->excludes(report, a, b);
  command->add_flag("--json", options->json, "For programs");
  command->footer(
      "Without --a and --b: in each scenario the fastest beside the baseline, and beside the fastest of each other\n"
      "strategy on its backend.\n"
      "Examples:\n"
      "  gdbench explain report.json\n"
      "  gdbench explain report.json mlp-10-50-1 --a tape/eigen --b hand/eigen\n"
      "  gdbench explain --check-comparison loop.json tape.json    keys: harness/fairness/DESCRIPTION.md");
  command->callback([options, &invocation] { invocation.status = explain(*options); });
}

}  // namespace gdbench::cli
