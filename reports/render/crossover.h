// Renderers of crossovers: every measured size in a table, the answer in words.
#pragma once

#include <string>

#include "harness/result/crossover.h"

namespace gdbench::render {

std::string crossover_table(const result::Crossover& crossover);
std::string crossover_table(const result::StepsCrossover& crossover);

}  // namespace gdbench::render
