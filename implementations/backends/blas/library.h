// A BLAS that is chosen and opened when a context is created: by its file, so that the system's choice does not matter
// and none is needed to build.
#pragma once

#include <string>

#include "gdbench/plugin.h"

namespace gdbench::backends::blas {

// The values of CBLAS's enumerations, and its two functions, for row-major matrices with dimensions of 32 bits.
// Netlib, cblas.h (LAPACK 3.11).
constexpr int kRowMajor = 101;
constexpr int kNoTranspose = 111;
constexpr int kTranspose = 112;

template <class T>
struct Functions {
  // C[m,n] = alpha op(A) op(B) + beta C.
  void (*gemm)(int order, int transpose_a, int transpose_b, int m, int n, int k, T alpha, const T* a, int lda,
               const T* b, int ldb, T beta, T* c, int ldc) = nullptr;
  // y = alpha op(A) x + beta y, where A lies as [rows, columns].
  void (*gemv)(int order, int transpose, int rows, int columns, T alpha, const T* a, int lda, const T* x, int incx,
               T beta, T* y, int incy) = nullptr;
};

struct Library {
  Functions<float> f32;
  Functions<double> f64;
  bool generates = false;   // libxsmm: no BLAS, but code for one product at a time (generated_product.h)
  std::string description;  // what it says of itself, and its file
};

// Which library a context computes with: a name of `library.cpp`, or a file that exports CBLAS.
extern const gdbench_option kLibraryOption;

// Opens what `settings` (which may be null) choose, with so many threads of its own for each call. One library serves
// a process. Throws Failure (GDBENCH_UNSUPPORTED) for an unknown name, and for a library that is not there (with
// what to install), that cannot have as many threads, or that is not the one that the process has.
void open_library(const gdbench_settings* settings, int threads);

// What open_library opened.
const Library& library();

}  // namespace gdbench::backends::blas
