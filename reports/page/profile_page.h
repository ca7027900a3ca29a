// A profile as one page: where a step's time goes by phase, op and layer, and one mean step as a flame chart.
#pragma once

#include <string>

#include "harness/report/profile.h"

namespace gdbench::page {

// HTML, complete without a script or a network.
std::string profile_page(const report::Profile& profile);

}  // namespace gdbench::page
