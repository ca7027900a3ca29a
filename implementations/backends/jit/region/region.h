// A training step as values and the nodes that compute them, as the strategy handed it over: no code, and nothing that
// outlives the call that binds it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "implementations/backends/common/region.h"
#include "implementations/backends/jit/loops/program.h"

namespace gdbench::backends::jit {

using ValueId = std::uint32_t;
using NodeIndex = std::size_t;  // in the order of execution

struct Node {
  Request request;  // op, dtype and attributes, and its operands' shapes as the op's table of kernels.h lists inputs
  std::vector<ValueId> operands;
  ValueId result = 0;
  // Of a combine of one operand: the result is that, rounded to bfloat16.
  bool rounds = false;

  Op op() const { return request.op; }
  // An update that writes its gradient to where its parameter is, and that is all.
  bool keeps_gradient() const { return request.op == Op::update && request.optimizer == nullptr; }
  // A product of these operands as they lie or of their transposes, without a factor and an addend.
  bool is_plain_product(bool transpose_a) const {
    return op() == Op::product && request.transpose_a == transpose_a && !request.transpose_b && request.alpha == 1 &&
           request.beta == 0;
  }
};

// (left' right) factor, over all rows of the batch; a side without a value is a column of ones.
struct HoistedProduct {
  std::optional<ValueId> left;
  std::optional<ValueId> right;
  double factor = 1;
};

struct Value : RegionValue {
  bool is_batch() const { return role == RegionRole::x || role == RegionRole::targets; }
  // What lies in blocks from step to step. A gradient is that of an update after which it is not read again.
  bool is_state() const {
    return (role == RegionRole::parameter || role == RegionRole::slot || role == RegionRole::gradient) && !rounded;
  }
  bool is_rounded_parameter() const { return role == RegionRole::parameter && rounded; }
  std::int64_t size() const { return rows * columns; }

  // Of a value that is computed before the first step, from a batch that all steps share. No node has it as its result.
  std::optional<HoistedProduct> hoisted = {};
  // To bfloat16, before it is read: X, or a parameter as it is when a step begins, which is another value, too.
  bool rounded = false;
};

Scalar scalar_of(Dtype dtype);

struct Region {
  Scalar real = Scalar::f32;
  bool constant_batch = false;     // all steps see the same X and targets
  bool gathered = false;           // the rows of a step's batch are given by their numbers
  bool gradients_descend = false;  // they have minus the learning rate as a factor: updates add them (rewrites.h)
  bool unit_products = false;      // those that an update adds start at the parameter
  bool mixed = false;              // operands are rounded to bfloat16 where they are read, which no node says
  std::int64_t batch_rows = 0;
  std::size_t slots = 0;  // blocks of the optimizer's, whether they are read or not
  std::vector<Value> values;
  std::vector<Node> nodes;

  const Value& operator[](ValueId value) const { return values[value]; }
  // The node that computes a value; nothing for inputs.
  std::optional<NodeIndex> producer(ValueId value) const;
  // A name of its own, that is an identifier: "x", "parameter_16", "v7".
  std::string name_of(ValueId value) const;
  // A value of its own number, and a node at the end, which knows its operands' shapes.
  ValueId add_value(const Value& value);
  void add_node(const Request& request, std::vector<ValueId> operands, ValueId result);
  // A parameter before it was rounded.
  ValueId unrounded(ValueId parameter) const;
  // The nodes that read a value, in order, each once.
  std::vector<NodeIndex> readers(ValueId value) const;
};

// Of update's operands: gradient, scalars, the parameter, its slots.
constexpr std::size_t kUpdatedParameter = 2;

// Why the region can't be compiled, empty where it can; decided before anything is.
std::string unsupported_reason(const TrainingRegion& training);
Region region_of(const TrainingRegion& training);

// "v7 = product[transpose_a](x, v5): 10x50", a line per node.
std::string text_of(const Region& region);
std::string text_of(const Region& region, const Node& node);

}  // namespace gdbench::backends::jit
