// Internal to verify: the reference's matrix products, all row-major, for float, double and long double, in independent
// parts that are done on every processor that the program was given.
//
// Every entry of a result is a sum over its terms in their order, one multiplication and one addition after the other,
// however the matrices are cut into blocks, how many lanes a vector has and how many threads there are. So the results
// are those of three plain loops, bit for bit, on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace gdbench::verify {

// The processors that this process was allowed when it began. While it measures, the coordinator keeps off one of them;
// while the reference computes nothing is measured, and that one is used, too.
std::size_t processor_count();

// Calls work(0) ... work(parts - 1), each once, on at most `threads` threads, of which the calling one is the first;
// returns when all are done. Which thread does which part is open: the parts must not depend on each other. The
// threads end with the call, so that none runs while a worker is timed later.
void for_each_part(std::size_t parts, std::size_t threads, const std::function<void(std::size_t part)>& work);

// As many as pay for a product of so many operations.
std::size_t threads_for(double operations);

// Operations per second of a large product of doubles on all processors, as a small one takes when this is first asked.
double product_rate();

// A matrix as a product reads it: entry (row, column) lies at values[row * row_stride + column * column_stride].
template <class T>
struct MatrixView {
  const T* values = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 0;
};

constexpr std::size_t kWidestVectorBytes = 64;  // of any processor

// C [m, n] += A B with A [m, k], B [k, n]; C has no gaps. The general form of what follows. Its vectors are the
// processor's widest of at most so many bytes.
template <class T>
void add_product(const MatrixView<T>& a, const MatrixView<T>& b, T* c, std::int64_t m, std::int64_t k, std::int64_t n,
                 std::size_t threads, std::size_t max_vector_bytes = kWidestVectorBytes);

// C [m, n] += A [m, k] B [k, n].
template <class T>
void add_product(const T* a, const T* b, T* c, std::int64_t m, std::int64_t k, std::int64_t n);

// C [k, n] += A^T B with A [m, k], B [m, n].
template <class T>
void add_transposed_product(const T* a, const T* b, T* c, std::int64_t m, std::int64_t k, std::int64_t n);

// C [m, k] = A B^T with A [m, n], B [k, n].
template <class T>
void product_with_transposed(const T* a, const T* b, T* c, std::int64_t m, std::int64_t n, std::int64_t k);

}  // namespace gdbench::verify
