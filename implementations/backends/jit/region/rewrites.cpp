#include "implementations/backends/jit/region/rewrites.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "implementations/backends/common/rules/losses.h"
#include "implementations/backends/common/rules/updates.h"

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
  if (outputs == nullptr || !outputs->is_plain_product(false)) return {};
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
    for (const Node& node : std::exchange(region_.nodes, {})) {
      if (node.op() == Op::update) {
        region_.nodes.push_back(node);
      } else if (std::ranges::find(node.operands, regression_.error) != node.operands.end()) {
        if (!rewrite(node)) return false;
      }
    }
    return true;
  }

 private:
  bool rewrite(const Node& node) {
    if (node.op() == Op::column_sum) {
      gradient(node, {});
      return true;
    }
    const bool of_weights = node.is_plain_product(true) && node.operands[0] == regression_.x;
    if (of_weights) gradient(node, regression_.x);
    return of_weights;
  }

  // c L'(X W + 1 b - Y), where L is X or a column of ones: a sum that starts at -c L'Y.
  void gradient(const Node& node, std::optional<ValueId> left) {
    const double factor = regression_.factor;
    Request request;  // A B + C0
    request.dtype = node.request.dtype;
    request.beta = 1;
    const ValueId start = constant({left, regression_.targets, -factor});
    ValueId by_weights = node.result;
    if (regression_.bias) {
      Value part;
      part.rows = region_[node.result].rows;
      part.columns = region_[node.result].columns;
      by_weights = region_.add_value(part);
    }
    region_.add_node(request, {constant({left, regression_.x, factor}), regression_.weights, start}, by_weights);
    if (!regression_.bias) return;
    region_.add_node(request, {constant({left, {}, factor}), *regression_.bias, by_weights}, node.result);
  }

  std::int64_t columns_of(std::optional<ValueId> side) const { return side ? region_[*side].columns : 1; }

  ValueId constant(const HoistedProduct& hoisted) {
    Value value;
    value.rows = columns_of(hoisted.left);
    value.columns = columns_of(hoisted.right);
    value.hoisted = hoisted;
    return region_.add_value(value);
  }

  Region& region_;
  Regression regression_;
};

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
    case Op::scale_columns:
    case Op::normalize_gradient:
      return !is_scaled(0) && is_scaled(1);
    case Op::multiply:
      return is_scaled(0) != is_scaled(1);
    case Op::combine:
      return !node.rounds &&
             std::ranges::all_of(node.operands, [&](ValueId operand) { return scaled.contains(operand); });
    default:
      return false;
  }
}

// How many of the node's operands, the first ones, are rounded before.
std::size_t count_of_rounded(const Node& node) {
  switch (node.op()) {
    case Op::product:
      return 2;
    case Op::activation_gradient:
    case Op::column_sum:
      return 1;
    default:
      return 0;
  }
}

class Rounding {
 public:
  explicit Rounding(Region& region) : region_(region) {}

  // Of the values for which `chosen` is true.
  template <class Chosen>
  void run(const Chosen& chosen) {
    for (Node& node : std::exchange(region_.nodes, {})) {
      for (std::size_t i = 0; i < count_of_rounded(node); ++i) {
        if (chosen(node.operands[i])) node.operands[i] = rounded(node.operands[i], node.request.dtype);
      }
      region_.nodes.push_back(std::move(node));
    }
  }

 private:
  ValueId rounded(ValueId value, Dtype dtype) {
    const auto [known, is_new] = rounded_.emplace(value, value);
    if (!is_new) return known->second;
    switch (region_[value].role) {
      case RegionRole::x:  // which no node reads otherwise
        region_.values[value].rounded = true;
        break;
      case RegionRole::parameter: {
        Value copy = region_[value];
        copy.rounded = true;
        known->second = region_.add_value(copy);
        break;
      }
      default:
        known->second = by_node(value, dtype);
    }
    return known->second;
  }

  ValueId by_node(ValueId value, Dtype dtype) {
    Value result;
    result.rows = region_[value].rows;
    result.columns = region_[value].columns;
    Request copy;
    copy.op = Op::combine;
    copy.dtype = dtype;
    const ValueId id = region_.add_value(result);
    region_.add_node(copy, {value}, id);
    region_.nodes.back().rounds = true;
    return id;
  }

  Region& region_;
  std::map<ValueId, ValueId> rounded_;
};

}  // namespace

void round_operands(Region& region) {
  Rounding(region).run([](ValueId) { return true; });
  region.mixed = false;
}

void round_what_tells_slopes(Region& region) {
  std::set<ValueId> telling;
  for (const Node& node : region.nodes) {
    const bool tells = node.op() == Op::activation_gradient &&
                       catalogue::row_of(node.request.activation).slope == catalogue::Slope::varies;
    if (tells) telling.insert(node.operands[0]);
  }
  Rounding(region).run([&](ValueId value) { return telling.contains(value); });
}

bool hoist(Region& region) {
  if (!region.constant_batch) return false;
  const std::optional<Regression> regression = find_regression(region);
  if (!regression) return false;
  Region rewritten = region;
  if (!Hoisting(rewritten, *regression).run()) return false;
  region = std::move(rewritten);
  return true;
}

void sink_gradients(Region& region) {
  const auto is_late = [&](const Node& node) {
    const std::vector<NodeIndex> readers = region.readers(node.result);
    const auto is_update = [&](NodeIndex reader) { return region.nodes[reader].op() == Op::update; };
    return node.op() == Op::update || (!readers.empty() && std::ranges::all_of(readers, is_update));
  };
  std::vector<Node> nodes;
  for (const bool wanted : {false, true}) {
    std::ranges::copy_if(region.nodes, std::back_inserter(nodes),
                         [&](const Node& node) { return is_late(node) == wanted; });
  }
  region.nodes = std::move(nodes);
}

bool is_unit_product(const Region& region, const Node& node) {
  return node.is_plain_product(true) && region[node.operands[0]].rows == 1;
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
    if (node.keeps_gradient() || !is_plain_descent(node) || !scaled.contains(gradient)) return 0;
    const Node& producer = region.nodes[*region.producer(gradient)];
    saves = saves || is_unit_product(region, producer);
    ++updates;
  }
  if (!saves) return 0;
  region.gradients_descend = true;
  return updates;
}

}  // namespace gdbench::backends::jit
