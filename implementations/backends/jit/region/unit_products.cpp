#include "implementations/backends/jit/region/unit_products.h"

#include <algorithm>
#include <set>

#include "implementations/backends/common/rules/updates.h"

namespace gdbench::backends::jit {
namespace {

bool is_plain_descent(const Node& node) {
  return catalogue::kind_of(*node.request.optimizer) == OptimizerKind::sgd &&
         decay_of(*node.request.optimizer) == Decay::none;
}

// Whether a factor of the loss's gradient is one of the node's result, too, if it is one of `scaled` operands.
bool hands_on(const Node& node, const std::set<ValueId>& scaled) {
  const auto is_scaled = [&](std::size_t operand) { return scaled.contains(node.operands[operand]); };
  switch (node.op()) {
    case Op::loss_gradient:
      return true;
    case Op::product:
      return node.request.beta == 0 && is_scaled(0) != is_scaled(1);
    case Op::column_sum:
      return is_scaled(0);
    case Op::activation_gradient:
      return !is_scaled(0) && is_scaled(1);
    case Op::combine:
      return std::ranges::all_of(node.operands, [&](ValueId operand) { return scaled.contains(operand); });
    default:
      return false;
  }
}

}  // namespace

bool is_unit_product(const Region& region, const Node& node) {
  return node.op() == Op::product && node.request.transpose_a && !node.request.transpose_b && node.request.alpha == 1 &&
         node.request.beta == 0 && region[node.operands[0]].rows == 1;
}

std::size_t drop_sums_of_one_row(Region& region) {
  std::size_t dropped = 0;
  for (NodeIndex i = 0; i < region.nodes.size();) {
    const Node sum = region.nodes[i];
    if (sum.op() != Op::column_sum || region[sum.operands[0]].rows != 1) {
      ++i;
      continue;
    }
    region.nodes.erase(region.nodes.begin() + static_cast<std::ptrdiff_t>(i));
    for (Node& node : region.nodes) std::ranges::replace(node.operands, sum.result, sum.operands[0]);
    ++dropped;
  }
  return dropped;
}

std::size_t fold_rate(Region& region) {
  std::set<ValueId> scaled;
  std::size_t updates = 0;
  bool saves = false;
  for (const Node& node : region.nodes) {
    if (node.op() != Op::update) {
      if (hands_on(node, scaled)) scaled.insert(node.result);
      continue;
    }
    const ValueId gradient = node.operands[0];
    if (!is_plain_descent(node) || !scaled.contains(gradient)) return 0;
    const Node& producer = region.nodes[*region.producer(gradient)];
    saves = saves || is_unit_product(region, producer);
    ++updates;
  }
  if (!saves) return 0;
  region.gradients_descend = true;
  return updates;
}

}  // namespace gdbench::backends::jit
