#pragma once
#include "reports/page/parts.h"
#include "reports/render/scenario_charts.h"
namespace gdbench::page {
using render::hue_of_phase;
constexpr int kHueOfUnclaimed = kHues - 1;
}  // namespace gdbench::page
