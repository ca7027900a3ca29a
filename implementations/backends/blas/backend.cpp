// Any BLAS: products by gemm and gemv, everything else plain loops, which a BLAS has no functions for (or, for a sum of
// columns, only a product with ones).
#include "implementations/backends/common/cpu/backend.h"

#include <climits>

#include "implementations/backends/blas/generated_product.h"
#include "implementations/backends/blas/library.h"
#include "implementations/backends/common/cpu/elementwise_loops.h"
#include "implementations/backends/common/cpu/loss_loops.h"
#include "implementations/backends/common/operands.h"
#include "implementations/common/compute_threads.h"

namespace gdbench::backends {
namespace blas {
namespace {

template <class T>
const Functions<T>& functions() {
  if constexpr (sizeof(T) == sizeof(float)) {
    return library().f32;
  } else {
    return library().f64;
  }
}

// A matrix as it lies.
struct Stored {
  int rows;
  int columns;
  int stride;
};

int narrowed(std::int64_t size) { return static_cast<int>(size); }

Stored stored(const Operand& operand) {
  return {narrowed(operand.rows), narrowed(operand.columns), narrowed(stride_of(operand))};
}

template <class T>
struct ProductCall : cpu::OwnedCall {
  explicit ProductCall(const Request& request)
      : functions(blas::functions<T>()),
        m(narrowed(request.operands[2].rows)),
        n(narrowed(request.operands[2].columns)),
        k(narrowed(product_shape(request).k)),
        transpose_a(request.transpose_a),
        transpose_b(request.transpose_b),
        a(stored(request.operands[0])),
        b(stored(request.operands[1])),
        factors(request) {}

  Functions<T> functions;
  int m;
  int n;
  int k;
  bool transpose_a;
  bool transpose_b;
  Stored a;
  Stored b;
  cpu::ProductFactors<T> factors;
};

int operation(bool transpose) { return transpose ? kTranspose : kNoTranspose; }

template <class T>
void run_gemm(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const ProductCall<T>&>(*call);
  self.functions.gemm(kRowMajor, operation(self.transpose_a), operation(self.transpose_b), self.m, self.n, self.k,
                      self.factors.alpha(buffers), cpu::data<const T>(buffers[0]), self.a.stride,
                      cpu::data<const T>(buffers[1]), self.b.stride, self.factors.beta, cpu::data<T>(buffers[2]),
                      self.n);
}

// One column: C = alpha op(A) b + beta C.
template <class T>
void run_matrix_vector(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const ProductCall<T>&>(*call);
  self.functions.gemv(kRowMajor, operation(self.transpose_a), self.a.rows, self.a.columns, self.factors.alpha(buffers),
                      cpu::data<const T>(buffers[0]), self.a.stride, cpu::data<const T>(buffers[1]), 1,
                      self.factors.beta, cpu::data<T>(buffers[2]), 1);
}

// One row: C' = alpha op(B)' a + beta C'.
template <class T>
void run_vector_matrix(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const ProductCall<T>&>(*call);
  self.functions.gemv(kRowMajor, operation(!self.transpose_b), self.b.rows, self.b.columns, self.factors.alpha(buffers),
                      cpu::data<const T>(buffers[1]), self.b.stride, cpu::data<const T>(buffers[0]),
                      self.transpose_a ? self.a.stride : 1, self.factors.beta, cpu::data<T>(buffers[2]), 1);
}

template <class T>
cpu::Binding bind_call(const Request& request) {
  const ProductCall<T> call(request);
  if (call.n == 1) return cpu::make_binding(call, run_matrix_vector<T>);
  return cpu::make_binding(call, call.m == 1 ? run_vector_matrix<T> : run_gemm<T>);
}

cpu::Binding bind(const Request& request) {
  if (request.op != Op::product) return {};
  for (const Operand& operand : {request.operands[0], request.operands[1], request.operands[2]}) {
    if (operand.rows > INT_MAX || operand.columns > INT_MAX || stride_of(operand) > INT_MAX) {
      return cpu::unsupported("a dimension does not fit into the 32 bits of CBLAS");
    }
  }
  if (library().generates) return bind_generated_product(request);
  return catalogue::with_element(request.dtype, [&](auto zero) { return bind_call<decltype(zero)>(request); });
}

// A library's threads do not divide products by a vector in all of these libraries.
cpu::Binding bind_in_library(const Request& request) {
  const ProductShape shape = product_shape(request);
  return request.op == Op::product && shape.m > 1 && shape.n > 1 ? bind(request) : cpu::Binding{};
}

const char* runtime() { return library().description.c_str(); }

}  // namespace
}  // namespace blas

const cpu::Definition& cpu::definition() {
  static const gdbench_option options[] = {blas::kLibraryOption, kSharingOption};
  static const Definition definition = {
      .name = "blas",
      .flags = kEpilogueUpdate,
      .max_compute_threads = implementations::kMaxComputeThreads,
      .options = options,
      .sharing = &kSharing,
      .bind = blas::bind,
      .f32 = {cpu::elementwise_loops<float>(), cpu::loss_loops<float>()},
      .f64 = {cpu::elementwise_loops<double>(), cpu::loss_loops<double>()},
      .bind_in_library = blas::bind_in_library,
      .start_library = blas::open_library,
      .runtime = blas::runtime,
  };
  return definition;
}

}  // namespace gdbench::backends
