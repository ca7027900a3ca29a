// Renderers of crossovers: every measured size in a table, the answer in words.
#pragma once

#include <string>

#include "harness/report/crossover.h"

namespace gdbench::render {

std::string crossover_table(const report::Crossover& crossover);
std::string crossover_table(const report::StepsCrossover& crossover);

}  // namespace gdbench::render
