// A batch in blocks of rows that stay in the caches from the first layer to the last and back. What is summed over rows
// is summed over blocks; everything else of a step, the updates, follows the last block.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "implementations/backends/jit/lower/context.h"

namespace gdbench::backends::jit {

struct RowBlocks {
  std::set<ValueId> batch;  // values with a row for each row of the batch
  std::set<ValueId> sums;   // what is summed over the rows
  NodeIndex nodes = 0;      // so many nodes, the first ones, are the batch's
  std::int64_t rows = 0;    // of the batch
};

// A product whose rows are the batch's; the gradient of weights, which sums over them.
inline bool is_batch_product(const RowBlocks& blocks, const Node& node) {
  return node.op() == Op::product && blocks.batch.contains(node.result);
}
inline bool is_gradient(const RowBlocks& blocks, const Node& node) {
  return node.op() == Op::product && blocks.sums.contains(node.result);
}

// Puts the batch's nodes first. Nothing where a step does not have that form: a batch in several parts, a product of
// two batches that does not sum over rows.
std::optional<RowBlocks> find_row_blocks(Region& region);

}  // namespace gdbench::backends::jit
