#include "harness/verify/products.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

namespace gdbench::verify {

namespace {

cpu_set_t processors_of_this_process() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return set;
}

// Read before main, before they are narrowed.
const cpu_set_t kProcessorsAtStart = processors_of_this_process();

// Below, plain loops are as quick: blocks are copied before they are used.
constexpr std::int64_t kSmallProduct = 100'000;  // m k n
constexpr std::int64_t kFewColumns = 4;          // of C, and rows

// Starting a thread takes some 20 us, in which one does half a million operations.
constexpr double kOperationsPerThread = 1e7;

// Rows and columns of the part of C that a thread takes at a time, and terms of its sums that are added at a time. The
// copies of A's and B's blocks, 256 x 128 doubles and 128 x 128, stay in a second-level cache.
constexpr std::int64_t kBlockRows = 256;
constexpr std::int64_t kBlockColumns = 128;
constexpr std::int64_t kBlockTerms = 128;

// Tiles of C that stay in registers: rows, bytes of a row's vectors, and of one vector.
struct BaselineTile {  // of SSE2 and of NEON
  static constexpr std::int64_t kRows = 4;
  static constexpr std::int64_t kVectors = 2;
  static constexpr std::size_t kVectorBytes = 16;
};
struct Avx2Tile {
  static constexpr std::int64_t kRows = 6;
  static constexpr std::int64_t kVectors = 2;
  static constexpr std::size_t kVectorBytes = 32;
};
struct Avx512Tile {
  static constexpr std::int64_t kRows = 12;
  static constexpr std::int64_t kVectors = 2;
  static constexpr std::size_t kVectorBytes = 64;
};

// There are no vectors of long double.
template <class T, class Tile>
struct Lanes {
  typedef T Vector __attribute__((vector_size(Tile::kVectorBytes), may_alias));
  static constexpr std::int64_t kRows = Tile::kRows;
  static constexpr std::int64_t kVectors = Tile::kVectors;
  static constexpr std::int64_t kPerVector = static_cast<std::int64_t>(Tile::kVectorBytes / sizeof(T));
};
template <class Tile>
struct Lanes<long double, Tile> {
  using Vector = long double;
  static constexpr std::int64_t kRows = 2;
  static constexpr std::int64_t kVectors = 2;
  static constexpr std::int64_t kPerVector = 1;
};

// A block of C with copies of what it is the product of: A as panels of kRows rows, each [terms, kRows]; B as panels of
// as many columns as a tile has, each [terms, columns]. Where a block ends within a panel, the rest is zeros.
template <class T>
struct Block {
  const T* a = nullptr;
  const T* b = nullptr;
  T* c = nullptr;
  std::int64_t c_stride = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t terms = 0;
};

// tile += panel of A x panel of B.
template <class T, class Tile>
[[gnu::always_inline]] inline void multiply_panels(const T* a, const T* b, std::int64_t terms, T* tile) {
  using L = Lanes<T, Tile>;
  using Vector = typename L::Vector;
  Vector sums[L::kRows][L::kVectors];
  __builtin_memcpy(sums, tile, sizeof sums);
  for (std::int64_t term = 0; term < terms; ++term) {
    const Vector* const row = reinterpret_cast<const Vector*>(b);
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < L::kRows; ++i) {
#pragma GCC unroll 16
      for (std::int64_t j = 0; j < L::kVectors; ++j) sums[i][j] += a[i] * row[j];
    }
    a += L::kRows;
    b += L::kVectors * L::kPerVector;
  }
  __builtin_memcpy(tile, sums, sizeof sums);
}

template <class T, class Tile>
[[gnu::always_inline]] inline void multiply_block(const Block<T>& block) {
  using L = Lanes<T, Tile>;
  constexpr std::int64_t kColumns = L::kVectors * L::kPerVector;
  for (std::int64_t column = 0; column < block.columns; column += kColumns) {
    const std::int64_t columns = std::min(kColumns, block.columns - column);
    for (std::int64_t row = 0; row < block.rows; row += L::kRows) {
      const std::int64_t rows = std::min(L::kRows, block.rows - row);
      alignas(64) T tile[L::kRows * kColumns] = {};
      T* const c = block.c + row * block.c_stride + column;
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) tile[i * kColumns + j] = c[i * block.c_stride + j];
      }
      multiply_panels<T, Tile>(block.a + row * block.terms, block.b + column * block.terms, block.terms, tile);
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) c[i * block.c_stride + j] = tile[i * kColumns + j];
      }
    }
  }
}

