#include "implementations/backends/jit/lower/row_blocks.h"

#include <algorithm>

namespace gdbench::backends::jit {

namespace {

// Where the node's result belongs, if it has to do with the batch. False where it cannot be computed block by block.
bool classify(const Region& region, const Node& node, RowBlocks& blocks) {
  const auto of_batch = [&](ValueId value) { return blocks.batch.contains(value); };
  const auto batches = std::ranges::count_if(node.operands, of_batch);
  if (batches == 0) return true;
  // What comes after the batch, or is not known before its last row.
  const bool other = std::ranges::any_of(
      node.operands, [&](ValueId value) { return region[value].role == RegionRole::result && !of_batch(value); });
  // C0 of a sum over blocks would be added once for each.
  const bool product = node.op() == Op::product;
  if (other || node.op() == Op::update || (product && node.request.beta != 0)) return false;
  const bool sum = node.op() == Op::column_sum || (product && batches == 2);
  (sum ? blocks.sums : blocks.batch).insert(node.result);
  if (!product) return true;
  if (sum) return node.request.transpose_a && !node.request.transpose_b;
  return of_batch(node.operands[0]) && !node.request.transpose_a;
}

bool classify(const Region& region, RowBlocks& blocks) {
  for (ValueId value = 0; value < region.values.size(); ++value) {
    if (!region[value].is_batch()) continue;
    if (blocks.rows != 0 && region[value].rows != blocks.rows) return false;
    if (region[value].first_row != 0) return false;
    blocks.rows = region[value].rows;
    blocks.batch.insert(value);
  }
  return std::ranges::all_of(region.nodes, [&](const Node& node) { return classify(region, node, blocks); });
}

}  // namespace

std::optional<RowBlocks> find_row_blocks(Region& region) {
  RowBlocks blocks;
  if (!classify(region, blocks) || blocks.rows == 0) return {};
  // By iterators: clang 14 does not understand the subranges of libstdc++.
  const auto behind = std::stable_partition(region.nodes.begin(), region.nodes.end(), [&](const Node& node) {
    return blocks.batch.contains(node.result) || blocks.sums.contains(node.result);
  });
  blocks.nodes = static_cast<NodeIndex>(behind - region.nodes.begin());
  if (blocks.nodes == 0) return {};
  return blocks;
}

}  // namespace gdbench::backends::jit
