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

  // An update writes: whoever else reads the parameter or its slots must have done so in a group before.
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

}  // namespace

std::vector<Group> make_groups(const Region& region, NodeIndex first, NodeIndex last, const Fusion& fusion) {
  return Grouping(region, first, last).make(fusion);
}

}  // namespace gdbench::backends::jit
