// The figures of a crossover.
#pragma once

#include "harness/report/crossover.h"
#include "reports/page/parts.h"

namespace gdbench::page {

// Of at least one size: times of both over the sizes, with what lies between two winners; and their ratio around 1.
void add_sizes(Markup& markup, const report::Crossover& crossover);
void add_ratios(Markup& markup, const report::Crossover& crossover);

// What n steps take of both, from the start of loading on, with where one has overtaken the other.
void add_steps(Markup& markup, const report::StepsCrossover& crossover);

}  // namespace gdbench::page
