#include "app/single_cell.h"

#include <utility>

#include "app/cell_planner.h"

namespace gdbench::app {

Result<std::unique_ptr<SingleCell>> plan_single_cell(const std::string& scenario, const std::string& implementation,
                                                     const std::vector<std::string>& settings) {
  const CellPlanner planner = TRY(CellPlanner::make(scenario, settings, 1, {implementation}));
  TRY(planner.find("--impl", implementation));
  PlannedCells planned = TRY(planner.plan({{implementation, {}}}));
  auto single = std::make_unique<SingleCell>();
  single->report = std::move(planned.report);
  single->plan = std::move(planned.plan);
  return single;
}

}  // namespace gdbench::app
