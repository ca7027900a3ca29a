#include "implementations/backends/jit/lower/groups.h"

#include <algorithm>
#include <optional>

namespace gdbench::backends::jit {

bool is_elementwise(const Node& node) {
  switch (node.op()) {
    case Op::add_bias:
    case Op::activation:
    case Op::activation_gradient:
    case Op::combine:
    case Op::multiply:
    case Op::scale_columns:
    case Op::update:
      return true;
    case Op::loss_gradient:
      return !catalogue::row_of(node.request.loss.kind).couples_columns;
    default:
      return false;
  }
}

namespace {

class Grouping {
 public:
  Grouping(const Region& region, NodeIndex first, NodeIndex last)
      : region_(region), first_(first), last_(last), group_of_(region.nodes.size()) {}

  std::vector<Group> make(const Fusion& fusion) {
    for (NodeIndex i = first_; i < last_; ++i) {
      const Node& node = region_.nodes[i];
      const RegionValue& result = region_[node.result];
      const bool may_join = node.op() == Op::update ? fusion.updates : fusion.elementwise;
      const std::optional<std::size_t> joined = may_join ? group_to_join(node) : std::nullopt;
      if (!joined) groups_.push_back({{}, result.rows, result.columns});
      group_of_[i] = joined.value_or(groups_.size() - 1);
      groups_[group_of_[i]].nodes.push_back(i);
    }
    return std::move(groups_);
  }

 private:
  // The last of the groups that compute the node's operands: only there all of them are known.
  std::optional<std::size_t> group_to_join(const Node& node) const {
    if (!is_elementwise(node)) return {};
    std::optional<std::size_t> last;
    for (const ValueId operand : node.operands) {
      const auto producer = region_.producer(operand);
      if (producer && *producer >= first_) last = std::max(last.value_or(0), group_of_[*producer]);
    }
    if (!last || !takes(groups_[*last], node) || !may_write_at(*last, node)) return {};
    return last;
  }

  // Of the root's shape, and read entry by entry: an operand that the group computes must not be a row for all rows.
  bool takes(const Group& group, const Node& node) const {
    const RegionValue& result = region_[node.result];
    if (result.rows != group.rows || result.columns != group.columns) return false;
    return std::ranges::all_of(node.operands, [&](ValueId operand) {
      const auto producer = region_.producer(operand);
      const bool inside = producer && std::ranges::find(group.nodes, *producer) != group.nodes.end();
      return !inside || (region_[operand].rows == group.rows && region_[operand].columns == group.columns);
    });
  }

  // An update writes: other readers of the parameter or its slots must be in groups before.
  bool may_write_at(std::size_t group, const Node& node) const {
    if (node.op() != Op::update) return true;
    for (std::size_t i = kUpdatedParameter; i < node.operands.size(); ++i) {
      for (const NodeIndex reader : region_.readers(node.operands[i])) {
        if (reader >= first_ && &region_.nodes[reader] != &node && group_of_[reader] >= group) return false;
      }
    }
    return true;
  }

  const Region& region_;
  NodeIndex first_;
  NodeIndex last_;
  std::vector<std::size_t> group_of_;  // by node, of those that were seen
  std::vector<Group> groups_;
};

// The product of a column and a row: elementwise work.
bool is_outer_product(const Context& context, const Node& node) {
  if (node.op() != Op::product || node.request.transpose_a || node.request.beta != 0) return false;
  if (context.region[node.operands[0]].columns != 1) return false;
  if (context.region[node.operands[1]].role != RegionRole::parameter) return false;
  const Matrix& right = context.place(node.operands[1]);
  return (node.request.transpose_b ? right.row_stride : right.column_stride) == 1;
}

class Search {
 public:
  Search(const Context& context, const std::vector<Group>& groups)
      : context_(context), region_(context.region), groups_(groups), group_of_(region_.nodes.size(), kNoGroup) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (const NodeIndex node : groups[i].nodes) group_of_[node] = i;
    }
  }

  SumEpilogues run() const {
    SumEpilogues found(groups_.size());
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      if (found.is_taken[i] || !may_take(groups_[i])) continue;
      for (std::size_t j = i + 1; j < groups_.size(); ++j) {
        if (found.is_taken[j] || !is_sum_beside(groups_[j], i)) continue;
        found.taken[i].push_back(j);
        found.is_taken[j] = true;
      }
    }
    return found;
  }

 private:
  static constexpr std::size_t kNoGroup = static_cast<std::size_t>(-1);

  const Node& root_of(const Group& group) const { return region_.nodes[group.nodes.front()]; }

  bool may_take(const Group& group) const {
    const Node& root = root_of(group);
    const bool wide = group.rows > 1 && group.columns > 1 && !context_.in_lanes.contains(root.result);
    return wide && is_outer_product(context_, root);
  }

  // A sum over the rows of a value of the group's shape that is known when group `first` is written.
  bool is_sum_beside(const Group& group, std::size_t first) const {
    const Node& root = root_of(group);
    const bool column_sum = root.op() == Op::column_sum;
    const bool product = root.op() == Op::product && root.request.transpose_a && !root.request.transpose_b &&
                         root.request.beta == 0 && region_[root.operands[1]].columns == 1;
    if (!column_sum && !product) return false;
    const RegionValue& summed = region_[root.operands[0]];
    const Group& host = groups_[first];
    if (summed.rows != host.rows || summed.columns != host.columns) return false;
    if (region_[root.operands[0]].role != RegionRole::result) return false;
    return std::ranges::all_of(group.nodes,
                               [&](NodeIndex node) { return may_move(region_.nodes[node], group, first); });
  }

  // Its operands are there, and readers of what it updates come before.
  bool may_move(const Node& node, const Group& own, std::size_t first) const {
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      const auto producer = region_.producer(node.operands[i]);
      const bool inside = producer && std::ranges::find(own.nodes, *producer) != own.nodes.end();
      if (producer && !inside && group_of_[*producer] != kNoGroup && group_of_[*producer] > first) return false;
      if (node.op() != Op::update || i < kUpdatedParameter) continue;
      for (const NodeIndex reader : region_.readers(node.operands[i])) {
        if (&region_.nodes[reader] != &node && group_of_[reader] != kNoGroup && group_of_[reader] > first) return false;
      }
    }
    return true;
  }

  const Context& context_;
  const Region& region_;
  const std::vector<Group>& groups_;
  std::vector<std::size_t> group_of_;  // by node
};

}  // namespace

std::vector<Group> make_groups(const Region& region, NodeIndex first, NodeIndex last, const Fusion& fusion) {
  return Grouping(region, first, last).make(fusion);
}

SumEpilogues find_sum_epilogues(const Context& context, const std::vector<Group>& groups) {
  return Search(context, groups).run();
}

}  // namespace gdbench::backends::jit
