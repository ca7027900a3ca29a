// What a step, a kernel call and an operation of an implementation cost, fitted across scenarios.
#pragma once

#include <vector>

#include "harness/report/report.h"

namespace gdbench::analysis {

std::vector<report::CostFit> cost_fits_of(const report::Report& report, const stats::BootstrapOptions& options);

}  // namespace gdbench::analysis
