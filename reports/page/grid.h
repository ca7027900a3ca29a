// Who wins where: implementations going down, scenarios across.
#pragma once

#include <vector>

#include "harness/report/report.h"
#include "reports/page/parts.h"
#include "reports/render/rows.h"

namespace gdbench::page {

// A table with a time, its ratio to the fastest of the scenario and a word in every place, with a colour for the ratio;
// and a form that shows some of its rows, by strategy, backend and policy.
void add_grid(Markup& markup, const report::Report& report, const std::vector<render::ScenarioTable>& tables);

}  // namespace gdbench::page
