// Sums along the rows of a matrix, by blocks that share a tile of columns: each thread adds up every so many rows of
// its column, then the block adds up its threads in a tree. Where one block per tile would be few, the rows are split
// among several, whose sums a second launch adds up. The order of additions depends on the shape alone.
#pragma once

#include <algorithm>
#include <cstdint>

#include "implementations/backends/cuda/launch.h"

namespace gdbench::backends::cuda {

// Phases of a tree over kBlockThreads values, and the two around it.
constexpr int kTreePhases = 8;
static_assert(1 << kTreePhases == kBlockThreads);
// Terms of a thread's sum that are read at a time.
constexpr int kInFlight = 8;

// How a matrix [rows, columns] is shared out: `width` columns and kBlockThreads / width lanes of rows to a block.
struct ReductionShape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  int width = 1;            // a power of two, at most 32
  std::int64_t splits = 1;  // blocks that share the rows of a tile of columns

  GDBENCH_HOST_DEVICE int lanes() const { return kBlockThreads / width; }
  GDBENCH_HOST_DEVICE std::int64_t tiles() const { return (columns + width - 1) / width; }
  std::int64_t blocks() const { return tiles() * splits; }
};

// `split_rows`: where there are more, several blocks share them.
inline ReductionShape reduction_of(std::int64_t rows, std::int64_t columns, std::int64_t split_rows) {
  ReductionShape shape{rows, columns, 1, 1};
  while (shape.width < 32 && shape.width < columns) shape.width *= 2;
  constexpr std::int64_t kMaxSplits = 256;
  shape.splits = std::clamp<std::int64_t>((rows + split_rows - 1) / split_rows, 1, kMaxSplits);
  return shape;
}

// Sum over rows i of term(i, j) for every column j, as out[split, j] = result(sum, j).
template <class Sum, class Term, class Result>
struct ColumnReduction {
  static constexpr int kPhases = kTreePhases + 2;
  struct Shared {
    Sum sums[kBlockThreads];
  };

  ReductionShape shape;
  Term term;
  Result result;

  GDBENCH_HOST_DEVICE void run(int phase, std::int64_t block, int thread, Shared& shared) const {
    const std::int64_t tile = block % shape.tiles();
    const std::int64_t split = block / shape.tiles();
    const int lane = thread / shape.width;
    const std::int64_t column = tile * shape.width + thread % shape.width;
    if (phase == 0) {
      const std::int64_t first = split * shape.lanes() + lane;
      shared.sums[thread] = column < shape.columns ? sum_from(first, column) : 0;
      return;
    }
    if (phase <= kTreePhases) {
      const int half = shape.lanes() >> phase;  // 0 once the lanes are added up
      if (lane < half) shared.sums[thread] += shared.sums[thread + half * shape.width];
      return;
    }
    if (lane == 0 && column < shape.columns) result(split, column, shared.sums[thread]);
  }

  // A thread's part of a column. A load from the second-level cache takes some 280 cycles: kInFlight terms are read
  // before the first of them is added, in the same order as one after the other.
  GDBENCH_HOST_DEVICE Sum sum_from(std::int64_t first, std::int64_t column) const {
    const std::int64_t stride = shape.splits * shape.lanes();
    Sum sum = 0;
    std::int64_t row = first;
    for (; row + (kInFlight - 1) * stride < shape.rows; row += kInFlight * stride) {
      Sum terms[kInFlight];
      for (int i = 0; i < kInFlight; ++i) terms[i] = term(row + i * stride, column);
      for (int i = 0; i < kInFlight; ++i) sum += terms[i];
    }
    for (; row < shape.rows; row += stride) sum += term(row, column);
    return sum;
  }
};

template <class Sum, class Term, class Result>
void launch_reduction(cudaStream_t stream, const ReductionShape& shape, const Term& term, const Result& result) {
  launch_blocks(stream, shape.blocks(), ColumnReduction<Sum, Term, Result>{shape, term, result});
}

// For a first launch whose splits a second one adds up.
template <class Sum>
struct StorePartial {
  Sum* partials;
  std::int64_t columns;
  GDBENCH_HOST_DEVICE void operator()(std::int64_t split, std::int64_t column, Sum sum) const {
    partials[split * columns + column] = sum;
  }
};

// The entries of a matrix that lies in rows.
template <class T>
struct MatrixTerm {
  const T* matrix;
  std::int64_t columns;
  GDBENCH_HOST_DEVICE T operator()(std::int64_t row, std::int64_t column) const {
    return matrix[row * columns + column];
  }
};

// The whole reduction in one or two launches. `partials` has room for splits x columns sums, and is not used for one.
template <class Sum, class Term, class Result>
void reduce(cudaStream_t stream, const ReductionShape& shape, Sum* partials, const Term& term, const Result& result) {
  if (shape.splits == 1) {
    launch_reduction<Sum>(stream, shape, term, result);
    return;
  }
  launch_reduction<Sum>(stream, shape, term, StorePartial<Sum>{partials, shape.columns});
  const ReductionShape second = reduction_of(shape.splits, shape.columns, shape.splits);
  launch_reduction<Sum>(stream, second, MatrixTerm<Sum>{partials, shape.columns}, result);
}

}  // namespace gdbench::backends::cuda
