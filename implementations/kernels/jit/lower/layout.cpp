#include "implementations/kernels/jit/lower/layout.h"

#include <algorithm>

namespace gdbench::kernels::jit {

namespace {

// The sum of a vector's lanes: a shuffle and an addition for each halving. Of as many vectors as there are lanes,
// together, it is about three operations each.
constexpr double kOperationsOfASum = 8;
constexpr double kOperationsOfASumAmongMany = 3;

// Classes that the lowering of softmax keeps in registers.
constexpr std::int64_t kMostClassesInRegisters = 32;

class Costs {
 public:
  Costs(const Region& region, const RowBlocks& blocks, const Target& target)
      : region_(region), blocks_(blocks), lanes_(target.lanes(region.real)) {}

  LayoutCosts run() {
    for (NodeIndex i = 0; i < blocks_.nodes; ++i) add(region_.nodes[i]);
    return costs_;
  }

 private:
  double vectors(std::int64_t length) const { return static_cast<double>((length + lanes_ - 1) / lanes_); }
  // All rows' vectors for one entry of each.
  double rows() const { return static_cast<double>(blocks_.rows); }
  double row_vectors() const { return rows() / static_cast<double>(lanes_); }

  void add(const Node& node) {
    const RegionValue& result = region_[node.result];
    const RegionValue& a = region_[node.operands[0]];
    const auto columns = static_cast<double>(result.columns);
    if (node.op() == Op::product && blocks_.sums.contains(node.result)) {
      const auto entries = static_cast<double>(result.rows) * columns;
      const std::int64_t along = std::max(result.columns, result.columns == 1 ? result.rows : 1);
      const double across = result.columns == 1 ? 1 : static_cast<double>(result.rows);
      costs_.columns_in_lanes += rows() * across * vectors(along);
      costs_.rows_in_lanes += entries * (row_vectors() + kOperationsOfASumAmongMany);
    } else if (node.op() == Op::product) {
      const auto inner = static_cast<double>(a.columns);
      const bool unit = result.columns == 1;
      costs_.columns_in_lanes +=
          rows() * (unit ? vectors(a.columns) + kOperationsOfASum : inner * vectors(result.columns));
      costs_.rows_in_lanes += row_vectors() * inner * columns;
    } else {
      costs_.columns_in_lanes += result.columns == 1 ? row_vectors() : rows() * vectors(result.columns);
      costs_.rows_in_lanes += row_vectors() * columns;
    }
  }

  const Region& region_;
  const RowBlocks& blocks_;
  int lanes_;
  LayoutCosts costs_;
};

}  // namespace

LayoutCosts layout_costs(const Region& region, const RowBlocks& blocks, const Target& target) {
  return Costs(region, blocks, target).run();
}

bool can_have_rows_in_lanes(const Region& region, const RowBlocks& blocks) {
  const bool inputs = std::ranges::all_of(blocks.batch, [&](ValueId value) {
    return region[value].role == RegionRole::result || region[value].columns == 1 || region.constant_batch;
  });
  const bool softmax = std::ranges::all_of(region.nodes, [&](const Node& node) {
    return node.op() != Op::loss_gradient || node.request.loss != GDBENCH_SOFTMAX_CROSS_ENTROPY ||
           region[node.result].columns <= kMostClassesInRegisters;
  });
  return inputs && softmax;
}

}  // namespace gdbench::kernels::jit
