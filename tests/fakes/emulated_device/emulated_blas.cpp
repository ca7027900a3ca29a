// Products by columns, as cuBLAS has them, in plain loops.
#include <bit>
#include <type_traits>

#include "implementations/backends/cuda/blas.h"

namespace gdbench::backends::cuda {
namespace {

// TF32 by cutting off what it has no bits for, the coarsest way that a device may take.
template <class T>
T operand(T value, bool tf32) {
  if constexpr (std::is_same_v<T, float>) {
    if (tf32) return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & ~0x1fffU);
  }
  return value;
}

template <class T>
void multiply(const Gemm& shape, bool tf32, const T* a, const T* b, T* c) {
  for (std::int64_t column = 0; column < shape.n; ++column) {
    for (std::int64_t row = 0; row < shape.m; ++row) {
      T sum = 0;
      for (std::int64_t p = 0; p < shape.k; ++p) {
        const T left = shape.transpose_a ? a[p + row * shape.lda] : a[row + p * shape.lda];
        const T right = shape.transpose_b ? b[column + p * shape.ldb] : b[p + column * shape.ldb];
        sum += operand(left, tf32) * operand(right, tf32);
      }
      T& entry = c[row + column * shape.ldc];
      entry = static_cast<T>(shape.alpha) * sum + (shape.beta == 0 ? T(0) : static_cast<T>(shape.beta) * entry);
    }
  }
}

class EmulatedBlas final : public Blas {
 public:
  EmulatedBlas(cudaStream_t stream, bool tf32) : stream_(stream), tf32_(tf32) {}

  bool gemm(const Gemm& shape, const float* a, const float* b, float* c) override { return launch(shape, a, b, c); }
  bool gemm(const Gemm& shape, const double* a, const double* b, double* c) override { return launch(shape, a, b, c); }

 private:
  template <class T>
  bool launch(const Gemm& shape, const T* a, const T* b, T* c) {
    emulated_launch(stream_, [=, tf32 = tf32_] { multiply(shape, tf32, a, b, c); });
    return true;
  }

  cudaStream_t stream_;
  bool tf32_;
};

}  // namespace

Blas* Blas::open(cudaStream_t stream, bool tf32, std::string& /*error*/) { return new EmulatedBlas(stream, tf32); }

}  // namespace gdbench::backends::cuda
