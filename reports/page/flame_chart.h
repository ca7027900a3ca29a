// One mean step as a flame chart: phases below the step, their ops below them, as wide as they are long.
#pragma once

#include <string>

#include "harness/report/profile.h"
#include "reports/page/parts.h"

namespace gdbench::page {

// Of a profile whose profiled step took time. `id`: of the figure.
void add_flame_chart(Markup& markup, const report::Profile& profile, const std::string& id);

}  // namespace gdbench::page
