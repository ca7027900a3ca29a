// Graphs of chains of fully connected layers.
#pragma once

#include <cstdint>

#include "implementations/loader/batch_plan.h"
#include "implementations/strategies/graph/ir/graph.h"

namespace gdbench::strategies::graph {

// Makes nodes of ops: how the op table's derivative rules, and code that builds a graph, append to it.
class NodeEmitter final : public ops::Emitter {
 public:
  // Appends to `graph`.
  NodeEmitter(Graph& graph, catalogue::Dtype dtype) : graph_(graph), dtype_(dtype) {}

  // Of the nodes that follow.
  void set_phase(catalogue::Phase phase) { phase_ = phase; }
  void set_layers(const Range& layers) { layers_ = layers; }

  // Throws Failure where the operands do not fit together. Hints say nothing that the graph does not. The node is about
  // the parameters among its operands, which an update changes and all else reads.
  NodeId emit(ops::Op op, const ops::Attributes& attributes, std::span<const NodeId> operands,
              const ops::Hint& hint) override;

 private:
  Graph& graph_;
  catalogue::Dtype dtype_;
  catalogue::Phase phase_ = catalogue::Phase::other;
  Range layers_;
};

// One step on `rows` rows: forward pass, loss, its derivatives by the op table's rules, an update per parameter. A
// batch that is processed in parts has its passes part after part, each for its weight of the loss, and the sums of
// their derivatives. For the task gradients: the derivatives of each column's loss, one sweep after the other, and
// their sums. The whole loss is always computed here. `problem` must outlive the graph.
Graph build_step(const gdbench_problem& problem, std::int64_t rows);

// The same of one of several ranks, on its rows of a batch of `rows` rows, which are not none: it ends in gradients.
Graph build_gradients(const gdbench_problem& problem, std::int64_t rows, const loader::Rank& rank);

// A step of the task forward: the losses of the batch's parts, each times its weight, which are the graph's outputs.
Graph build_forward(const gdbench_problem& problem, std::int64_t rows);

// A step of the task update: an update per parameter by the gradient that is given. `problem` must outlive the graph.
Graph build_update(const gdbench_problem& problem);

}  // namespace gdbench::strategies::graph
