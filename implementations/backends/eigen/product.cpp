#include "implementations/backends/eigen/product.h"

#include "implementations/backends/eigen/backend.h"

namespace gdbench::backends::eigen {
namespace {

template <class T>
cpu::Binding bind(const Request& request) {
  if (request.operands[0].layout == Layout::sparse_csr) return bind_sparse_product<T>(request);
  const ProductShape shape = product_shape(request);
  const bool unit_dimension = shape.m == 1 || shape.n == 1 || shape.k == 1;
  return unit_dimension ? bind_vector_product<T>(request) : bind_matrix_product<T>(request);
}

}  // namespace

cpu::Binding bind_product(const Request& request) {
  return catalogue::with_element(request.dtype, [&](auto zero) { return bind<decltype(zero)>(request); });
}

}  // namespace gdbench::backends::eigen
