#include "implementations/backends/blas/generated_product.h"

#ifdef GDBENCH_HAS_LIBXSMM
#include <libxsmm.h>

#include <vector>

#include "implementations/backends/common/operands.h"
#endif

namespace gdbench::backends::blas {

#ifdef GDBENCH_HAS_LIBXSMM
namespace {

template <class T>
using Kernel = void (*)(const T* a, const T* b, T* c, ...);

// libxsmm's matrices are column-major: it computes C' = op(B)' op(A)' here, its first operand is our B, its m our n.
template <class T>
Kernel<T> generate(const ProductShape& shape, int lda, bool transpose_a, T beta) {
  const T alpha = 1;
  const int flags = transpose_a ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE;
  const auto m = static_cast<int>(shape.n);
  const auto n = static_cast<int>(shape.m);
  const auto k = static_cast<int>(shape.k);
  if constexpr (sizeof(T) == sizeof(float)) {
    return libxsmm_smmdispatch(m, n, k, nullptr, &lda, nullptr, &alpha, &beta, &flags, nullptr);
  } else {
    return libxsmm_dmmdispatch(m, n, k, nullptr, &lda, nullptr, &alpha, &beta, &flags, nullptr);
  }
}

template <class T>
struct GeneratedCall : cpu::OwnedCall {
  explicit GeneratedCall(const Request& request) : shape(product_shape(request)), factors(request) {}

  ProductShape shape;
  cpu::ProductFactors<T> factors;
  Kernel<T> kernel = nullptr;
  // Scratch space of a call that runs on one thread at a time.
  mutable std::vector<T> b;        // [k,n], where B lies as [n,k]
  mutable std::vector<T> product;  // where the factors are the call's own
};

template <class T>
void run_generated(const Call* call, const Buffer* buffers, Stream* /*stream*/) {
  const auto& self = static_cast<const GeneratedCall<T>&>(*call);
  const T* b = cpu::data<const T>(buffers[1]);
  if (!self.b.empty()) {
    const auto n = static_cast<int>(self.shape.n);
    const auto k = static_cast<int>(self.shape.k);
    libxsmm_otrans(self.b.data(), b, sizeof(T), k, n, k, n);
    b = self.b.data();
  }
  const T* a = cpu::data<const T>(buffers[0]);
  T* c = cpu::data<T>(buffers[2]);
  if (self.product.empty()) {
    self.kernel(b, a, c);
    return;
  }
  self.kernel(b, a, self.product.data());
  const T alpha = self.factors.alpha(buffers);
  const T beta = self.factors.beta;
  const T* __restrict product = self.product.data();
  const std::int64_t size = self.shape.m * self.shape.n;
  if (beta == T(0)) {
    for (std::int64_t i = 0; i < size; ++i) c[i] = alpha * product[i];
  } else {
    for (std::int64_t i = 0; i < size; ++i) c[i] = alpha * product[i] + beta * c[i];
  }
}

template <class T>
cpu::Binding bind(const Request& request) {
  GeneratedCall<T> call(request);
  const ProductShape& shape = call.shape;
  const bool plain = !call.factors.update && call.factors.fixed_alpha == T(1) &&
                     (call.factors.beta == T(0) || call.factors.beta == T(1));
  if (!plain) call.product.resize(static_cast<std::size_t>(shape.m * shape.n));
  // Vectors lie alike whether they are transposed or not.
  if (request.transpose_b && shape.n > 1 && shape.k > 1) call.b.resize(static_cast<std::size_t>(shape.k * shape.n));
  call.kernel = generate<T>(shape, static_cast<int>(stride_of(request.operands[0])), request.transpose_a,
                            plain ? call.factors.beta : T(0));
  if (call.kernel == nullptr) return cpu::unsupported("libxsmm generates no code for a product of these shapes");
  return cpu::make_binding(std::move(call), run_generated<T>);
}

}  // namespace

bool generates() { return true; }

std::string start_generator() {
  libxsmm_init();
  return std::string("libxsmm ") + LIBXSMM_VERSION + ", code for " + libxsmm_get_target_arch();
}

cpu::Binding bind_generated_product(const Request& request) {
  return catalogue::with_element(request.dtype, [&](auto zero) { return bind<decltype(zero)>(request); });
}
#else
bool generates() { return false; }

std::string start_generator() { return {}; }

cpu::Binding bind_generated_product(const Request& /*request*/) { return {}; }
#endif

}  // namespace gdbench::backends::blas
