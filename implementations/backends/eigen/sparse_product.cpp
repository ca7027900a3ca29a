#include <Eigen/SparseCore>

#include "implementations/backends/eigen/maps.h"
#include "implementations/backends/eigen/product.h"

namespace gdbench::backends::eigen {
namespace {

// A in compressed sparse rows. The same arrays read by columns are A's transpose.
template <class T, bool transpose>
using CsrMap = Eigen::Map<const Eigen::SparseMatrix<T, transpose ? Eigen::ColMajor : Eigen::RowMajor, std::int32_t>>;

template <class T, bool transpose>
CsrMap<T, transpose> input_csr(Buffer buffer, std::int64_t rows, std::int64_t columns) {
  const auto& csr = *cpu::data<const CsrMatrix>(buffer);
  const std::int64_t stored_rows = transpose ? columns : rows;
  return {rows,
          columns,
          csr.row_offsets[stored_rows] - csr.row_offsets[0],
          csr.row_offsets,
          csr.column_indices,
          static_cast<const T*>(csr.values)};
}

// C = alpha op(A) B + beta C by the entry that `C.noalias() += op(A) * B` ends up in. One column is a vector, so that
// Eigen does not walk rows of length 1.
template <class T, bool transpose, bool vector>
void run_sparse(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const ProductCall<T>&>(*call);
  const auto [m, n, k] = self.shape;
  const CsrMap<T, transpose> a = input_csr<T, transpose>(buffers[0], m, k);
  const auto multiply = [&](const auto& b, auto c) {
    scale_result(c, self.beta());
    Eigen::internal::sparse_time_dense_product(a, b, c, self.alpha(buffers));
  };
  if constexpr (vector) {
    multiply(input_vector<T>(buffers[1], k), output_vector<T>(buffers[2], m));
  } else {
    multiply(input_matrix<T>(buffers[1], k, n), output_matrix<T>(buffers[2], m, n));
  }
}

template <class T, bool transpose>
cpu::Binding bind(const Request& request) {
  const bool vector = product_shape(request).n == 1;
  return cpu::make_binding(ProductCall<T>(request),
                           vector ? run_sparse<T, transpose, true> : run_sparse<T, transpose, false>);
}

}  // namespace

template <class T>
cpu::Binding bind_sparse_product(const Request& request) {
  if (request.transpose_b) return cpu::unsupported("csr products with a transposed right operand are not supported");
  return request.transpose_a ? bind<T, true>(request) : bind<T, false>(request);
}

template cpu::Binding bind_sparse_product<float>(const Request&);
template cpu::Binding bind_sparse_product<double>(const Request&);

}  // namespace gdbench::backends::eigen