// No fused multiply-add in any of them: the results must not depend on the processor.
template <class T>
void multiply_block_baseline(const Block<T>& block) {
  multiply_block<T, BaselineTile>(block);
}
#if defined(__x86_64__)
template <class T>
[[gnu::target("avx2")]] void multiply_block_avx2(const Block<T>& block) {
  multiply_block<T, Avx2Tile>(block);
}
template <class T>
[[gnu::target("avx512f")]] void multiply_block_avx512f(const Block<T>& block) {
  multiply_block<T, Avx512Tile>(block);
}
#endif

// How a processor multiplies blocks.
template <class T>
struct Multiplier {
  void (*multiply)(const Block<T>&);
  std::int64_t panel_rows;
  std::int64_t panel_columns;
};

template <class T, class Tile>
Multiplier<T> make_multiplier(void (*multiply)(const Block<T>&)) {
  using L = Lanes<T, Tile>;
  return {multiply, L::kRows, L::kVectors * L::kPerVector};
}

template <class T>
Multiplier<T> multiplier([[maybe_unused]] std::size_t max_vector_bytes) {
#if defined(__x86_64__)
  if (max_vector_bytes >= Avx512Tile::kVectorBytes && __builtin_cpu_supports("avx512f") != 0) {
    return make_multiplier<T, Avx512Tile>(multiply_block_avx512f<T>);
  }
  if (max_vector_bytes >= Avx2Tile::kVectorBytes && __builtin_cpu_supports("avx2") != 0) {
    return make_multiplier<T, Avx2Tile>(multiply_block_avx2<T>);
  }
#endif
  return make_multiplier<T, BaselineTile>(multiply_block_baseline<T>);
}

// Memory at the beginning of a cache line.
template <class T>
class Packed {
 public:
  explicit Packed(std::int64_t count) : values_(static_cast<std::size_t>(count) + kLine / sizeof(T)) {
    void* place = values_.data();
    std::size_t space = values_.size() * sizeof(T);
    aligned_ = static_cast<T*>(std::align(kLine, static_cast<std::size_t>(count) * sizeof(T), place, space));
  }
  T* data() { return aligned_; }

 private:
  static constexpr std::size_t kLine = 64;
  std::vector<T> values_;
  T* aligned_ = nullptr;
};

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// `lines` lines (rows of A, columns of B) of `terms` entries each, as panels of `width` lines, each [terms, width].
template <class T>
void pack(const T* source, std::int64_t line_stride, std::int64_t term_stride, std::int64_t lines, std::int64_t terms,
          std::int64_t width, T* target) {
  for (std::int64_t first = 0; first < lines; first += width) {
    const std::int64_t count = std::min(width, lines - first);
    for (std::int64_t term = 0; term < terms; ++term) {
      const T* const from = source + first * line_stride + term * term_stride;
      for (std::int64_t line = 0; line < count; ++line) target[line] = from[line * line_stride];
      for (std::int64_t line = count; line < width; ++line) target[line] = T(0);
      target += width;
    }
  }
}

// The block of C that begins at (row, column).
template <class T>
void add_block(const Multiplier<T>& multiplier, const MatrixView<T>& a, const MatrixView<T>& b, Block<T> block,
               std::int64_t row, std::int64_t column, std::int64_t k) {
  const std::int64_t max_terms = std::min(k, kBlockTerms);
  Packed<T> packed_a(round_up(block.rows, multiplier.panel_rows) * max_terms);
  Packed<T> packed_b(round_up(block.columns, multiplier.panel_columns) * max_terms);
  block.a = packed_a.data();
  block.b = packed_b.data();
  for (std::int64_t term = 0; term < k; term += kBlockTerms) {
    block.terms = std::min(kBlockTerms, k - term);
    pack(a.values + row * a.row_stride + term * a.column_stride, a.row_stride, a.column_stride, block.rows, block.terms,
         multiplier.panel_rows, packed_a.data());
    pack(b.values + term * b.row_stride + column * b.column_stride, b.column_stride, b.row_stride, block.columns,
         block.terms, multiplier.panel_columns, packed_b.data());
    multiplier.multiply(block);
  }
}

