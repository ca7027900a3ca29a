#include "harness/cli/single_cell.h"

#include <algorithm>
#include <limits>

#include "harness/base/text.h"
#include "harness/cli/selection.h"

namespace gdbench::cli {

Result<std::unique_ptr<SingleCell>> plan_single_cell(const std::string& scenario, const std::string& implementation,
                                                     const std::vector<std::string>& settings) {
  Result<scenario::KnownScenario> known = find_scenario(scenario);
  if (!known.ok()) return known.error();
  measure::PlanRequest request;
  request.arms = {this_build()};
  request.catalogues = {worker::read_catalogue(request.arms.front(), worker_limits({}))};
  request.processors = allowed_processors();
  request.data_cap_bytes = std::numeric_limits<std::size_t>::max();
  scenario::Selection selection;
  selection.scenario_globs = {known.value().name};
  selection.implementation_globs = {implementation};
  for (const std::string& text : settings) {
    Result<scenario::Setting> setting = scenario::parse_setting(text);
    if (!setting.ok()) return setting.error();
    selection.settings.push_back(std::move(setting).value());
  }
  std::vector<std::string> ids;
  for (const worker::CatalogueEntry& entry : request.catalogues.front()) ids.push_back(entry.implementation.id);
  if (std::find(ids.begin(), ids.end(), implementation) == ids.end()) {
    return usage_error("--impl: found " + in_quotes(implementation) + ", expected one of " + joined(ids) +
                       suggestion(implementation, ids));
  }
  Result<std::vector<scenario::Point>> points = scenario::expand({}, selection, {known.value()}, ids);
  if (!points.ok()) return points.error();
  request.points = std::move(points).value();
  auto single = std::make_unique<SingleCell>();
  Result<measure::Plan> plan = measure::make_plan(std::move(request), single->report);
  if (!plan.ok()) return plan.error();
  single->plan = std::move(plan).value();
  if (single->scenario().cells.empty()) return usage_error(single->record().status.reason);
  return single;
}

}  // namespace gdbench::cli
