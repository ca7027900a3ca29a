// A training step, or a loss, as a graph of typed values in single assignment: every node computes one value, once.
//
// Nodes are kept in an order of execution; code that edits the graph keeps it one. A node names what it reads by id.
// Ids stay valid while a node lives; an erased one is gone from the order and from all operands.
//
// Values are matrices. Parameters, the optimizer's slots, the batch and the task's masks are inputs; a parameter is
// changed by the one node that writes it (written_operands), which must be its last reader. A step of one of several
// ranks changes none: it ends in gradients.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "implementations/backends/common/operands.h"
#include "implementations/strategies/common/op_table.h"
#include "implementations/strategies/common/profile.h"

namespace gdbench::strategies::graph {

using NodeId = ops::Value;
using backends::Element;
using ops::Shape;

enum class Kind : std::uint8_t {
  input,
  constant,    // every entry is `value`
  transpose,   // of its operand. No backend has a kernel for it: the pass `transposes` folds it into products
  call,        // one op of ops.h
  update_all,  // the update of all parameters in one call; operands: scalars, then gradient, parameter, slots of each
  gradients,   // of a layer, complete and where Parameters keeps them; operands: in the order of parameters
};

enum class Role : std::uint8_t {
  x,
  targets,
  parameter,
  slot,
  gradient,  // given, where Parameters keeps that parameter's gradient; of the task update
  scalars,
  mask,
};

struct Node {
  Kind kind = Kind::call;
  Shape shape = {};
  Element element = Element::real;
  catalogue::Phase phase = catalogue::Phase::other;
  ModelPart about = {};  // what of the model; a pass that makes one node of several gives it what both() were about
  std::vector<NodeId> operands = {};
  // Inputs.
  Role role = Role::x;
  std::size_t part = 0;       // of the batch, for x and targets (batch_rows.h)
  std::size_t parameter = 0;  // its index in the ABI's order, also for slots and gradients; of several the first one's
  std::size_t slot = 0;
  std::int64_t column = 0;  // of a mask (column_masks.h)
  // Constants.
  double value = 0;
  // Calls: op, dtype and attributes; the operands' shapes are filled in when the call is bound.
  backends::Request request = {};

  bool is_call(backends::Op op) const { return kind == Kind::call && request.op == op; }
  // A multiple of one operand.
  bool is_scaling() const { return is_call(backends::Op::combine) && request.beta == 0; }
  bool is_state() const { return kind == Kind::input && (role == Role::parameter || role == Role::slot); }
};

// A request's attributes as the op table takes them.
ops::Attributes attributes_of(const backends::Request& request);

struct Output {
  std::string name;
  NodeId node = 0;
};

class Graph {
 public:
  // Appends to the order, or inserts right before or after a node of it.
  NodeId add(Node node);
  NodeId insert_before(NodeId where, Node node) { return insert_at(position(where), std::move(node)); }
  NodeId insert_after(NodeId where, Node node) { return insert_at(position(where) + 1, std::move(node)); }
  void move_after(NodeId node, NodeId where);

  // Every reader and output of `from` becomes one of `to`.
  void replace_uses(NodeId from, NodeId to);
  // Only for nodes without readers.
  void erase(NodeId node);

  const Node& operator[](NodeId node) const { return nodes_[node]; }
  Node& operator[](NodeId node) { return nodes_[node]; }
  // The order of execution. A copy of it is what a pass walks while it edits.
  const std::vector<NodeId>& order() const { return order_; }
  std::vector<Output>& outputs() { return outputs_; }
  const std::vector<Output>& outputs() const { return outputs_; }

  // How many nodes were ever made; ids are below it.
  std::size_t id_count() const { return nodes_.size(); }
  bool alive(NodeId node) const;
  std::size_t position(NodeId node) const;
  // Nodes that read a value, in order, each once.
  std::vector<NodeId> users(NodeId node) const;
  bool is_output(NodeId node) const;
  // Read by exactly one operand of one node, and not an output.
  bool has_one_use(NodeId node) const;

 private:
  NodeId insert_at(std::size_t position, Node node);

  std::vector<Node> nodes_;  // by id
  std::vector<NodeId> order_;
  std::vector<Output> outputs_;
};

}  // namespace gdbench::strategies::graph
