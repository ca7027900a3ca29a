// How run and report print a report for a person.
#pragma once

#include <string>

#include "harness/report/report.h"

namespace gdbench::app {

// The first screen, or with `details` a table for every scenario, on stdout. `file` is where the report is.
void show_report(const report::Report& report, const std::string& file, bool details);

}  // namespace gdbench::app
