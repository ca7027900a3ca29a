// Renderer of a calibration.
#pragma once

#include <string>

#include "harness/report/comparison.h"

namespace gdbench::render {

// A row per slowdown with what was found of it, the false-alarm rate and the smallest detectable slowdown in words.
std::string calibration_table(const report::Calibration& calibration);

}  // namespace gdbench::render
