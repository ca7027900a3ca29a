// What will spoil measurements here, as far as it can be read or quickly measured.
#pragma once

#include <filesystem>
#include <vector>

#include "harness/report/report.h"

namespace gdbench::machine {

// Read from the system and this process: governor, turbo, hyper-threads, load and stolen time of a tenth of a second,
// swap, throttling, randomised addresses, clock source, quota, processors, build, floating-point control word,
// variables that steer libraries' threads and kernels. `root` is where proc and sys lie.
std::vector<report::Condition> conditions(const std::filesystem::path& root = "/");

// Measured on a processor, in about a second: how much blocks of 2 ms scatter, what a clock reading takes, what
// denormal numbers and unaligned vectors cost.
std::vector<report::Condition> measured_conditions(int processor);

}  // namespace gdbench::machine
