// C = alpha op(A) op(B) + beta C and its epilogues, three ways:
// - a thread to an entry of C, where the inner dimension is short: one launch, epilogue and all;
// - a tree over the inner dimension, where C is small and the inner dimension is long (gradients of small weights);
// - cuBLAS for everything else, with one more launch for an epilogue.
#include "implementations/backends/cuda/call.h"
#include "implementations/backends/cuda/elementwise.h"
#include "implementations/backends/cuda/reduction.h"
#include "implementations/backends/cuda/scratch.h"
#include "implementations/backends/common/rules/shapes.h"

namespace gdbench::backends::cuda {
namespace {

enum class ProductKind { entries, tree, blas };

// A launch of cuBLAS is worth its own choice of kernels from a few million multiplications on; estimates, until they
// are measured on a device (scripts/gpu-check).
constexpr std::int64_t kMaxOwnMultiplications = std::int64_t{1} << 22;
constexpr std::int64_t kShortInner = 128;
constexpr std::int64_t kSmallResult = 8192;
constexpr std::int64_t kSplitInner = 2048;  // where the inner dimension is longer, several blocks share it

ProductKind choose_product(const ProductShape& shape) {
  if (shape.m * shape.n * shape.k > kMaxOwnMultiplications) return ProductKind::blas;
  if (shape.k <= kShortInner) return ProductKind::entries;
  return shape.m * shape.n <= kSmallResult ? ProductKind::tree : ProductKind::blas;
}

// op(M)[row, column] of a matrix that lies in rows of `stride` entries.
template <class T>
struct Factor {
  const T* matrix;
  std::int64_t stride;
  bool transpose;
  GDBENCH_HOST_DEVICE T operator()(std::int64_t row, std::int64_t column) const {
    return transpose ? matrix[column * stride + row] : matrix[row * stride + column];
  }
};

// What is done with a finished sum.
template <class T, class Function>
struct Epilogue {
  T alpha;
  T beta;
  const T* bias;  // null: none
  Function function;
  GDBENCH_HOST_DEVICE T operator()(T sum, T before, std::int64_t column) const {
    T z = alpha * sum;
    if (beta != T(0)) z += beta * before;
    if (bias != nullptr) z += bias[column];
    return function(z);
  }
};

template <class T, class Function>
struct EntryProduct {
  Factor<T> a;
  Factor<T> b;
  T* c;
  std::int64_t n;
  std::int64_t k;
  Epilogue<T, Function> epilogue;
  GDBENCH_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t row = i / n;
    const std::int64_t column = i % n;
    T sum = 0;
    for (std::int64_t p = 0; p < k; ++p) sum += a(row, p) * b(p, column);
    // With beta 0, C is never read: it may hold anything.
    c[i] = epilogue(sum, epilogue.beta != T(0) ? c[i] : T(0), column);
  }
};

// The same C as a row of m n columns, each a sum over the inner dimension.
template <class T>
struct ProductTerm {
  Factor<T> a;
  Factor<T> b;
  std::int64_t n;
  GDBENCH_HOST_DEVICE T operator()(std::int64_t p, std::int64_t entry) const {
    return a(entry / n, p) * b(p, entry % n);
  }
};

template <class T, class Function>
struct StoreEntry {
  T* c;
  std::int64_t n;
  Epilogue<T, Function> epilogue;
  GDBENCH_HOST_DEVICE void operator()(std::int64_t /*split*/, std::int64_t entry, T sum) const {
    c[entry] = epilogue(sum, epilogue.beta != T(0) ? c[entry] : T(0), entry % n);
  }
};

// All that the three ways take from a request.
template <class T, class Function>
struct Product {
  Product(const Request& request, Function activation)
      : shape(product_shape(request)),
        transpose_a(request.transpose_a),
        transpose_b(request.transpose_b),
        has_bias(request.epilogue_bias),
        a_stride(request.operands[0].columns),
        b_stride(request.operands[1].columns),
        alpha(request.alpha),
        beta(request.beta),
        function(activation) {}

  Factor<T> a(const Buffer* buffers) const { return {data<const T>(buffers[0]), a_stride, transpose_a}; }
  Factor<T> b(const Buffer* buffers) const { return {data<const T>(buffers[1]), b_stride, transpose_b}; }
  Epilogue<T, Function> epilogue(const Buffer* buffers) const {
    return {static_cast<T>(alpha), static_cast<T>(beta), has_bias ? data<const T>(buffers[3]) : nullptr, function};
  }

