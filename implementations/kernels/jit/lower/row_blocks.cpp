#include "implementations/kernels/jit/lower/row_blocks.h"

#include <algorithm>

namespace gdbench::kernels::jit {

namespace {

enum class Kind { batch, sum, other, unknown };

class Classification {
 public:
  explicit Classification(const Region& region) : region_(region) {}

  bool run(RowBlocks& blocks) {
    for (ValueId value = 0; value < region_.values.size(); ++value) {
      if (region_[value].role != RegionRole::x && region_[value].role != RegionRole::targets) continue;
      if (blocks.rows != 0 && region_[value].rows != blocks.rows) return false;
      if (region_[value].first_row != 0) return false;
      blocks.rows = region_[value].rows;
      blocks.batch.insert(value);
    }
    for (const Node& node : region_.nodes) {
      switch (kind_of(node, blocks)) {
        case Kind::batch:
          blocks.batch.insert(node.result);
          break;
        case Kind::sum:
          blocks.sums.insert(node.result);
          break;
        case Kind::other:
          break;
        case Kind::unknown:
          return false;
      }
    }
    return true;
  }

 private:
  static Kind kind_of(const Node& node, const RowBlocks& blocks) {
    const auto of_batch = [&](ValueId value) { return blocks.batch.contains(value); };
    const auto batches = std::ranges::count_if(node.operands, of_batch);
    if (batches == 0) return Kind::other;
    switch (node.op()) {
      case Op::product:
        // C0 of a sum over blocks would be added once for each.
        if (node.request.beta != 0) return Kind::unknown;
        if (batches == 2) return node.request.transpose_a && !node.request.transpose_b ? Kind::sum : Kind::unknown;
        return of_batch(node.operands[0]) && !node.request.transpose_a ? Kind::batch : Kind::unknown;
      case Op::column_sum:
        return Kind::sum;
      case Op::update:
        return Kind::unknown;
      default:
        return Kind::batch;
    }
  }

  const Region& region_;
};

}  // namespace

std::optional<RowBlocks> find_row_blocks(Region& region) {
  RowBlocks blocks;
  if (!Classification(region).run(blocks) || blocks.rows == 0) return {};
  const auto behind = std::ranges::stable_partition(region.nodes, [&](const Node& node) {
    return blocks.batch.contains(node.result) || blocks.sums.contains(node.result);
  });
  blocks.nodes = static_cast<NodeIndex>(behind.begin() - region.nodes.begin());
  return blocks;
}

std::int64_t rows_of_a_block(const Region& region, const RowBlocks& blocks) {
  // Half of what the caches of most processors hold.
  constexpr std::int64_t kFirstCache = 24 << 10;
  constexpr std::int64_t kSecondCache = 512 << 10;
  constexpr std::int64_t kLeastRows = 16;
  constexpr std::int64_t kRowsForLargeParameters = 64;
  const auto element = static_cast<std::int64_t>(bytes_of(region.real));
  std::int64_t row_bytes = 0;
  std::int64_t parameter_bytes = 0;
  for (ValueId value = 0; value < region.values.size(); ++value) {
    if (blocks.batch.contains(value)) row_bytes += region[value].columns * element;
    if (region[value].role == RegionRole::parameter) {
      parameter_bytes += region[value].rows * region[value].columns * element;
    }
  }
  const bool large_parameters = parameter_bytes > kFirstCache;
  if (blocks.rows * row_bytes <= (large_parameters ? kSecondCache : kFirstCache)) return blocks.rows;
  std::int64_t rows = std::max(kFirstCache / row_bytes, large_parameters ? kRowsForLargeParameters : kLeastRows);
  rows = std::min(rows / kLeastRows * kLeastRows, blocks.rows);
  return rows;
}

}  // namespace gdbench::kernels::jit
