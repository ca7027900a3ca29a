// What the elements of a product's C add up.
#pragma once

#include <cstdint>

#include "implementations/backends/common/ops.h"
#include "implementations/backends/cuda/call.h"
#include "implementations/backends/cuda/narrow.h"
#include "implementations/backends/cuda/reduction.h"

namespace gdbench::backends::cuda {

// op(M) by the distances between its rows and columns, as numbers that the product multiplies.
template <class Number>
struct Factor {
  using T = SumOf<Number>;
  const T* matrix;
  std::int64_t row_stride;
  std::int64_t column_stride;
  GDBENCH_HOST_DEVICE Line<Number> row(std::int64_t row) const { return {matrix + row * row_stride, column_stride}; }
  GDBENCH_HOST_DEVICE Line<Number> column(std::int64_t column) const {
    return {matrix + column * column_stride, row_stride};
  }
};

template <class Number>
Factor<Number> factor_of(const Operand& operand, bool transpose, Buffer buffer) {
  const auto* const matrix = data<const SumOf<Number>>(buffer);
  if (transpose) return {matrix, 1, operand.columns};
  return {matrix, operand.columns, 1};
}

// What an element of C adds up; the factor on the left may be 1 instead.
template <class Number, bool kMayBeOne>
struct ElementTerms {
  using T = SumOf<Number>;
  Line<Number> left;
  Line<Number> right;
  bool is_one;
  GDBENCH_HOST_DEVICE ElementTerms from(std::int64_t p) const { return {left.from(p), right.from(p), is_one}; }
  GDBENCH_HOST_DEVICE ElementTerms every(std::int64_t stride) const {
    return {left.every(stride), right.every(stride), is_one};
  }
  GDBENCH_HOST_DEVICE T operator()(int p) const {
    // Read in any case: a load that waits for no branch is on its way with the others.
    const T factor = left(p);
    return (kMayBeOne && is_one ? T(1) : factor) * right(p);
  }
};

// C as a row of columns: element row * n + column of C. Where it is `kSumsB`, there is one more row beyond the m of C,
// whose elements are the column sums of B: the gradient of a bias with that of weights.
template <class Number, bool kSumsB>
struct ProductTerms {
  Factor<Number> a;
  Factor<Number> b;
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  GDBENCH_HOST_DEVICE ElementTerms<Number, kSumsB> of_column(std::int64_t element) const {
    const std::int64_t row = element / n;
    return {a.row(row < m ? row : 0), b.column(element - row * n), row >= m};
  }
};

template <class Number, bool kSumsB, class Store>
struct ElementProduct {
  ProductTerms<Number, kSumsB> terms;
  Store store;
  GDBENCH_HOST_DEVICE void operator()(std::int64_t i) const {
    store.fetch(i);
    store(i, sum_of_terms<SumOf<Number>>(terms.of_column(i), 0, 1, terms.k));
  }
};

}  // namespace gdbench::backends::cuda
