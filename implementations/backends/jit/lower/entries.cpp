#include "implementations/backends/jit/lower/entries.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "implementations/backends/common/rules/activations.h"
#include "implementations/backends/common/rules/losses.h"
#include "implementations/backends/jit/loops/functions.h"
#include "implementations/backends/jit/lower/update.h"
#include "implementations/backends/jit/region/rewrites.h"

namespace gdbench::backends::jit {
namespace {

// (1 + tanh(u)) / 2 = sigmoid(2 u) of GDBENCH_GELU_TANH.
Register gelu_gate(Context& context, Register z) {
  Builder& builder = context.builder;
  const int lanes = builder.type_of(z).lanes;
  const Register factor =
      builder.multiply_add(builder.multiply(z, z), context.real_number(2 * kGeluScale * kGeluCube, lanes),
                           context.real_number(2 * kGeluScale, lanes));
  return sigmoid(builder, builder.multiply(z, factor));
}

Register activated(Context& context, Activation activation, Register z) {
  Builder& builder = context.builder;
  switch (activation) {
    case Activation::relu: {
      const Register zero = context.real_number(0, builder.type_of(z).lanes);
      return builder.select(builder.less(z, zero), zero, z);  // a NaN stays one
    }
    case Activation::leaky_relu: {
      const int lanes = builder.type_of(z).lanes;
      const Register below = builder.multiply(context.real_number(0.01, lanes), z);
      return builder.select(builder.less(context.real_number(0, lanes), z), z, below);
    }
    case Activation::tanh:
      return hyperbolic_tangent(builder, z);
    case Activation::sigmoid:
      return sigmoid(builder, z);
    case Activation::silu:
      return builder.multiply(z, sigmoid(builder, z));
    case Activation::gelu:
      return builder.multiply(z, normal(builder, z).distribution);
    case Activation::gelu_tanh:
      return builder.multiply(z, gelu_gate(context, z));
    case Activation::softplus:
      return softplus(builder, z);
    case Activation::identity:
      break;
  }
  return z;
}

// d s' where s' = s + z s (1 - s) u', of f(z) = z s with the sigmoid s of u, whose slope is u'.
Register gated(Context& context, Register s, Register z_times_slope, Register d) {
  Builder& builder = context.builder;
  const Register one = context.real_number(1, builder.type_of(s).lanes);
  const Register rest = builder.multiply_add(z_times_slope, builder.subtract(one, s), one);
  return builder.multiply(d, builder.multiply(s, rest));
}

// d f'(z) from a = f(z), or from a = z where catalogue::reads_input says so.
Register differentiated(Context& context, Activation activation, Register a, Register d) {
  Builder& builder = context.builder;
  const int lanes = builder.type_of(a).lanes;
  switch (activation) {
    case Activation::relu: {
      const Register zero = context.real_number(0, lanes);
      return builder.select(builder.less(zero, a), d, zero);
    }
    case Activation::leaky_relu: {
      const Register below = builder.multiply(context.real_number(0.01, lanes), d);
      return builder.select(builder.less(context.real_number(0, lanes), a), d, below);
    }
    case Activation::tanh:
      return builder.multiply(d, builder.subtract(context.real_number(1, lanes), builder.multiply(a, a)));
    case Activation::sigmoid:
      return builder.multiply(d, builder.multiply(a, builder.subtract(context.real_number(1, lanes), a)));
    case Activation::silu:
      return gated(context, sigmoid(builder, a), a, d);
    case Activation::gelu: {
      const Normal at = normal(builder, a);
      return builder.multiply(d, builder.multiply_add(a, at.density, at.distribution));
    }
    case Activation::gelu_tanh: {
      const Register slope =
          builder.multiply_add(builder.multiply(a, a), context.real_number(6 * kGeluScale * kGeluCube, lanes),
                               context.real_number(2 * kGeluScale, lanes));
      return gated(context, gelu_gate(context, a), builder.multiply(a, slope), d);
    }
    case Activation::softplus:
      return builder.multiply(d, softplus_slope(builder, a));
    case Activation::identity:
      break;
  }
  return d;
}

// alpha A + beta B.
Register combined(Context& context, const Request& request, Register a, Register b) {
  Builder& builder = context.builder;
  const int lanes = builder.type_of(a).lanes;
  const auto scaled = [&](double factor, Register value) {
    return factor == 1 ? value : builder.multiply(context.real_number(factor, lanes), value);
  };
  if (request.beta == 0) return scaled(request.alpha, a);
  if (request.beta == 1) return builder.add(scaled(request.alpha, a), b);
  return builder.multiply_add(context.real_number(request.beta, lanes), b, scaled(request.alpha, a));
}

// Of an entry's loss with respect to its output, except for loss_scale.
Register loss_slope(Context& context, const catalogue::LossFunction& loss, Register output, Register target) {
  Builder& builder = context.builder;
  switch (loss.kind) {
    case Loss::mse:
    case Loss::half_mse:
      break;
    case Loss::softmax_cross_entropy:
      std::abort();  // no entry's own: lower/softmax
    case Loss::binary_cross_entropy:
      return builder.subtract(sigmoid(builder, output), target);
    case Loss::huber: {
      const Register delta = context.real_number(loss.huber_delta, builder.type_of(output).lanes);
      const Register error = builder.subtract(output, target);
      const Register above = builder.select(builder.less(delta, error), delta, error);
      const Register least = builder.negate(delta);
      return builder.select(builder.less(above, least), least, above);
    }
  }
  return builder.subtract(output, target);
}

}  // namespace

Register loss_factor(Context& context, const Node& node, int lanes) {
  const double scale = node.request.alpha * loss_scale(node.request);
  if (!context.region.gradients_descend) return context.real_number(scale, lanes);
  Builder& builder = context.builder;
  return builder.splat(builder.multiply(context.factors->rate, context.real_number(-scale, 1)), lanes);
}

Register entry_of(Context& context, const Node& node, std::span<const Register> operands) {
  Builder& builder = context.builder;
  if (node.rounds) return builder.narrow(operands[0]);
  switch (node.op()) {
    case Op::add_bias:
      return builder.add(operands[1], operands[0]);
    case Op::activation:
      return activated(context, node.request.activation, operands[0]);
    case Op::activation_gradient:
      return differentiated(context, node.request.activation, operands[0], operands[1]);
    case Op::multiply:
    case Op::scale_columns:
      return builder.multiply(operands[0], operands[1]);
    case Op::loss_gradient: {
      const Register factor = loss_factor(context, node, builder.type_of(operands[0]).lanes);
      return builder.multiply(loss_slope(context, node.request.loss, operands[0], operands[1]), factor);
    }
    default:
      return combined(context, node.request, operands[0], operands.back());
  }
}

bool adds_unit_product(const Region& region, const Group& group) {
  return region.unit_products && region.gradients_descend && group.nodes.size() == 2 &&
         is_unit_product(region, region.nodes[group.nodes[0]]) && region.nodes[group.nodes[1]].op() == Op::update;
}

bool is_read_outside(const Region& region, const Group& group, const Node& node) {
  return std::ranges::any_of(region.readers(node.result), [&](NodeIndex reader) {
    return std::ranges::find(group.nodes, reader) == group.nodes.end();
  });
}

GroupWriter::GroupWriter(Context& context, const Group& group) : context_(context), group_(group) {
  for (const NodeIndex index : group.nodes) {
    const Node& node = context.region.nodes[index];
    if (node.op() == Op::update || context.has_place(node.result)) continue;
    if (is_read_outside(context.region, group, node)) context.place_result(node.result);
  }
}

Register GroupWriter::load(ValueId id, const Position& position) {
  const auto parts = context_.parts.find(id);
  if (parts == context_.parts.end()) return load(context_.place(id), position);
  Register sum = load(parts->second[0], position);
  for (std::size_t thread = 1; thread < parts->second.size(); ++thread) {
    sum = context_.builder.add(sum, load(parts->second[thread], position));
  }
  return sum;
}

Register GroupWriter::load(const Matrix& matrix, const Position& position) {
  Builder& builder = context_.builder;
  const bool one_row = matrix.rows == 1 && group_.rows > 1;
  const Affine row = one_row ? Affine(0) : position.row;
  const bool same = position.along_rows ? one_row : matrix.columns == 1 && group_.columns > 1;
  const Affine column = matrix.columns == 1 ? Affine(0) : position.column;
  if (same) return builder.splat(builder.load(matrix.at(row, column), 1), position.lanes);
  return builder.load(matrix.at(row, column), position.lanes, position.lanes_of(matrix));
}

Register GroupWriter::value_at(ValueId value, const Position& position) {
  const auto known = known_.find(value);
  if (known != known_.end()) return known->second;
  return known_[value] = load(value, position);
}

void GroupWriter::store(ValueId value, const Position& position, Register entries) {
  const Matrix& matrix = context_.place(value);
  const Address address = matrix.at(position.row, position.column);
  const int active = position.lanes_of(matrix);
  if (context_.accumulated.contains(value)) {
    entries = context_.builder.add(context_.builder.load(address, position.lanes, active), entries);
  }
  context_.builder.store(address, entries, active);
}

void GroupWriter::update(const Node& node, const Position& position) {
  update_entries(
      context_, node, [&](ValueId value) { return value_at(value, position); },
      [&](ValueId value, Register entries) { store(value, position, entries); });
}

void GroupWriter::write_from(std::size_t first, const Position& position) {
  for (std::size_t i = first; i < group_.nodes.size(); ++i) {
    const Node& node = context_.region.nodes[group_.nodes[i]];
    if (node.op() == Op::update) {
      update(node, position);
      continue;
    }
    std::vector<Register> operands;
    for (const ValueId operand : node.operands) operands.push_back(value_at(operand, position));
    const Register value = entry_of(context_, node, operands);
    known_[node.result] = value;
    if (context_.has_place(node.result)) store(node.result, position, value);
  }
}

void GroupWriter::finish(const Position& position, Register root_entries) {
  known_.clear();
  known_[root().result] = root_entries;
  if (context_.has_place(root().result)) store(root().result, position, root_entries);
  write_from(1, position);
}

void GroupWriter::finish_product(const Position& position, Register sums) {
  const Request& request = root().request;
  Builder& builder = context_.builder;
  if (request.alpha != 1) sums = builder.multiply(sums, context_.real_number(request.alpha, position.lanes));
  if (request.beta != 0) {
    const Register before = load(root().operands[2], position);
    sums = builder.multiply_add(context_.real_number(request.beta, position.lanes), before, sums);
  }
  finish(position, sums);
}

std::optional<ValueId> GroupWriter::addend() const {
  if (group_.nodes.size() < 2 || context_.has_place(root().result)) return {};
  const Node& next = context_.region.nodes[group_.nodes[1]];
  if (adds_unit_product(context_.region, group_)) return next.operands[kUpdatedParameter];
  const bool is_bias = next.op() == Op::add_bias && next.operands[1] == root().result &&
                       next.operands[0] != root().result && context_.region.readers(root().result).size() == 1;
  return is_bias ? std::optional(next.operands[0]) : std::nullopt;
}

void GroupWriter::finish_with_addend(const Position& position, Register sum) {
  const Node& next = context_.region.nodes[group_.nodes[1]];
  const ValueId result = next.op() == Op::update ? next.operands[kUpdatedParameter] : next.result;
  known_.clear();
  known_[result] = sum;
  if (context_.has_place(result)) store(result, position, sum);
  write_from(2, position);
}

void GroupWriter::compute(const Position& position) {
  known_.clear();
  write_from(0, position);
}

void GroupWriter::compute_all() {
  const int lanes = context_.lanes();
  const std::int64_t length = along_rows() ? group_.rows : group_.columns;
  const std::int64_t lines = along_rows() ? group_.columns : group_.rows;
  // A single line is shared out by its vectors.
  const Share share = context_.share_of_entries;
  const Range own_lines = lines > 1 ? share.of(lines, 1) : Range{0, lines};
  const Range own = lines > 1 ? Range{0, length} : share.of(length, lanes);
  const auto at = [&](const Affine& line, const Affine& start, int active) {
    compute(along_rows() ? Position{start, line, true, lanes, active} : Position{line, start, false, lanes, active});
  };
  context_.builder.loop(own_lines.begin, own_lines.end, 1, [&](const Affine& line) {
    context_.for_each_vector(own, [&](const Affine& start, int active) { at(line, start, active); });
  });
}

}  // namespace gdbench::backends::jit
