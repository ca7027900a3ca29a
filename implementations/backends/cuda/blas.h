// Products by cuBLASLt, which is opened when the first of them needs it: the plugin can be listed, and everything else
// be run, where it is not installed.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <string>

#include "harness/abi/catalogue.h"

namespace gdbench::backends::cuda {

// What a product does in addition.
enum class GemmEpilogue {
  none,
  bias,          // adds a bias[m] to each column
  relu,          // C = max(0, ...)
  bias_relu,     // both, in this order
  bias_gradient  // bias[m] = sums of op(A) over k
};

// C = alpha op(A) op(B) + beta C in columns, as BLAS has it: A, B and C with leading dimensions. Of a mixed dtype A and
// B hold its operands (narrow.h), all else floats.
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
  catalogue::Dtype dtype = catalogue::Dtype::f32;
  GemmEpilogue epilogue = GemmEpilogue::none;
};

// A product of one shape.
class BlasProduct {
 public:
  virtual ~BlasProduct() = default;
  // On the stream of its Blas, which outlives it. False where the library refuses. `bias` is not read without one.
  virtual bool run(const void* a, const void* b, void* c, void* bias) const = 0;
};

class Blas {
 public:
  // Opens the library for work on `stream`, with a workspace of its own so that recordings need none; `tf32`: products
  // of floats may use TF32. Null, with a reason in `error`, where that fails.
  static Blas* open(cudaStream_t stream, bool tf32, std::string& error);
  virtual ~Blas() = default;

  // Null where the library has no such product. Takes a while: the algorithms that the library proposes are timed.
  virtual std::unique_ptr<BlasProduct> bind(const Gemm& gemm) = 0;
};

}  // namespace gdbench::backends::cuda
