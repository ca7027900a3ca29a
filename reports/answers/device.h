// What a device said of itself while it was measured, in words.
#pragma once

#include <string>

#include "harness/report/report.h"

namespace gdbench::answers {

// "device NVIDIA H200: clock 1755 to 1980 MHz, clock of the memory 2619 MHz, up to 71 degrees Celsius, 640 W;
// throttled: power cap" over all launches; empty where no device said anything.
std::string device_words(const report::Report& report);

}  // namespace gdbench::answers
