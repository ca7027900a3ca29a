#include "implementations/kernels/jit/lower/row_blocks.h"

#include <algorithm>

namespace gdbench::kernels::jit {

namespace {

// Half of what the caches of most processors hold, or somewhat more.
constexpr std::int64_t kFirstCache = 24 << 10;
constexpr std::int64_t kSecondCache = 512 << 10;

std::int64_t bytes_of_a_row(const Region& region, const RowBlocks& blocks) {
  std::int64_t columns = 0;
  for (const ValueId value : blocks.batch) columns += region[value].columns;
  return columns * static_cast<std::int64_t>(bytes_of(region.real));
}

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

std::int64_t rows_of_a_block(const Region& region, const RowBlocks& blocks) {
  constexpr std::int64_t kLeastRows = 16;
  constexpr std::int64_t kRowsForLargeParameters = 64;
  const auto element = static_cast<std::int64_t>(bytes_of(region.real));
  const std::int64_t row_bytes = bytes_of_a_row(region, blocks);
  std::int64_t parameter_bytes = 0;
  for (const RegionValue& value : region.values) {
    if (value.role == RegionRole::parameter) parameter_bytes += value.rows * value.columns * element;
  }
  const bool large_parameters = parameter_bytes > kFirstCache;
  if (blocks.rows * row_bytes <= (large_parameters ? kSecondCache : kFirstCache)) return blocks.rows;
  std::int64_t rows = std::max(kFirstCache / row_bytes, large_parameters ? kRowsForLargeParameters : kLeastRows);
  rows = std::min(rows / kLeastRows * kLeastRows, blocks.rows);
  return rows;
}

std::int64_t rows_of_a_block_in_lanes(const Region& region, const RowBlocks& blocks, int lanes) {
  // Somewhat more than the first cache: not all values of a block are alive at once. Sums of lanes, one per entry of a
  // gradient and block, want some vectors each.
  constexpr std::int64_t kBytes = 56 << 10;
  constexpr std::int64_t kLeastVectors = 8;
  const std::int64_t rows = std::max(kBytes / bytes_of_a_row(region, blocks), kLeastVectors * lanes);
  return std::min(rows / lanes * lanes, blocks.rows);
}

}  // namespace gdbench::kernels::jit
