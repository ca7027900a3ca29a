#include "implementations/backends/jit/lower/row_blocks.h"

#include <algorithm>

namespace gdbench::backends::jit {

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
  Kind kind_of(const Node& node, const RowBlocks& blocks) const {
    const auto of_batch = [&](ValueId value) { return blocks.batch.contains(value); };
    const auto batches = std::ranges::count_if(node.operands, of_batch);
    if (batches == 0) return Kind::other;
    // What comes after the batch, or is not known before its last row.
    const bool other = std::ranges::any_of(
        node.operands, [&](ValueId value) { return region_[value].role == RegionRole::result && !of_batch(value); });
    if (other) return Kind::unknown;
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
  if (blocks.nodes == 0) return {};
  return blocks;
}

Range share_of_rows(const Share& share, std::int64_t rows, int lanes) {
  return share.of(rows, rows >= share.threads * lanes ? lanes : 1);
}

std::int64_t least_rows_of_a_share(std::int64_t rows, int lanes, int threads) {
  std::int64_t least = rows;
  for (int thread = 0; thread < threads; ++thread) {
    least = std::min(least, share_of_rows({thread, threads}, rows, lanes).size());
  }
  return least;
}

}  // namespace gdbench::backends::jit
