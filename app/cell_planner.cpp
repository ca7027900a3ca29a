#include "app/cell_planner.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "app/environments.h"
#include "app/overrides.h"
#include "app/processors.h"
#include "app/selection.h"
#include "harness/base/text.h"
#include "harness/scenario/expand.h"
#include "harness/scenario/settings.h"

namespace gdbench::app {

Result<measure::CellGroup> plan_single_cell(const std::string& scenario, const std::string& implementation,
                                            const std::vector<std::string>& settings) {
  const CellPlanner planner = TRY(CellPlanner::make(scenario, settings, 1, {implementation}));
  const protocol::CatalogueEntry entry = TRY(planner.find("--impl", implementation));
  return planner.plan({{entry.implementation.id, {}}});
}

Result<CellPlanner> CellPlanner::make(const std::string& scenario, const std::vector<std::string>& settings,
                                      int threads, const std::vector<std::string>& implementations) {
  CellPlanner planner;
  planner.scenario_ = TRY(find_scenario(scenario));
  for (const std::string& text : settings) {
    scenario::Setting setting = TRY(scenario::parse_setting(text));
    if (scenario::find_setting(planner.settings_, setting.key) != nullptr) {
      return usage_error("--set " + setting.key + ": found a second value, expected one of each key");
    }
    planner.settings_.push_back(std::move(setting));
  }
  planner.threads_ = threads;
  planner.arm_ = this_build();
  planner.processors_ = measuring_processors();
  planner.catalogue_ = TRY(protocol::read_catalogue(planner.arm_, worker_limits({}), implementations));
  return planner;
}

Result<protocol::CatalogueEntry> CellPlanner::find(const std::string& option, const std::string& id) const {
  std::vector<std::string> ids;
  for (const protocol::CatalogueEntry& entry : catalogue_) {
    if (entry.implementation.id == id) return entry;
    ids.push_back(entry.implementation.id);
  }
  const bool alone = arm_.environments.size() == 1 && environment_of(id).empty();
  if (alone && std::ranges::find(ids, in_first_environment(id)) != ids.end()) {
    return find(option, in_first_environment(id));
  }
  return usage_error(option + ": found " + in_quotes(id) + ", expected " + one_of(id, ids));
}

std::string CellPlanner::label() const {
  return scenario_.name + (settings_.empty() ? "" : "[" + overrides_text(settings_) + "]");
}

std::vector<scenario::Setting> CellPlanner::merged(const std::vector<scenario::Setting>& others) const {
  std::vector<scenario::Setting> settings = settings_;
  std::erase_if(settings, [&](const auto& setting) { return scenario::find_setting(others, setting.key) != nullptr; });
  settings.insert(settings.end(), others.begin(), others.end());
  return settings;
}

Result<scenario::Scenario> CellPlanner::read(const std::vector<scenario::Setting>& others) const {
  std::vector<scenario::Setting> settings = merged(others);
  std::erase_if(settings, [](const auto& setting) { return setting.key.starts_with(scenario::kOptionPrefix); });
  return scenario::read_scenario(scenario_.file, settings);
}

Result<measure::CellGroup> CellPlanner::plan(const std::vector<CellChoice>& choices,
                                             const std::vector<std::string>& arms) const {
  measure::PlanRequest request;
  for (const std::string& name : arms) {
    request.arms.push_back(arm_);
    request.arms.back().name = name;
    request.catalogues.push_back(catalogue_);
  }
  request.processors = processors_;
  request.data_cap_bytes = std::numeric_limits<std::size_t>::max();
  for (const CellChoice& choice : choices) {
    scenario::Selection selection;
    selection.scenarios.wanted = {scenario_.name};
    selection.implementations.wanted = {choice.implementation};
    selection.threads = {choice.threads.value_or(threads_)};
    selection.settings = merged(choice.settings);
    std::vector<scenario::Point> points = TRY(scenario::expand({}, selection, {scenario_}, {{choice.implementation}}));
    std::move(points.begin(), points.end(), std::back_inserter(request.points));
  }
  report::Report report;
  measure::Plan plan = TRY(measure::make_plan(std::move(request), report));
  for (const report::Cell& cell : report.cells) {
    if (cell.status.state != report::CellState::pending) return usage_error(cell.status.reason);
  }
  if (report.cells.size() != choices.size() * arms.size()) {
    return usage_error(report.cells.front().id + ": found the same cell twice, expected different ones");
  }
  return measure::CellGroup(std::move(plan), std::move(report));
}

}  // namespace gdbench::app
