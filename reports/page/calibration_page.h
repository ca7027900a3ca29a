// What comparisons on a machine are worth, as a page: how often they alarm for nothing, and which slowdown they find.
#pragma once

#include <string>

#include "harness/report/comparison.h"

namespace gdbench::page {

// HTML, complete without a script or a network.
std::string calibration_page(const report::Calibration& calibration);

}  // namespace gdbench::page
