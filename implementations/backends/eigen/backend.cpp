#include "implementations/backends/eigen/backend.h"

#include "implementations/backends/common/cpu/backend.h"
#include "implementations/backends/eigen/product.h"
#include "implementations/common/compute_threads.h"

namespace gdbench::backends {
namespace eigen {
namespace {

template <class T>
cpu::Binding bind_product_of(const Request& request) {
  if (request.operands[0].layout == Layout::sparse_csr) return bind_sparse_product<T>(request);
  const ProductShape shape = product_shape(request);
  const bool unit_dimension = shape.m == 1 || shape.n == 1 || shape.k == 1;
  return unit_dimension ? bind_vector_product<T>(request) : bind_matrix_product<T>(request);
}

cpu::Binding bind_product(const Request& request) {
  if (request.op != Op::product) return {};
  return catalogue::with_element(request.dtype, [&](auto zero) { return bind_product_of<decltype(zero)>(request); });
}

cpu::Binding bind_in_library(const Request& request) {
  const ProductShape shape = product_shape(request);
  const bool large = shape.m > 1 && shape.n > 1 && shape.k > 1;
  if (request.op != Op::product || request.operands[0].layout != Layout::row_major || !large) return {};
  return catalogue::with_element(request.dtype,
                                 [&](auto zero) { return bind_parallel_product<decltype(zero)>(request); });
}

}  // namespace
}  // namespace eigen

const cpu::Definition& cpu::definition() {
  static const Definition definition = {
      .name = "eigen",
      .flags = kEpilogueUpdate | kSparse,
      .max_compute_threads = implementations::kMaxComputeThreads,
      .options = std::span(&kSharingOption, 1),
      .sharing = &kSharing,
      .bind = eigen::bind_product,
      .f32 = {eigen::elementwise_functions<float>(), eigen::loss_functions<float>()},
      .f64 = {eigen::elementwise_functions<double>(), eigen::loss_functions<double>()},
      .bind_in_library = eigen::bind_in_library,
      .start_library = eigen::start_library,
  };
  return definition;
}

}  // namespace gdbench::backends
