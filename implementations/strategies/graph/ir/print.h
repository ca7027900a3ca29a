// A graph as text, a line per node, and as a Graphviz picture.
#pragma once

#include <string>

#include "implementations/strategies/graph/ir/graph.h"

namespace gdbench::strategies::graph {

// "%7 = product[transpose_a] %1 %6 : 2x1, backward".
std::string text_of(const Graph& graph, NodeId node);
// All nodes in order, then the outputs.
std::string text_of(const Graph& graph);
// A digraph in the DOT language.
std::string dot_of(const Graph& graph, const std::string& title);

}  // namespace gdbench::strategies::graph
