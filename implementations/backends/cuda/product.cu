// C = alpha op(A) op(B) + beta C and its epilogues, three ways:
// - a thread to an element of C, where the inner dimension is short;
// - a tree over the inner dimension, where C is small and the inner dimension is long (gradients of small weights);
// - cuBLAS for everything else, with one more launch for an epilogue that it does not have or for an update.
// The first two are one launch, epilogue and all. Operands of a mixed dtype are rounded where they are read, or, for
// cuBLAS, into copies.
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "implementations/backends/common/operands.h"
#include "implementations/backends/cuda/call.h"
#include "implementations/backends/cuda/elementwise.h"
#include "implementations/backends/cuda/product_epilogues.h"
#include "implementations/backends/cuda/product_terms.h"
#include "implementations/backends/cuda/reduction.h"

namespace gdbench::backends::cuda {
namespace {

enum class ProductKind { elements, tree, blas };

// A launch of cuBLAS is worth its own choice of kernels from a few million multiplications on; estimates, until they
// are measured on a device (scripts/gpu-check).
constexpr std::int64_t kMaxOwnMultiplications = std::int64_t{1} << 22;
constexpr std::int64_t kShortInner = 128;
constexpr std::int64_t kShortestInner = 16;
constexpr std::int64_t kSmallResult = 8192;

ProductKind choose_product(const ProductShape& shape) {
  if (shape.m * shape.n * shape.k > kMaxOwnMultiplications) return ProductKind::blas;
  if (shape.k <= kShortestInner) return ProductKind::elements;
  if (shape.m * shape.n <= kSmallResult) return ProductKind::tree;
  return shape.k <= kShortInner ? ProductKind::elements : ProductKind::blas;
}

// All that the ways take from a request.
template <class Number>
struct Product {
  using T = SumOf<Number>;
  explicit Product(const Request& asked) : request(asked), shape(product_shape(asked)) {
    bias = request.epilogue_update ? 4 + slots_of(request) : 3;
    if (request.epilogue_update) {
      constants.emplace(*request.optimizer);
      optimizer = catalogue::kind_of(*request.optimizer);
      decay = decay_of(*request.optimizer);
      request.optimizer = nullptr;
    }
  }

  std::int64_t entries() const {
    const bool updates_bias = request.epilogue_update && request.epilogue_bias;
    return (shape.m + (updates_bias ? 1 : 0)) * shape.n;
  }

  template <bool kSumsB>
  ProductTerms<Number, kSumsB> terms(const Buffer* buffers) const {
    return {factor_of<Number>(request.operands[0], request.transpose_a, buffers[0]),
            factor_of<Number>(request.operands[1], request.transpose_b, buffers[1]), shape.m, shape.n, shape.k};
  }

  StoreElement<T> store(const Buffer* buffers) const {
    Epilogue<T> epilogue;
    const Buffer last = buffers[request.operand_count - 1];
    epilogue.beta = static_cast<T>(request.beta);
    if (request.epilogue_bias) epilogue.bias = data<const T>(buffers[bias]);
    if (request.epilogue_loss_gradient) {
      epilogue.targets = data<const T>(last);
      epilogue.loss = request.loss;
      epilogue.huber_delta = static_cast<T>(request.loss.huber_delta);
      epilogue.scale = static_cast<T>(request.alpha * loss_gradient_scale(request.loss, shape.m, shape.n));
    } else {
      epilogue.alpha = static_cast<T>(request.alpha);
    }
    epilogue.activation = request.epilogue_activation;
    if (request.epilogue_activation_gradient) {
      epilogue.argument = data<const T>(last);
      epilogue.operands = request.dtype;
      epilogue.activation = request.activation;
    }
    return {data<T>(buffers[2]), shape.n, epilogue};
  }

  StoreUpdate<T> update(const Buffer* buffers) const {
    StoreUpdate<T> update{*constants,
                          optimizer,
                          decay,
                          data<const UpdateScalars>(buffers[3]),
                          shape.m * shape.n,
                          parameter(buffers[2], buffers + 4, bias - 4),
                          {}};
    if (request.epilogue_bias) update.bias = parameter(buffers[bias], buffers + bias + 1, bias - 4);
    return update;
  }

  Request request;  // without its optimizer, which lives no longer than bind
  ProductShape shape;
  std::size_t bias = 0;  // which operand it is
  std::optional<UpdateConstants<T>> constants;
  OptimizerKind optimizer = OptimizerKind::sgd;
  Decay decay = Decay::none;

