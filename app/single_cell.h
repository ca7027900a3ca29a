// One scenario with one implementation, planned like the cells of a run: what train and profile work on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/measure/plan.h"
#include "harness/report/report.h"

namespace gdbench::app {

// Plan and report stay together: the plan's cell points into its own catalogue.
struct SingleCell {
  report::Report report;
  measure::Plan plan;

  const measure::PlannedScenario& scenario() const { return *plan.scenarios.front(); }
  const measure::PlannedCell& cell() const { return scenario().cells.front(); }
  report::Cell& record() { return report.cells.front(); }
};

// `scenario` by name or file, `implementation` an id, `settings` as in --set. Errors: the input's, an implementation
// that is unknown, or one that cannot do this.
Result<std::unique_ptr<SingleCell>> plan_single_cell(const std::string& scenario, const std::string& implementation,
                                                     const std::vector<std::string>& settings);

}  // namespace gdbench::app
