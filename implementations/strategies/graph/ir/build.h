// Graphs of chains of fully connected layers.
#pragma once

#include <cstdint>

#include "implementations/strategies/graph/ir/graph.h"

namespace gdbench::strategies::graph {

// The name of the one output that a step may have.
constexpr const char* kLossOutput = "loss";

// One step on `rows` rows: forward pass, loss, its derivatives by the op table's rules, an update per parameter of a
// problem whose optimizer keeps `slots` slots. A batch that is processed in parts has its passes part after part, each
// for its weight of the loss, and the sums of their derivatives. For the task gradients: the derivatives of each
// column's loss, one sweep after the other, and their sums. The whole loss is always computed here; it is an output if
// `loss_wanted`, for a batch that is one part. `problem` must outlive the graph.
Graph build_step(const gdbench_problem& problem, std::int64_t rows, std::size_t slots, bool loss_wanted);

// A step of the task update: an update per parameter by the gradient that is given. `problem` must outlive the graph.
Graph build_update(const gdbench_problem& problem, std::size_t slots);

}  // namespace gdbench::strategies::graph
