// Makes nodes of ops: how the op table's derivative rules, and whoever builds a graph, append to it.
#pragma once

#include "implementations/strategies/graph/ir/graph.h"

namespace gdbench::strategies::graph {

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
  Shape shape_of(NodeId value) const override { return graph_[value].shape; }

 private:
  Graph& graph_;
  catalogue::Dtype dtype_;
  catalogue::Phase phase_ = catalogue::Phase::other;
  Range layers_;
};

}  // namespace gdbench::strategies::graph