 private:
  // A slot that the rule does not have is never read: any address serves.
  static ParameterUpdate<T> parameter(Buffer values, const Buffer* slots, std::size_t slot_count) {
    ParameterUpdate<T> parameter{data<T>(values), {data<T>(values), data<T>(values)}};
    for (std::size_t slot = 0; slot < slot_count; ++slot) parameter.slots[slot] = data<T>(slots[slot]);
    return parameter;
  }
};

template <class Number>
OwnedCall* bind_elements(Context& context, const Product<Number>& product) {
  using T = SumOf<Number>;
  return make_call(context, "product", [product](Context& to, const Buffer* buffers) {
    if (product.request.epilogue_update) {
      launch_elements(
          to.stream, product.entries(),
          ElementProduct<Number, true, StoreUpdate<T>>{product.template terms<true>(buffers), product.update(buffers)});
    } else {
      launch_elements(to.stream, product.entries(),
                      ElementProduct<Number, false, StoreElement<T>>{product.template terms<false>(buffers),
                                                                     product.store(buffers)});
    }
  });
}

template <class Number>
OwnedCall* bind_tree(Context& context, const Product<Number>& product) {
  using T = SumOf<Number>;
  return make_call(context, "product",
                   [product, sums = Reduction<T>(product.shape.k, product.entries(), context.stream)](
                       Context& to, const Buffer* buffers) {
                     if (product.request.epilogue_update) {
                       sums.launch(to.stream, product.template terms<true>(buffers), product.update(buffers));
                     } else {
                       sums.launch(to.stream, product.template terms<false>(buffers), product.store(buffers));
                     }
                   });
}

// Rows are columns to BLAS: it is asked for C' = op(B)' op(A)'.
Gemm gemm_of(const Request& request, const ProductShape& shape) {
  Gemm gemm;
  gemm.transpose_a = request.transpose_b;
  gemm.transpose_b = request.transpose_a;
  gemm.m = shape.n;
  gemm.n = shape.m;
  gemm.k = shape.k;
  gemm.alpha = request.epilogue_loss_gradient ? 1 : request.alpha;
  gemm.beta = request.beta;
  gemm.lda = request.operands[1].columns;
  gemm.ldb = request.operands[0].columns;
  gemm.ldc = shape.n;
  gemm.dtype = request.dtype;
  return gemm;
}

// What cuBLAS may do of a request's epilogue.
GemmEpilogue epilogue_of(const Request& request) {
  // Nothing says in what cuBLAS would add up narrow numbers for a bias.
  const bool sums_bias = request.epilogue_bias && !catalogue::is_mixed(request.dtype);
  if (request.epilogue_update) return sums_bias ? GemmEpilogue::bias_gradient : GemmEpilogue::none;
  const bool activates = request.epilogue_activation == Activation::relu;
  const bool plain = request.epilogue_activation == Activation::identity && !request.epilogue_activation_gradient &&
                     !request.epilogue_loss_gradient;
  if (!activates && !plain) return GemmEpilogue::none;
  if (request.epilogue_bias) return activates ? GemmEpilogue::bias_relu : GemmEpilogue::bias;
  return activates ? GemmEpilogue::relu : GemmEpilogue::none;
}

// An epilogue of sums that lie in C itself, or the update by gradients that were put in a place of their own.
template <class T>
struct StoreAll {
  const T* sums;
  StoreElement<T> store;
  GDBENCH_HOST_DEVICE void operator()(std::int64_t i) const { store(i, sums[i]); }
};
template <class T>
struct UpdateAll {
  const T* gradients;
  StoreUpdate<T> update;
  GDBENCH_HOST_DEVICE UpdateStep<T> prepare() const { return update.prepare(); }
  GDBENCH_HOST_DEVICE void operator()(const UpdateStep<T>& step, std::int64_t i) const {
    update(step, i, gradients[i]);
  }
};

template <class Number>
struct Narrowing {
  GDBENCH_HOST_DEVICE Number operator()(float value) const { return static_cast<Number>(value); }
};

// A product of cuBLAS, with places for its operands where they are narrow.
template <class Number>
class BoundGemm {
 public:
  BoundGemm(std::unique_ptr<BlasProduct> gemm, const Request& request) : gemm_(std::move(gemm)) {
    if constexpr (kIsNarrow<Number>) {
      for (std::size_t i = 0; i < copies_.size(); ++i) {
        sizes_[i] = size_of(request.operands[i]);
        copies_[i] = Scratch(sizeof(Number) * static_cast<std::size_t>(sizes_[i]));
      }
    }
  }

