#include "implementations/backends/naive/naive.h"

#include <utility>

#include "implementations/backends/common/cpu/elementwise_loops.h"
#include "implementations/backends/common/cpu/loss_loops.h"
#include "implementations/backends/common/operands.h"

namespace gdbench::backends::naive {
namespace {

template <class T>
struct ProductCall : cpu::OwnedCall {
  explicit ProductCall(const Request& request) : a_stride(stride_of(request.operands[0])), factors(request) {}

  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  int a = 0;  // which operand is A
  int b = 1;
  std::int64_t a_stride;  // not of a vector
  cpu::ProductFactors<T> factors;
};

template <class T>
void scale(T* __restrict c, std::int64_t size, T beta) {
  if (beta == T(0)) {
    for (std::int64_t i = 0; i < size; ++i) c[i] = 0;  // also where C holds NaN
  } else if (beta != T(1)) {
    for (std::int64_t i = 0; i < size; ++i) c[i] *= beta;
  }
}

// C[m,n] = alpha A[m,k] B[k,n] + beta C, in the order i-k-j: the inner loop walks rows of B and C.
template <class T>
void run_plain(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ProductCall<T>&>(*call);
  const T* __restrict a = cpu::data<const T>(buffers[shape.a]);
  const T* __restrict b = cpu::data<const T>(buffers[shape.b]);
  T* __restrict c = cpu::data<T>(buffers[2]);
  const T alpha = shape.factors.alpha(buffers);
  for (std::int64_t i = 0; i < shape.m; ++i) {
    T* __restrict row = c + i * shape.n;
    scale(row, shape.n, shape.factors.beta);
    for (std::int64_t p = 0; p < shape.k; ++p) {
      const T factor = alpha * a[i * shape.a_stride + p];
      for (std::int64_t j = 0; j < shape.n; ++j) row[j] += factor * b[p * shape.n + j];
    }
  }
}

// A is [k,m]: k outermost, so that A and B are both read in the order in which they lie; except for a B that is [n,k],
// which no layer needs: it is here because the op has it.
template <class T, bool transpose_b>
void run_transposed_a(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ProductCall<T>&>(*call);
  const T* __restrict a = cpu::data<const T>(buffers[shape.a]);
  const T* __restrict b = cpu::data<const T>(buffers[shape.b]);
  T* __restrict c = cpu::data<T>(buffers[2]);
  const T alpha = shape.factors.alpha(buffers);
  scale(c, shape.m * shape.n, shape.factors.beta);
  for (std::int64_t p = 0; p < shape.k; ++p) {
    for (std::int64_t i = 0; i < shape.m; ++i) {
      const T factor = alpha * a[p * shape.a_stride + i];
      for (std::int64_t j = 0; j < shape.n; ++j) {
        c[i * shape.n + j] += factor * b[transpose_b ? j * shape.k + p : p * shape.n + j];
      }
    }
  }
}

// B is [n,k]: every entry of C is a dot product of two rows.
template <class T>
void run_transposed_b(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& shape = static_cast<const ProductCall<T>&>(*call);
  const T* __restrict a = cpu::data<const T>(buffers[shape.a]);
  const T* __restrict b = cpu::data<const T>(buffers[shape.b]);
  T* __restrict c = cpu::data<T>(buffers[2]);
  const T alpha = shape.factors.alpha(buffers);
  for (std::int64_t i = 0; i < shape.m; ++i) {
    T* __restrict row = c + i * shape.n;
    scale(row, shape.n, shape.factors.beta);
    for (std::int64_t j = 0; j < shape.n; ++j) {
      T sum = 0;
      for (std::int64_t p = 0; p < shape.k; ++p) sum += a[i * shape.k + p] * b[j * shape.k + p];
      row[j] += alpha * sum;
    }
  }
}

template <class T>
cpu::Binding bind(const Request& request) {
  const ProductShape shape = product_shape(request);
  ProductCall<T> call(request);
  call.m = shape.m;
  call.n = shape.n;
  call.k = shape.k;
  bool transpose_a = request.transpose_a;
  bool transpose_b = request.transpose_b;
  // C' = op(B)' op(A)': one column of C is computed as one row, whose entries are neighbours in every loop.
  if (call.n == 1) {
    std::swap(call.a, call.b);
    std::swap(call.m, call.n);
    transpose_b = !request.transpose_a;
  }
  // A vector lies alike whether it is transposed or not.
  if (call.m == 1) transpose_a = false;
  if (call.n == 1) transpose_b = true;  // a dot product
  if (call.k == 1) return cpu::make_binding(call, run_transposed_a<T, false>);
  if (transpose_a) return cpu::make_binding(call, transpose_b ? run_transposed_a<T, true> : run_transposed_a<T, false>);
  if (transpose_b) return cpu::make_binding(call, run_transposed_b<T>);
  return cpu::make_binding(call, run_plain<T>);
}

cpu::Binding bind_product(const Request& request) {
  if (request.op != Op::product) return {};
  return catalogue::with_element(request.dtype, [&](auto zero) { return bind<decltype(zero)>(request); });
}

}  // namespace

cpu::Definition definition() {
  return {
      .name = "naive",
      .flags = kEpilogueUpdate,
      .bind = bind_product,
      .f32 = {cpu::elementwise_loops<float>(), cpu::loss_loops<float>()},
      .f64 = {cpu::elementwise_loops<double>(), cpu::loss_loops<double>()},
  };
}

}  // namespace gdbench::backends::naive
