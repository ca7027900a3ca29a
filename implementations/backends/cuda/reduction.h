// Sums along the rows of a matrix, by blocks that share a tile of columns: each thread adds up every so many rows of
// its column, then the block adds up its threads in a tree. Where one block per tile would be few, the rows are split
// among several, and the last of them to be done adds up what all have left, in their order: the order of additions
// depends on the shape alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "implementations/backends/cuda/launch.h"
#include "implementations/backends/cuda/narrow.h"
#include "implementations/backends/cuda/scratch.h"

namespace gdbench::backends::cuda {

// A node of the tree adds up so many sums, so that it takes few phases; kTreePhases of them are enough for a block.
constexpr int kFanIn = 8;
constexpr int kTreePhases = 3;
static_assert(kFanIn * kFanIn * kFanIn >= kBlockThreads);
// Terms of a thread's sum that are read at a time. A load from the second-level cache takes some 280 cycles.
constexpr int kInFlight = 8;
// As many blocks as keep all multiprocessors of a large device busy, by two each.
constexpr std::int64_t kEnoughBlocks = 256;

// Entries that lie at the same distance from each other, as operands.
template <class Number>
struct Line {
  using T = SumOf<Number>;
  const T* first;
  std::int64_t distance;
  GDBENCH_HOST_DEVICE Line from(std::int64_t i) const { return {first + i * distance, distance}; }
  GDBENCH_HOST_DEVICE Line every(std::int64_t stride) const { return {first, distance * stride}; }
  GDBENCH_HOST_DEVICE T operator()(int i) const { return as_operand<Number>(first[i * distance]); }
};

// sum + the next terms of `left`, in their order: `n` of them, or less. They are all read, the last one several times
// where there are less, because a load that depends on a condition would wait for those before it.
template <int n, class Sum, class Terms>
GDBENCH_HOST_DEVICE Sum with_terms(Sum sum, const Terms& left, int count) {
  Sum next[n];
  for (int i = 0; i < n; ++i) next[i] = left(i < count ? i : count - 1);
  for (int i = 0; i < n; ++i) sum = i < count ? sum + next[i] : sum;
  return sum;
}
// The same where there are at most `most`, of which no more than half are read in vain.
template <int most, class Sum, class Terms>
GDBENCH_HOST_DEVICE Sum with_last_terms(Sum sum, const Terms& left, int count) {
  if constexpr (most > 1) {
    if (count <= most / 2) return with_last_terms<most / 2>(sum, left, count);
  }
  return count > 0 ? with_terms<most>(sum, left, count) : sum;
}

// The sum of terms i = first, first + stride, ... below `count`, in this order.
template <class Sum, class Terms>
GDBENCH_HOST_DEVICE Sum sum_of_terms(const Terms& terms, std::int64_t first, std::int64_t stride, std::int64_t count) {
  Terms left = terms.from(first).every(stride);
  Sum sum = 0;
  std::int64_t at = first;
  for (; at + (kInFlight - 1) * stride < count; at += kInFlight * stride) {
    sum = with_terms<kInFlight>(sum, left, kInFlight);
    left = left.from(kInFlight);
  }
  const auto rest = static_cast<unsigned>(at < count ? count - at + stride - 1 : 0) / static_cast<unsigned>(stride);
  return with_last_terms<kInFlight>(sum, left, static_cast<int>(rest));
}

// How a matrix [rows, columns] is shared out: `width` columns and kBlockThreads / width rows to a block at a time.
struct ReductionShape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  int width = 1;  // a power of two, at most 32
  std::int64_t tiles = 1;
  std::int64_t splits = 1;  // blocks that share the rows of a tile of columns

  GDBENCH_HOST_DEVICE int height() const { return kBlockThreads / width; }
  std::int64_t blocks() const { return tiles * splits; }
};

// Narrow tiles, down to a sector of memory, then splits, until there are enough blocks or a thread has so few terms
// that more blocks would gain nothing.
inline ReductionShape reduction_of(std::int64_t rows, std::int64_t columns) {
  constexpr int kWidest = 32;
  constexpr int kNarrowest = 8;
  constexpr std::int64_t kMaxSplits = 256;
  ReductionShape shape{.rows = rows, .columns = columns};
  const auto tiles = [&] { return (columns + shape.width - 1) / shape.width; };
  while (shape.width < kWidest && shape.width < columns) shape.width *= 2;
  while (shape.width > kNarrowest && tiles() < kEnoughBlocks) shape.width /= 2;
  shape.tiles = tiles();
  const std::int64_t worth = rows / (shape.height() * 2 * kInFlight);
  const std::int64_t wanted = (kEnoughBlocks + shape.tiles - 1) / shape.tiles;
  shape.splits = std::clamp<std::int64_t>(std::min(worth, wanted), 1, kMaxSplits);
  return shape;
}

// Whether the block that calls this, by one of its threads, is the last of `blocks` to do so. What all of them wrote
// before is then there to be read. The counter is 0 before the first block and after the last one.
GDBENCH_HOST_DEVICE inline bool is_last_to_arrive(unsigned* counter, std::int64_t blocks) {
#ifdef __CUDA_ARCH__
  __threadfence();
  const bool last = atomicAdd(counter, 1U) + 1 == static_cast<unsigned>(blocks);
  __threadfence();
#else
  const bool last = ++*counter == static_cast<unsigned>(blocks);
#endif
  if (last) *counter = 0;
  return last;
}