  ProductShape shape;
  bool transpose_a;
  bool transpose_b;
  bool has_bias;
  std::int64_t a_stride;
  std::int64_t b_stride;
  double alpha;
  double beta;
  Function function;
};

template <class T, class Function>
OwnedCall* bind_entries(Context& context, const Product<T, Function>& product) {
  return make_call(context, "product", [product](Context& to, const Buffer* buffers) {
    launch_entries(to.stream, product.shape.m * product.shape.n,
                   EntryProduct<T, Function>{product.a(buffers), product.b(buffers), data<T>(buffers[2]),
                                             product.shape.n, product.shape.k, product.epilogue(buffers)});
  });
}

template <class T, class Function>
OwnedCall* bind_tree(Context& context, const Product<T, Function>& product) {
  const std::int64_t entries = product.shape.m * product.shape.n;
  const ReductionShape shape = reduction_of(product.shape.k, entries, kSplitInner);
  Scratch partials =
      shape.splits == 1 ? Scratch() : Scratch(sizeof(T) * static_cast<std::size_t>(shape.splits * entries));
  return make_call(
      context, "product", [product, shape, partials = std::move(partials)](Context& to, const Buffer* buffers) {
        reduce<T>(to.stream, shape, partials.template as<T>(),
                  ProductTerm<T>{product.a(buffers), product.b(buffers), product.shape.n},
                  StoreEntry<T, Function>{data<T>(buffers[2]), product.shape.n, product.epilogue(buffers)});
      });
}

// Rows are columns to BLAS: it is asked for C' = op(B)' op(A)'.
template <class T, class Function>
Gemm gemm_of(const Product<T, Function>& product) {
  Gemm gemm;
  gemm.transpose_a = product.transpose_b;
  gemm.transpose_b = product.transpose_a;
  gemm.m = product.shape.n;
  gemm.n = product.shape.m;
  gemm.k = product.shape.k;
  gemm.alpha = product.alpha;
  gemm.beta = product.beta;
  gemm.lda = product.b_stride;
  gemm.ldb = product.a_stride;
  gemm.ldc = product.shape.n;
  return gemm;
}

template <class T, class Function>
OwnedCall* bind_blas(Context& context, const Product<T, Function>& product, bool activates) {
  if (context.blas == nullptr) {
    std::string error;
    context.blas.reset(Blas::open(context.stream, context.settings.tf32, error));
    if (context.blas == nullptr) {
      context.unsupported = error;
      return nullptr;
    }
  }
  const Gemm gemm = gemm_of(product);
  return make_call(context, "product", [product, gemm, activates](Context& to, const Buffer* buffers) {
    T* c = data<T>(buffers[2]);
    if (!to.blas->gemm(gemm, data<const T>(buffers[1]), data<const T>(buffers[0]), c)) {
      note(to, "cuBLAS's gemm failed");
      return;
    }
    const Operand z{product.shape.m, product.shape.n};
    if (product.has_bias) {
      launch_bias(to.stream, z, data<const T>(buffers[3]), c, Apply<T, Function>{});
    } else if (activates) {
      launch_map(to.stream, size_of(z), static_cast<const T*>(c), c, Apply<T, Function>{});
    }
  });
}

template <class T>
OwnedCall* bind_of(Context& context, const Request& request) {
  const bool activates = request.epilogue_activation != Activation::identity;
  return with_activation(request.epilogue_activation, [&](auto function) -> OwnedCall* {
    using Function = decltype(function);
    if (choose_product(product_shape(request)) == ProductKind::blas) {
      return bind_blas(context, Product<T, Function>(request, function), activates);
    }
    const Product<T, Apply<T, Function>> product(request, {});
    return choose_product(product.shape) == ProductKind::entries ? bind_entries(context, product)
                                                                 : bind_tree(context, product);
  });
}

}  // namespace

OwnedCall* bind_product(Context& context, const Request& request) {
  return catalogue::with_element(request.dtype, [&](auto zero) { return bind_of<decltype(zero)>(context, request); });
}

}  // namespace gdbench::backends::cuda
