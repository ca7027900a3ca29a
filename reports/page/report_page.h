// A report as one page: who wins where, by how much, why, and whether to believe it; then every figure behind it.
#pragma once

#include <string>

#include "harness/report/comparison.h"
#include "harness/report/report.h"

namespace gdbench::page {

// HTML, complete without a script or a network.
std::string report_page(const report::Report& report);
// With what a comparison of its builds found, behind the answer.
std::string report_page(const report::Report& report, const report::ReportComparison& comparison);

}  // namespace gdbench::page
