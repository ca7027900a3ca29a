#include "implementations/backends/jit/lower/sum_epilogues.h"

#include <algorithm>
#include <deque>

namespace gdbench::backends::jit {
namespace {

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
      : context_(context), region_(context.region), groups_(groups), group_of_(region_.nodes.size(), kNowhere) {
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
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

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

  // Its operands are there, and whoever reads what it updates has done so.
  bool may_move(const Node& node, const Group& own, std::size_t first) const {
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      const auto producer = region_.producer(node.operands[i]);
      const bool inside = producer && std::ranges::find(own.nodes, *producer) != own.nodes.end();
      if (producer && !inside && group_of_[*producer] != kNowhere && group_of_[*producer] > first) return false;
      if (node.op() != Op::update || i < kUpdatedParameter) continue;
      for (const NodeIndex reader : region_.readers(node.operands[i])) {
        if (&region_.nodes[reader] != &node && group_of_[reader] != kNowhere && group_of_[reader] > first) return false;
      }
    }
    return true;
  }

  const Context& context_;
  const Region& region_;
  const std::vector<Group>& groups_;
  std::vector<std::size_t> group_of_;  // by node
};

class ColumnPass {
 public:
  ColumnPass(Context& context, const Group& group, const std::vector<Group>& sums)
      : context_(context), builder_(context.builder), writer_(context, group), group_(group) {
    for (const Group& sum : sums) sums_.emplace_back(context, sum);
  }

  void run() {
    context_.for_each_vector({0, group_.columns}, [&](const Affine& column, int active) { pass(column, active); });
  }

 private:
  // All rows of a vector of columns.
  void pass(const Affine& column, int active) {
    const int lanes = context_.lanes();
    const Register right = right_entries(column, active);
    SumChains chains(context_, static_cast<std::int64_t>(sums_.size()), group_.rows, 1);
    chains.for_each_unit([&](std::int64_t chain, const Affine& row, int /*rows*/) {
      const Position position{row, column, false, lanes, active};
      const Register entry = splat_of(writer_.root().operands[0], position);
      writer_.finish(position, scaled(writer_.root().request, builder_.multiply(entry, right)));
      for (std::size_t i = 0; i < sums_.size(); ++i) {
        const VariableId sum = chains.at(chain, static_cast<std::int64_t>(i));
        builder_.set(sum, added(sums_[i].root(), position, entry, builder_.get(sum)));
      }
    });
    const std::vector<Register> totals = chains.totals();
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const Node& root = sums_[i].root();
      const bool column_sum = root.op() == Op::column_sum;
      const Position position =
          column_sum ? Position{0, column, false, lanes, active} : Position{column, 0, true, lanes, active};
      sums_[i].finish(position, scaled(root.request, totals[i]));
    }
  }

  // Of the row that the root's column is multiplied by.
  Register right_entries(const Affine& column, int active) {
    const Matrix& place = context_.place(writer_.root().operands[1]);
    const Matrix row = writer_.root().request.transpose_b ? place.transposed() : place;
    return builder_.load(row.at(0, column), context_.lanes(), row.padded ? context_.lanes() : active);
  }

  // `entry` of the root's column, in all lanes, is what most sums multiply by.
  Register added(const Node& sum, const Position& position, Register entry, Register before) {
    const Register entries = writer_.value_at(sum.operands[0], position);
    if (sum.op() == Op::column_sum) return builder_.add(before, entries);
    const bool same = sum.operands[1] == writer_.root().operands[0];
    const Register factor = same ? entry : splat_of(sum.operands[1], position);
    return builder_.multiply_add(entries, factor, before);
  }

  // The row's entry of a column.
  Register splat_of(ValueId column, const Position& position) {
    return builder_.splat(builder_.load(context_.place(column).at(position.row, 0), 1), position.lanes);
  }

  Register scaled(const Request& request, Register value) {
    const bool product = request.op == Op::product && request.alpha != 1;
    return product ? builder_.multiply(value, context_.real_number(request.alpha, context_.lanes())) : value;
  }

  Context& context_;
  Builder& builder_;
  GroupWriter writer_;
  const Group& group_;
  std::deque<GroupWriter> sums_;
};

}  // namespace

SumEpilogues find_sum_epilogues(const Context& context, const std::vector<Group>& groups) {
  return Search(context, groups).run();
}

void lower_with_sums(Context& context, const Group& group, const std::vector<Group>& sums) {
  ColumnPass(context, group, sums).run();
}

}  // namespace gdbench::backends::jit
