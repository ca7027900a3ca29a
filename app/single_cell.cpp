#include "app/single_cell.h"

#include <utility>

#include "app/cell_planner.h"

namespace gdbench::app {

Result<std::unique_ptr<SingleCell>> plan_single_cell(const std::string& scenario, const std::string& implementation,
                                                     const std::vector<std::string>& settings) {
  const Result<CellPlanner> planner = CellPlanner::make(scenario, settings, 1, {implementation});
  if (!planner.ok()) return planner.error();
  if (const auto known = planner.value().find("--impl", implementation); !known.ok()) return known.error();
  Result<PlannedCells> planned = planner.value().plan({{implementation, {}}});
  if (!planned.ok()) return planned.error();
  auto single = std::make_unique<SingleCell>();
  single->report = std::move(planned.value().report);
  single->plan = std::move(planned.value().plan);
  return single;
}

}  // namespace gdbench::app
