// Products by columns, as cuBLAS has them, in plain loops.
#include <bit>
#include <type_traits>

#include "implementations/backends/cuda/blas.h"
#include "implementations/backends/cuda/narrow.h"
#include "tests/fakes/emulated_device/device.h"

namespace gdbench::backends::cuda {
namespace {

// TF32 by cutting off what it has no bits for, the coarsest way that a device may take.
template <class Number>
SumOf<Number> operand(Number value, bool tf32) {
  if constexpr (std::is_same_v<Number, float>) {
    if (tf32) return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & ~0x1fffU);
  }
  return static_cast<SumOf<Number>>(value);
}

template <class Number, class T>
void multiply(const Gemm& shape, bool tf32, const Number* a, const Number* b, T* c) {
  for (std::int64_t column = 0; column < shape.n; ++column) {
    for (std::int64_t row = 0; row < shape.m; ++row) {
      T sum = 0;
      for (std::int64_t p = 0; p < shape.k; ++p) {
        const Number left = shape.transpose_a ? a[p + row * shape.lda] : a[row + p * shape.lda];
        const Number right = shape.transpose_b ? b[column + p * shape.ldb] : b[p + column * shape.ldb];
        sum += operand(left, tf32) * operand(right, tf32);
      }
      T& entry = c[row + column * shape.ldc];
      entry = static_cast<T>(shape.alpha) * sum + (shape.beta == 0 ? T(0) : static_cast<T>(shape.beta) * entry);
    }
  }
}

template <class Number, class T>
void finish(const Gemm& shape, const Number* a, T* c, T* bias) {
  if (shape.epilogue == GemmEpilogue::bias_gradient) {
    for (std::int64_t row = 0; row < shape.m; ++row) {
      bias[row] = 0;
      for (std::int64_t p = 0; p < shape.k; ++p)
        bias[row] += static_cast<T>(shape.transpose_a ? a[p + row * shape.lda] : a[row + p * shape.lda]);
    }
    return;
  }
  const bool adds = shape.epilogue == GemmEpilogue::bias || shape.epilogue == GemmEpilogue::bias_relu;
  const bool activates = shape.epilogue == GemmEpilogue::relu || shape.epilogue == GemmEpilogue::bias_relu;
  for (std::int64_t column = 0; column < shape.n; ++column) {
    for (std::int64_t row = 0; row < shape.m; ++row) {
      T& entry = c[row + column * shape.ldc];
      if (adds) entry += bias[row];
      if (activates) entry = entry < 0 ? T(0) : entry;
    }
  }
}

class EmulatedProduct final : public BlasProduct {
 public:
  EmulatedProduct(cudaStream_t stream, const Gemm& gemm, bool tf32) : stream_(stream), gemm_(gemm), tf32_(tf32) {}

  bool run(const void* a, const void* b, void* c, void* bias) const override {
    const EmulatedLaunch product{.call = "cublasLtMatmul"};
    return with_operand(gemm_.dtype, [&](auto zero) {
      using Number = decltype(zero);
      using T = SumOf<Number>;
      const auto work = [=, gemm = gemm_, tf32 = tf32_] {
        multiply(gemm, tf32, static_cast<const Number*>(a), static_cast<const Number*>(b), static_cast<T*>(c));
        finish(gemm, static_cast<const Number*>(a), static_cast<T*>(c), static_cast<T*>(bias));
      };
      return emulated_launch(stream_, product, work) == cudaSuccess;
    });
  }

 private:
  cudaStream_t stream_;
  Gemm gemm_;
  bool tf32_;
};

class EmulatedBlas final : public Blas {
 public:
  EmulatedBlas(cudaStream_t stream, bool tf32) : stream_(stream), tf32_(tf32) {}

  // Of doubles without epilogues, so that tests meet both.
  std::unique_ptr<BlasProduct> bind(const Gemm& gemm) override {
    if (gemm.dtype == catalogue::Dtype::f64 && gemm.epilogue != GemmEpilogue::none) return nullptr;
    return std::make_unique<EmulatedProduct>(stream_, gemm, tf32_);
  }

 private:
  cudaStream_t stream_;
  bool tf32_;
};

}  // namespace

Blas* Blas::open(cudaStream_t stream, bool tf32, std::string& error) {
  if (const cudaError_t failure = emulated::failure_of("cublasLtCreate"); failure != cudaSuccess) {
    error = std::string("cublasLtCreate: ") + cudaGetErrorName(failure);
    return nullptr;
  }
  return new EmulatedBlas(stream, tf32);
}

}  // namespace gdbench::backends::cuda
