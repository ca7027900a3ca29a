// Whether a graph is well-formed. Runs after every pass, in all builds: it costs microseconds, once, outside the steps.
#pragma once

#include <string>

#include "implementations/strategies/graph/ir/graph.h"

namespace gdbench::strategies::graph {

enum class Stage : std::uint8_t {
  rewriting,   // between passes: a kernel that overwrites an operand may still need a copy of it
  executable,  // before planning: what is overwritten is not read later, and every node has a kernel
};

// Empty, or one line about the first node that is wrong: an operand that was erased or comes later, operand count,
// shapes, elements, a parameter that is read or written after its update, or that is written by something else.
std::string graph_error(const Graph& graph, Stage stage);

}  // namespace gdbench::strategies::graph