  void run(Context& to, const Buffer* buffers, void* c, void* bias) const {
    const void* operands[2] = {buffers[0], buffers[1]};
    if constexpr (kIsNarrow<Number>) {
      for (std::size_t i = 0; i < copies_.size(); ++i) {
        auto* const copy = copies_[i].template as<Number>();
        launch_map(to.stream, sizes_[i], data<const float>(buffers[i]), copy, Narrowing<Number>{});
        operands[i] = copy;
      }
    }
    if (!gemm_->run(operands[1], operands[0], c, bias)) note(to, "cuBLAS refuses a product");
  }

 private:
  std::unique_ptr<BlasProduct> gemm_;
  std::array<Scratch, 2> copies_;
  std::array<std::int64_t, 2> sizes_{};
};

// The product's gradients, with those of the bias behind them, then the update of both.
template <class Number>
OwnedCall* bind_blas_update(Context& context, const Product<Number>& product, BoundGemm<Number> gemm, bool sums_bias) {
  using T = SumOf<Number>;
  const std::int64_t weights = product.shape.m * product.shape.n;
  return make_call(
      context, "product",
      [product, gemm = std::move(gemm), sums_bias, weights,
       gradients = Scratch(sizeof(T) * static_cast<std::size_t>(product.entries())),
       sums = Reduction<T>(product.shape.k, product.shape.n, context.stream)](Context& to, const Buffer* buffers) {
        T* gradient = gradients.template as<T>();
        gemm.run(to, buffers, gradient, gradient + weights);
        if (sums_bias) {
          sums.launch(to.stream, MatrixTerms<Number>{data<const T>(buffers[1]), product.shape.n},
                      StoreColumn<T>{gradient + weights});
        }
        launch_elements(to.stream, product.entries(), UpdateAll<T>{gradient, product.update(buffers)});
      });
}

template <class Number>
OwnedCall* bind_blas(Context& context, const Product<Number>& product) {
  using T = SumOf<Number>;
  if (context.blas == nullptr) {
    std::string error;
    context.blas.reset(Blas::open(context.stream, context.settings.tf32, error));
    if (context.blas == nullptr) {
      context.unsupported = error;
      return nullptr;
    }
  }
  const Request& request = product.request;
  Gemm shape = gemm_of(request, product.shape);
  shape.epilogue = epilogue_of(request);
  std::unique_ptr<BlasProduct> gemm = context.blas->bind(shape);
  // Where cuBLAS does not have the epilogue, it is one more launch.
  const bool apart = gemm == nullptr || shape.epilogue == GemmEpilogue::none;
  if (gemm == nullptr && shape.epilogue != GemmEpilogue::none) {
    shape.epilogue = GemmEpilogue::none;
    gemm = context.blas->bind(shape);
  }
  if (gemm == nullptr) {
    context.unsupported = "cuBLAS does not have this product";
    return nullptr;
  }
  BoundGemm<Number> bound(std::move(gemm), request);
  if (request.epilogue_update) {
    return bind_blas_update(context, product, std::move(bound), request.epilogue_bias && apart);
  }
  return make_call(context, "product", [product, gemm = std::move(bound), apart](Context& to, const Buffer* buffers) {
    T* c = data<T>(buffers[2]);
    gemm.run(to, buffers, c, product.request.epilogue_bias ? buffers[product.bias] : nullptr);
    if (!apart || !has_epilogue(product.request)) return;
    StoreElement<T> store = product.store(buffers);
    store.epilogue.alpha = 1;
    store.epilogue.beta = 0;
    launch_elements(to.stream, product.shape.m * product.shape.n, StoreAll<T>{c, store});
  });
}

template <class Number>
OwnedCall* bind_of(Context& context, const Request& request) {
  const Product<Number> product(request);
  switch (choose_product(product.shape)) {
    case ProductKind::elements:
      return bind_elements(context, product);
    case ProductKind::tree:
      return bind_tree(context, product);
    case ProductKind::blas:
      return bind_blas(context, product);
  }
  return nullptr;
}

}  // namespace

OwnedCall* bind_product(Context& context, const Request& request) {
  return with_operand(request.dtype, [&](auto zero) { return bind_of<decltype(zero)>(context, request); });
}

}  // namespace gdbench::backends::cuda
