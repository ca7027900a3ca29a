#include "implementations/backends/jit/region/hoist.h"

#include <algorithm>
#include <vector>

#include "implementations/backends/common/rules/losses.h"

namespace gdbench::backends::jit {
namespace {

// The nodes of P = X W + b and of its error.
struct Regression {
  ValueId x = 0;
  ValueId weights = 0;
  std::optional<ValueId> bias;
  ValueId targets = 0;
  ValueId error = 0;  // the loss's gradient with respect to P
  double factor = 0;  // c: of P - Y in it
};

const Node* producer_of(const Region& region, ValueId value) {
  const auto index = region.producer(value);
  return index ? &region.nodes[*index] : nullptr;
}

bool is_plain_product(const Request& request) {
  return !request.transpose_a && !request.transpose_b && request.alpha == 1 && request.beta == 0;
}

std::optional<Regression> find_regression(const Region& region) {
  const auto is_error = [](const Node& node) {
    return node.op() == Op::loss_gradient && is_squared_error(node.request.loss);
  };
  if (std::ranges::count_if(region.nodes, is_error) != 1) return {};
  const Node& loss = *std::ranges::find_if(region.nodes, is_error);
  Regression found;
  found.error = loss.result;
  found.targets = loss.operands[1];
  found.factor = loss.request.alpha * loss_scale(loss.request);
  const Node* outputs = producer_of(region, loss.operands[0]);
  if (outputs != nullptr && outputs->op() == Op::add_bias) {
    found.bias = outputs->operands[0];
    outputs = producer_of(region, outputs->operands[1]);
  }
  if (outputs == nullptr || outputs->op() != Op::product || !is_plain_product(outputs->request)) return {};
  found.x = outputs->operands[0];
  found.weights = outputs->operands[1];
  const bool inputs = region[found.x].role == RegionRole::x && region[found.weights].role == RegionRole::parameter;
  return inputs ? std::optional(found) : std::nullopt;
}

class Hoisting {
 public:
  Hoisting(Region& region, const Regression& regression) : region_(region), regression_(regression) {}

  // False where something else reads the error.
  bool run() {
    std::vector<Node> nodes;
    for (const Node& node : region_.nodes) {
      if (node.op() == Op::update) {
        nodes.push_back(node);
      } else if (std::ranges::find(node.operands, regression_.error) != node.operands.end()) {
        if (!rewrite(node, nodes)) return false;
      }
    }
    region_.nodes = std::move(nodes);
    return true;
  }

 private:
  bool rewrite(const Node& node, std::vector<Node>& nodes) {
    if (node.op() == Op::column_sum) {
      gradient(node.result, {}, nodes);
      return true;
    }
    const bool of_weights = node.op() == Op::product && node.request.transpose_a && !node.request.transpose_b &&
                            node.request.alpha == 1 && node.request.beta == 0 && node.operands[0] == regression_.x;
    if (of_weights) gradient(node.result, regression_.x, nodes);
    return of_weights;
  }

  // c L'(X W + 1 b - Y), where L is X or a column of ones: a sum that starts at -c L'Y.
  void gradient(ValueId result, std::optional<ValueId> left, std::vector<Node>& nodes) {
    const double factor = regression_.factor;
    const ValueId start = constant({left, regression_.targets, -factor});
    const ValueId by_weights = regression_.bias ? add_result(result) : result;
    nodes.push_back(product(constant({left, regression_.x, factor}), regression_.weights, start, by_weights));
    if (regression_.bias) {
      nodes.push_back(product(constant({left, {}, factor}), *regression_.bias, by_weights, result));
    }
  }

  std::int64_t columns_of(std::optional<ValueId> side) const { return side ? region_[*side].columns : 1; }

  ValueId constant(const HoistedProduct& hoisted) {
    Value value;
    value.rows = columns_of(hoisted.left);
    value.columns = columns_of(hoisted.right);
    value.hoisted = hoisted;
    region_.values.push_back(value);
    return static_cast<ValueId>(region_.values.size() - 1);
  }

  ValueId add_result(ValueId like) {
    Value value;
    value.rows = region_[like].rows;
    value.columns = region_[like].columns;
    region_.values.push_back(value);
    return static_cast<ValueId>(region_.values.size() - 1);
  }

  // A B + C0
  Node product(ValueId a, ValueId b, ValueId before, ValueId result) const {
    Node node;
    node.request.op = Op::product;
    node.request.dtype = region_.nodes.front().request.dtype;
    node.request.beta = 1;
    node.operands = {a, b, before};
    node.result = result;
    node.request.operand_count = node.operands.size();
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      const Value& operand = region_[node.operands[i]];
      node.request.operands[i] = {operand.rows, operand.columns};
    }
    return node;
  }

  Region& region_;
  Regression regression_;
};

}  // namespace

bool hoist(Region& region) {
  if (!region.constant_batch) return false;
  const std::optional<Regression> regression = find_regression(region);
  if (!regression) return false;
  Region rewritten = region;
  if (!Hoisting(rewritten, *regression).run()) return false;
  region = std::move(rewritten);
  return true;
}

}  // namespace gdbench::backends::jit
