// Renderers of crossovers: every measured size in a table, the answer in words.
#pragma once

#include <string>
#include <vector>

#include "harness/report/crossover.h"
#include "reports/render/table.h"

namespace gdbench::render {

std::string crossover_table(const report::Crossover& crossover);
std::string crossover_table(const report::StepsCrossover& crossover);

// What they are made of: the table, the answer in sentences, what the table's words mean.
TextTable crossover_rows(const report::Crossover& crossover);
std::vector<std::string> crossover_sentences(const report::Crossover& crossover);
std::string crossover_method(const report::Crossover& crossover);
TextTable crossover_rows(const report::StepsCrossover& crossover);
std::string crossover_sentence(const report::StepsCrossover& crossover);
std::string crossover_method(const report::StepsCrossover& crossover);

}  // namespace gdbench::render
