// cuBLAS, which is opened when the first product needs it: the plugin can be listed, and everything else be run, where
// it is not installed.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

namespace gdbench::backends::cuda {

// C = alpha op(A) op(B) + beta C in columns, as BLAS has it: A, B and C with leading dimensions.
struct Gemm {
  bool transpose_a = false;
  bool transpose_b = false;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  double alpha = 1;
  double beta = 0;
  std::int64_t lda = 0;
  std::int64_t ldb = 0;
  std::int64_t ldc = 0;
};

class Blas {
 public:
  // Opens cuBLAS for work on `stream`, with a workspace of its own so that recordings need none; `tf32`: products of
  // floats may use TF32. Null, with a reason in `error`, where that fails.
  static Blas* open(cudaStream_t stream, bool tf32, std::string& error);
  virtual ~Blas() = default;

  // Both return false where cuBLAS refuses.
  virtual bool gemm(const Gemm& shape, const float* a, const float* b, float* c) = 0;
  virtual bool gemm(const Gemm& shape, const double* a, const double* b, double* c) = 0;
};

}  // namespace gdbench::backends::cuda
