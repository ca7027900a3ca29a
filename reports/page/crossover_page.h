// A crossover as one page: which of two is faster where, drawn over sizes or over steps.
#pragma once

#include <string>

#include "harness/report/crossover.h"

namespace gdbench::page {

// HTML, complete without a script or a network.
std::string crossover_page(const report::Crossover& crossover);
std::string crossover_page(const report::StepsCrossover& crossover);

}  // namespace gdbench::page
