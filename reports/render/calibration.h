// Renderers of a calibration, and its parts for others.
#pragma once

#include <string>
#include <vector>

#include "harness/report/comparison.h"
#include "reports/render/format.h"

namespace gdbench::render {

// A row per slowdown with what was found of it, the false-alarm rate and the smallest detectable slowdown in words.
std::string calibration_table(const report::Calibration& calibration);

// A row per slowdown.
PlainTable levels_table(const report::Calibration& calibration);
// The false-alarm rate, the smallest slowdown that is found, and what is left to do.
std::vector<std::string> calibration_sentences(const report::Calibration& calibration);
// What a comparison was, and what the columns mean.
std::string calibration_legend(const report::Calibration& calibration);

}  // namespace gdbench::render