bool is_small(std::int64_t m, std::int64_t k, std::int64_t n) {
  return m < kFewColumns || n < kFewColumns || m * k * n < kSmallProduct;
}

// Sums of kRows rows of A, each in the order of its terms, so that none waits for the last addition of its own.
template <std::int64_t kRows, class T>
void add_to_rows(const T* a, const MatrixView<T>& view, const T* b, std::int64_t b_stride, T* c, std::int64_t k) {
  T sums[kRows];
  for (std::int64_t row = 0; row < kRows; ++row) sums[row] = c[row];
  for (std::int64_t i = 0; i < k; ++i) {
    for (std::int64_t row = 0; row < kRows; ++row) {
      sums[row] += a[row * view.row_stride + i * view.column_stride] * b[i * b_stride];
    }
  }
  for (std::int64_t row = 0; row < kRows; ++row) c[row] = sums[row];
}

// The same as add_plainly of a C and B of one column.
template <class T>
void add_column(const MatrixView<T>& a, const MatrixView<T>& b, T* c, std::int64_t m, std::int64_t k) {
  if (a.row_stride == 1) {
    for (std::int64_t i = 0; i < k; ++i) {
      const T factor = b.values[i * b.row_stride];
      const T* const column = a.values + i * a.column_stride;
      for (std::int64_t row = 0; row < m; ++row) c[row] += column[row] * factor;
    }
    return;
  }
  constexpr std::int64_t kAtATime = 8;
  std::int64_t row = 0;
  for (; row + kAtATime <= m; row += kAtATime) {
    add_to_rows<kAtATime>(a.values + row * a.row_stride, a, b.values, b.row_stride, c + row, k);
  }
  for (; row < m; ++row) add_to_rows<1>(a.values + row * a.row_stride, a, b.values, b.row_stride, c + row, k);
}

// C += A B in plain loops along rows of B and C where B's have no gaps, so that the inner one is contiguous.
template <class T>
void add_plainly(const MatrixView<T>& a, const MatrixView<T>& b, T* c, std::int64_t m, std::int64_t k, std::int64_t n) {
  if (n == 1) return add_column(a, b, c, m, k);
  for (std::int64_t row = 0; row < m; ++row) {
    const T* const a_row = a.values + row * a.row_stride;
    T* const c_row = c + row * n;
    if (b.column_stride == 1) {
      for (std::int64_t i = 0; i < k; ++i) {
        const T factor = a_row[i * a.column_stride];
        const T* const b_row = b.values + i * b.row_stride;
        for (std::int64_t j = 0; j < n; ++j) c_row[j] += factor * b_row[j];
      }
      continue;
    }
    for (std::int64_t j = 0; j < n; ++j) {
      const T* const b_column = b.values + j * b.column_stride;
      T sum = c_row[j];
      for (std::int64_t i = 0; i < k; ++i) sum += a_row[i * a.column_stride] * b_column[i * b.row_stride];
      c_row[j] = sum;
    }
  }
}

template <class T>
void add_by_size(const MatrixView<T>& a, const MatrixView<T>& b, T* c, std::int64_t m, std::int64_t k, std::int64_t n) {
  if (is_small(m, k, n)) return add_plainly(a, b, c, m, k, n);
  const double operations = 2.0 * static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n);
  add_product(a, b, c, m, k, n, threads_for(operations));
}

}  // namespace

std::size_t processor_count() { return static_cast<std::size_t>(std::max(1, CPU_COUNT(&kProcessorsAtStart))); }

