// The elementwise nodes of a group at one position.
#pragma once

#include <map>
#include <optional>
#include <span>

#include "implementations/backends/jit/lower/context.h"
#include "implementations/backends/jit/lower/groups.h"

namespace gdbench::backends::jit {

// The result's entries of an elementwise node but update, from those of its operands.
Register entry_of(Context& context, const Node& node, std::span<const Register> operands);

// What the gradient of the loss is to be multiplied by, in `lanes` lanes.
Register loss_factor(Context& context, const Node& node, int lanes);

// Whether a node's result has a reader outside of its group.
bool is_read_outside(const Region& region, const Group& group, const Node& node);

// Whether the group is a unit product that an update adds to its parameter: the sum may start there.
bool adds_unit_product(const Region& region, const Group& group);

// Reads what the lowering of a step set up before it; one per group.
class GroupWriter {
 public:
  // Gives a place in memory to the results that other groups read.
  GroupWriter(Context& context, const Group& group);

  const Node& root() const { return context_.region.nodes[group_.nodes.front()]; }
  const Group& group() const { return group_; }
  // Whether lanes are rows wherever the group's entries are visited one by one.
  bool along_rows() const { return group_.columns == 1 || context_.in_lanes.contains(root().result); }

  // What follows from the root's entries: its value is stored, if it has a place, and so are those behind it.
  void finish(const Position& position, Register root);
  // The same of a product, from its sums without alpha and beta.
  void finish_product(const Position& position, Register sums);
  // What the root's entries serve nothing but to be added to, if there is such a value: a bias, or a parameter of which
  // the root is a unit product (adds_unit_product). It may come first then.
  std::optional<ValueId> addend() const;
  // From that plus the root's entries.
  void finish_with_addend(const Position& position, Register sum);
  // The same for a group whose root is elementwise itself.
  void compute(const Position& position);

  // compute at every position.
  void compute_all();

  // Entries of what the group computed at this position, or has loaded there; else they are loaded.
  Register value_at(ValueId value, const Position& position);
  // An operand's entries: of a single row or column the same ones for all.
  Register load(ValueId value, const Position& position);

 private:
  Register load(const Matrix& matrix, const Position& position);
  void update(const Node& node, const Position& position);
  void write_from(std::size_t first, const Position& position);
  void store(ValueId value, const Position& position, Register entries);

  Context& context_;
  const Group& group_;
  std::map<ValueId, Register> known_;  // results at the position that is written
};

}  // namespace gdbench::backends::jit
