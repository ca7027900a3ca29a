// Files that show what the passes did to a graph.
#pragma once

#include <string>

#include "implementations/strategies/graph/plan/executable.h"

namespace gdbench::strategies::graph {

// Writes into `folder`, which it makes: NAME-00-built.txt and .dot, then a pair for each time a pass fired. An observer
// for compile(). Throws Failure where a file cannot be written.
Observer dump_to(const std::string& folder, const std::string& name);

// NAME-plan.txt: the final graph with the place of each value, and how often each pass fired.
void dump_plan(const std::string& folder, const std::string& name, const Compiled& compiled);

}  // namespace gdbench::strategies::graph