void for_each_part(std::size_t parts, std::size_t threads, const std::function<void(std::size_t part)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto take_parts = [&] {
    for (std::size_t part = next++; part < parts; part = next++) work(part);
  };
  std::vector<std::thread> helpers;
  try {
    while (helpers.size() + 1 < std::min(threads, parts)) {
      helpers.emplace_back([&] {
        // A new thread may use what its creator may, which leaves a processor out while workers are alive.
        sched_setaffinity(0, sizeof kProcessorsAtStart, &kProcessorsAtStart);
        take_parts();
      });
    }
  } catch (const std::system_error&) {
    // The system gives no more threads: those that there are do the work.
  }
  take_parts();
  for (std::thread& helper : helpers) helper.join();
}

std::size_t threads_for(double operations) {
  const double useful = std::max(1.0, operations / kOperationsPerThread);
  return static_cast<std::size_t>(std::min(useful, static_cast<double>(processor_count())));
}

double product_rate() {
  static const double rate = [] {
    constexpr std::int64_t kWidth = 192;  // about a millisecond
    constexpr int kTries = 5;             // the first one finds memory and caches empty
    const std::vector<double> factor(kWidth * kWidth, 0.5);
    std::vector<double> product(factor.size());
    double least_seconds = 1;
    for (int i = 0; i < kTries; ++i) {
      const auto start = std::chrono::steady_clock::now();
      add_product<double>({factor.data(), kWidth, 1}, {factor.data(), kWidth, 1}, product.data(), kWidth, kWidth,
                          kWidth, 1);
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
      least_seconds = std::min(least_seconds, passed.count());
    }
    return 2.0 * kWidth * kWidth * kWidth / std::max(least_seconds, 1e-6);
  }();
  return rate * static_cast<double>(processor_count());
}

template <class T>
void add_product(const MatrixView<T>& a, const MatrixView<T>& b, T* c, std::int64_t m, std::int64_t k, std::int64_t n,
                 std::size_t threads, std::size_t max_vector_bytes) {
  const Multiplier<T> chosen = multiplier<T>(max_vector_bytes);
  const std::int64_t across = (n + kBlockColumns - 1) / kBlockColumns;
  const std::int64_t down = (m + kBlockRows - 1) / kBlockRows;
  for_each_part(static_cast<std::size_t>(across * down), threads, [&](std::size_t part) {
    const std::int64_t row = static_cast<std::int64_t>(part) / across * kBlockRows;
    const std::int64_t column = static_cast<std::int64_t>(part) % across * kBlockColumns;
    Block<T> block;
    block.c = c + row * n + column;
    block.c_stride = n;
    block.rows = std::min(kBlockRows, m - row);
    block.columns = std::min(kBlockColumns, n - column);
    add_block(chosen, a, b, block, row, column, k);
  });
}

template <class T>
void add_product(const T* a, const T* b, T* c, std::int64_t m, std::int64_t k, std::int64_t n) {
  add_by_size<T>({a, k, 1}, {b, n, 1}, c, m, k, n);
}

template <class T>
void add_transposed_product(const T* a, const T* b, T* c, std::int64_t m, std::int64_t k, std::int64_t n) {
  add_by_size<T>({a, 1, k}, {b, n, 1}, c, k, m, n);
}

template <class T>
void product_with_transposed(const T* a, const T* b, T* c, std::int64_t m, std::int64_t n, std::int64_t k) {
  std::fill(c, c + m * k, T(0));
  add_by_size<T>({a, n, 1}, {b, 1, n}, c, m, n, k);
}

#define GDBENCH_INSTANTIATE(T)                                                                                        \
  template void add_product(const MatrixView<T>&, const MatrixView<T>&, T*, std::int64_t, std::int64_t, std::int64_t, \
                            std::size_t, std::size_t);                                                                \
  template void add_product(const T*, const T*, T*, std::int64_t, std::int64_t, std::int64_t);                        \
  template void add_transposed_product(const T*, const T*, T*, std::int64_t, std::int64_t, std::int64_t);             \
  template void product_with_transposed(const T*, const T*, T*, std::int64_t, std::int64_t, std::int64_t);

GDBENCH_INSTANTIATE(float)
GDBENCH_INSTANTIATE(double)
GDBENCH_INSTANTIATE(long double)
#undef GDBENCH_INSTANTIATE

}  // namespace gdbench::verify