// Sum over rows i of the terms of column j, terms.of_column(j), for every j, given to result(j, sum). result.fetch(j)
// says before that it will be.
template <class Sum, class Terms, class Result>
struct ColumnReduction {
  // A round: the sums of threads, the tree, and what becomes of its sums. Where rows are split, the last block has a
  // second one over what the blocks have left.
  static constexpr int kRound = kTreePhases + 2;
  static constexpr int kArrival = kRound;
  static constexpr int kPhases = kRound + 1 + kRound;
  struct Shared {
    Sum sums[kBlockThreads];
    bool last;
  };

  ReductionShape shape;
  Terms terms;
  Result result;
  Sum* partials = nullptr;       // [splits, columns], where there are several
  unsigned* arrivals = nullptr;  // [tiles], likewise

  GDBENCH_HOST_DEVICE bool ends_after(int phase, const Shared& shared) const {
    return (phase == kRound - 1 && shape.splits == 1) || (phase == kArrival && !shared.last);
  }

  GDBENCH_HOST_DEVICE void run(int phase, std::int64_t block, int thread, Shared& shared) const {
    const std::int64_t split = block / shape.tiles;
    const std::int64_t tile = block - split * shape.tiles;
    const int row = thread / shape.width;
    const std::int64_t column = tile * shape.width + thread % shape.width;
    const bool first_round = phase < kRound;
    const int part = first_round ? phase : phase - kArrival - 1;
    if (phase == kArrival) {
      if (thread == 0) shared.last = is_last_to_arrive(arrivals + tile, shape.splits);
    } else if (part == 0) {
      if constexpr (requires { result.fetch(column); }) {
        if (row == 0 && column < shape.columns) result.fetch(column);
      }
      shared.sums[thread] = column >= shape.columns ? Sum(0)
                            : first_round           ? sum_of_rows(split * shape.height() + row, column)
                                                    : sum_of_partials(row, column);
    } else if (part <= kTreePhases) {
      add_up(part, row, thread % shape.width, shared.sums);
    } else if (row == 0 && column < shape.columns) {
      if (first_round && shape.splits > 1) {
        partials[split * shape.columns + column] = shared.sums[thread];
      } else {
        result(column, shared.sums[thread]);
      }
    }
  }

 private:
  // A thread's part of a column.
  GDBENCH_HOST_DEVICE Sum sum_of_rows(std::int64_t first, std::int64_t column) const {
    return sum_of_terms<Sum>(terms.of_column(column), first, shape.splits * shape.height(), shape.rows);
  }
  GDBENCH_HOST_DEVICE Sum sum_of_partials(int first, std::int64_t column) const {
    return sum_of_terms<Sum>(Line<Sum>{partials + column, shape.columns}, first, shape.height(), shape.splits);
  }

  // Of the rows that phase `part` of the tree finds, the first ones take in every so many of the others.
  GDBENCH_HOST_DEVICE void add_up(int part, int row, int column, Sum* sums) const {
    int rows = shape.height();
    for (int i = 1; i < part; ++i) rows = rows > kFanIn ? rows / kFanIn : 1;
    const int left = rows > kFanIn ? rows / kFanIn : 1;
    if (row >= left) return;
    Sum sum = sums[row * shape.width + column];
    for (int i = 1; i < kFanIn; ++i) {
      const int other = row + i * left;
      if (other < rows) sum += sums[other * shape.width + column];
    }
    sums[row * shape.width + column] = sum;
  }
};

// The entries of a matrix that lies in rows.
template <class Number>
struct MatrixTerms {
  const SumOf<Number>* matrix;
  std::int64_t columns;
  GDBENCH_HOST_DEVICE Line<Number> of_column(std::int64_t column) const { return {matrix + column, columns}; }
};

template <class T>
struct StoreColumn {
  T* sums;
  GDBENCH_HOST_DEVICE void operator()(std::int64_t column, T sum) const { sums[column] = sum; }
};

// A reduction that is launched any number of times on one stream, and what its blocks leave for each other.
template <class Sum>
class Reduction {
 public:
  // Throws as Scratch does.
  Reduction(std::int64_t rows, std::int64_t columns, cudaStream_t stream) : shape_(reduction_of(rows, columns)) {
    if (shape_.splits == 1) return;
    partials_ = Scratch(sizeof(Sum) * static_cast<std::size_t>(shape_.splits * columns));
    arrivals_ = Scratch(sizeof(unsigned) * static_cast<std::size_t>(shape_.tiles), stream);
  }

  template <class Terms, class Result>
  void launch(cudaStream_t stream, const Terms& terms, const Result& result) const {
    launch_blocks(stream, shape_.blocks(),
                  ColumnReduction<Sum, Terms, Result>{shape_, terms, result, partials_.template as<Sum>(),
                                                      arrivals_.template as<unsigned>()});
  }

 private:
  ReductionShape shape_;
  Scratch partials_;
  Scratch arrivals_;
};

}  // namespace gdbench::backends::cuda
