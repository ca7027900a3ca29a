// Products by columns, as cuBLAS has them, in plain loops.
#include "implementations/kernels/cuda/blas.h"

namespace gdbench::kernels::cuda {
namespace {

template <class T>
void multiply(const Gemm& shape, const T* a, const T* b, T* c) {
  for (std::int64_t column = 0; column < shape.n; ++column) {
    for (std::int64_t row = 0; row < shape.m; ++row) {
      T sum = 0;
      for (std::int64_t p = 0; p < shape.k; ++p) {
        const T left = shape.transpose_a ? a[p + row * shape.lda] : a[row + p * shape.lda];
        const T right = shape.transpose_b ? b[column + p * shape.ldb] : b[p + column * shape.ldb];
        sum += left * right;
      }
      T& entry = c[row + column * shape.ldc];
      entry = static_cast<T>(shape.alpha) * sum + (shape.beta == 0 ? T(0) : static_cast<T>(shape.beta) * entry);
    }
  }
}

class EmulatedBlas final : public Blas {
 public:
  explicit EmulatedBlas(cudaStream_t stream) : stream_(stream) {}

  bool gemm(const Gemm& shape, const float* a, const float* b, float* c) override { return launch(shape, a, b, c); }
  bool gemm(const Gemm& shape, const double* a, const double* b, double* c) override { return launch(shape, a, b, c); }

 private:
  template <class T>
  bool launch(const Gemm& shape, const T* a, const T* b, T* c) {
    emulated_launch(stream_, [=] { multiply(shape, a, b, c); });
    return true;
  }

  cudaStream_t stream_;
};

}  // namespace

Blas* Blas::open(cudaStream_t stream, std::string& /*error*/) { return new EmulatedBlas(stream); }

}  // namespace gdbench::kernels::cuda
