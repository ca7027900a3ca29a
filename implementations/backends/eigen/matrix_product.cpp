#include <memory>

#include "implementations/backends/eigen/maps.h"
#include "implementations/backends/eigen/product.h"

namespace gdbench::backends::eigen {
namespace {

// Eigen's blocked product allocates the space into which it packs its operands on every call beyond a few KiB. Here it
// is allocated at bind, through the entry that the expression `C.noalias() += A * B` ends up in.
template <class T>
using Blocking = Eigen::internal::gemm_blocking_space<Eigen::ColMajor, T, T, Eigen::Dynamic, Eigen::Dynamic,
                                                      Eigen::Dynamic, 1, false>;

template <class T>
struct BlockedCall : ProductCall<T> {
  explicit BlockedCall(const Request& request)
      : ProductCall<T>(request),
        a_stride(stride_of(request.operands[0])),
        blocking(std::make_unique<Blocking<T>>(this->shape.n, this->shape.m, this->shape.k, 1, true)) {
    blocking->allocateAll();
  }
  std::int64_t a_stride;
  std::unique_ptr<Blocking<T>> blocking;
};

// Eigen works on column-major results, so a row-major C = op(A) op(B) is its C' = op(B)' op(A)': B comes first, and an
// operand that is not transposed is column-major.
template <class T, bool transpose_a, bool transpose_b>
void run_blocked(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  constexpr int kFirstOrder = transpose_b ? Eigen::RowMajor : Eigen::ColMajor;
  constexpr int kSecondOrder = transpose_a ? Eigen::RowMajor : Eigen::ColMajor;
  using Product = Eigen::internal::general_matrix_matrix_product<Eigen::Index, T, kFirstOrder, false, T, kSecondOrder,
                                                                 false, Eigen::ColMajor, 1>;
  const auto& self = static_cast<const BlockedCall<T>&>(*call);
  const auto [m, n, k] = self.shape;
  scale_result(output_array<T>(buffers[2], m * n), self.beta());
  Product::run(n, m, k, cpu::data<const T>(buffers[1]), transpose_b ? k : n, cpu::data<const T>(buffers[0]),
               self.a_stride, cpu::data<T>(buffers[2]), 1, n, self.alpha(buffers), *self.blocking, nullptr);
}

template <bool transpose>
auto transposed_if(const auto& matrix) {
  if constexpr (transpose) {
    return matrix.transpose();
  } else {
    return matrix;
  }
}

// Eigen divides a product that is an expression; it packs into space that it allocates at every call.
template <class T, bool transpose_a, bool transpose_b>
void run_parallel(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const ProductCall<T>&>(*call);
  const auto [m, n, k] = self.shape;
  const auto a = input_matrix<T>(buffers[0], transpose_a ? k : m, transpose_a ? m : k);
  const auto b = input_matrix<T>(buffers[1], transpose_b ? n : k, transpose_b ? k : n);
  auto c = output_matrix<T>(buffers[2], m, n);
  scale_result(c, self.beta());
  c.noalias() += self.alpha(buffers) * (transposed_if<transpose_a>(a) * transposed_if<transpose_b>(b));
}

// Tiny matrices: every entry by itself, without packing.
template <class T, bool transpose_a, bool transpose_b>
void run_tiny(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const ProductCall<T>&>(*call);
  const auto [m, n, k] = self.shape;
  const auto a = input_matrix<T>(buffers[0], transpose_a ? k : m, transpose_a ? m : k);
  const auto b = input_matrix<T>(buffers[1], transpose_b ? n : k, transpose_b ? k : n);
  auto c = output_matrix<T>(buffers[2], m, n);
  const auto op_a = transposed_if<transpose_a>(a);
  const auto op_b = transposed_if<transpose_b>(b);
  if (self.beta() == T(0)) {
    c = self.alpha(buffers) * op_a.lazyProduct(op_b);
  } else {
    c = self.alpha(buffers) * op_a.lazyProduct(op_b) + self.beta() * c;
  }
}

// Where Eigen itself stops packing (EIGEN_GEMM_TO_COEFFBASED_THRESHOLD).
constexpr std::int64_t kTinyDimensions = 20;

template <class T, bool transpose_a, bool transpose_b>
cpu::Binding bind(const Request& request) {
  const ProductShape shape = product_shape(request);
  if (shape.m + shape.n + shape.k < kTinyDimensions) {
    return cpu::make_binding(ProductCall<T>(request), run_tiny<T, transpose_a, transpose_b>);
  }
  return cpu::make_binding(BlockedCall<T>(request), run_blocked<T, transpose_a, transpose_b>);
}

}  // namespace

template <class T>
cpu::Binding bind_matrix_product(const Request& request) {
  if (request.transpose_a) return request.transpose_b ? bind<T, true, true>(request) : bind<T, true, false>(request);
  return request.transpose_b ? bind<T, false, true>(request) : bind<T, false, false>(request);
}

template <class T>
cpu::Binding bind_parallel_product(const Request& request) {
  constexpr cpu::Run kRuns[2][2] = {{run_parallel<T, false, false>, run_parallel<T, false, true>},
                                    {run_parallel<T, true, false>, run_parallel<T, true, true>}};
  return cpu::make_binding(ProductCall<T>(request), kRuns[request.transpose_a][request.transpose_b]);
}

void start_library(const gdbench_settings* /*settings*/, int threads) { Eigen::setNbThreads(threads); }

template cpu::Binding bind_matrix_product<float>(const Request&);
template cpu::Binding bind_matrix_product<double>(const Request&);
template cpu::Binding bind_parallel_product<float>(const Request&);
template cpu::Binding bind_parallel_product<double>(const Request&);

}  // namespace gdbench::backends::eigen
