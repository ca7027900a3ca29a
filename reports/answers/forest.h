// Ratios with their intervals around 1, a row each: a forest plot.
#pragma once

#include <string>

#include "reports/document/chart.h"

namespace gdbench::answers {

// How a row looks by what was found of it.
inline constexpr document::Look kWorse = {.hue = 1, .shape = 2};
inline constexpr document::Look kBetter = {.hue = 0, .shape = 4};
inline constexpr document::Look kAlike = {.hue = 6, .shape = 0};
inline constexpr document::Look kOpen = {.hue = 5, .shape = 3};
inline constexpr document::Look kFailed = {.hue = 3, .shape = 5};
inline constexpr document::Look kPassed = {.hue = 2, .shape = 1};

constexpr const char* kForestWords =
    "Lines are intervals, and an arrow ends one that goes on beyond the axis. The vertical line is a ratio of 1.";

// Without rows, on one logarithmic axis.
document::Rows forest_of(std::string axis_title);

// With the margin around 1 as a band.
document::Rows forest_of(std::string axis_title, double margin);

}  // namespace gdbench::answers
