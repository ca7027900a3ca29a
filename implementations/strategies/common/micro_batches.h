// Gradient accumulation: the parts in which a batch is processed (gdbench_problem.micro_batches).
#pragma once

#include <cstdint>
#include <vector>

namespace gdbench::strategies {

// Consecutive rows of a batch. The batch's mean loss is the sum over its parts of weight times their mean loss.
struct MicroBatch {
  std::int64_t first = 0;
  std::int64_t rows = 0;
  double weight = 1;  // its part of the batch's rows
};

// `rows` in `count` parts, none of them empty: fewer than `count` where there are fewer rows.
std::vector<MicroBatch> micro_batches(std::int64_t rows, std::int64_t count);

// Rows of the largest part.
inline std::int64_t largest_micro_batch(std::int64_t rows, std::int64_t count) { return (rows + count - 1) / count; }

}  // namespace gdbench::strategies
