// The kinds of product, between which backend.cpp chooses. A call keeps what its kind needs.
#pragma once

#include "implementations/backends/common/cpu/call.h"
#include "implementations/backends/common/operands.h"

namespace gdbench::backends::eigen {

template <class T>
struct ProductCall : cpu::OwnedCall {
  explicit ProductCall(const Request& request) : shape(product_shape(request)), factors(request) {}

  T alpha(const Buffer* buffers) const { return factors.alpha(buffers); }
  T beta() const { return factors.beta; }

  ProductShape shape;
  cpu::ProductFactors<T> factors;
};

// C = beta C, and zero for beta = 0, even where C holds NaN. `c` is a matrix, a vector or an array.
template <class Result, class T>
void scale_result(Result&& c, T beta) {
  if (beta == T(0)) {
    c.setZero();
  } else if (beta != T(1)) {
    c *= beta;
  }
}

// Large matrices: Eigen's blocked product (matrix_product.cpp).
template <class T>
cpu::Binding bind_matrix_product(const Request& request);

// The same, for Eigen's own threads. Eigen divides the result's rows or columns among them by its size, and sums every
// entry on one thread.
template <class T>
cpu::Binding bind_parallel_product(const Request& request);

// How many threads bind_parallel_product's calls may have from now on.
void start_library(const gdbench_settings* settings, int threads);

// One dimension is 1: a scaled vector, a dot, an outer or a matrix-vector product (vector_product.cpp).
template <class T>
cpu::Binding bind_vector_product(const Request& request);

// A is in compressed sparse rows (sparse_product.cpp).
template <class T>
cpu::Binding bind_sparse_product(const Request& request);

}  // namespace gdbench::backends::eigen
