// What a crossover looks like.
#pragma once

#include "harness/report/crossover.h"
#include "reports/document/document.h"

namespace gdbench::answers {

// Of at least one size: times of both over the sizes, with what lies between two winners; and their ratio around 1.
void add_charts(const report::Crossover& crossover, document::Blocks& blocks);

// What n steps take of both, with where one has overtaken the other.
void add_charts(const report::StepsCrossover& crossover, document::Blocks& blocks);

}  // namespace gdbench::answers
