// What will spoil measurements on a CUDA device here, as far as its driver's nvidia-smi says it.
#pragma once

#include <string>
#include <vector>

#include "harness/report/report.h"

namespace gdbench::machine {

// Asks nvidia-smi, which takes up to seconds where nothing else holds the device open. Empty where there is none on the
// PATH, or no device.
std::vector<report::Condition> device_conditions();

// By the compute modes of all devices as nvidia-smi prints them, a line each: "Default", "Exclusive_Process".
report::Condition compute_mode(const std::string& modes);

}  // namespace gdbench::machine
