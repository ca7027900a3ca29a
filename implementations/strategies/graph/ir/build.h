// Graphs of chains of fully connected layers.
#pragma once

#include <cstdint>

#include "implementations/strategies/graph/ir/graph.h"

namespace gdbench::strategies::graph {

// The name of the one output that a step may have.
constexpr const char* kLossOutput = "loss";

// One step on `rows` rows: forward pass, loss, its derivatives by the op table's rules, an update per parameter of a
// problem whose optimizer keeps `slots` slots. For the task gradients: the derivatives of each column's loss, one sweep
// after the other, and their sums. The whole loss is always computed here; it is an output if `loss_wanted`. `problem`
// must outlive the graph.
Graph build_step(const gdbench_problem& problem, std::int64_t rows, std::size_t slots, bool loss_wanted);

}  // namespace gdbench::strategies::graph
