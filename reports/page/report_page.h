// A report as one page: who wins where, by how much, why, and whether to believe it; then every figure behind it.
#pragma once

#include <string>

#include "harness/report/report.h"

namespace gdbench::page {

// HTML, complete without a script or a network.
std::string report_page(const report::Report& report);

}  // namespace gdbench::page
