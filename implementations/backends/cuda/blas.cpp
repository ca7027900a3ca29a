#include "implementations/backends/cuda/blas.h"

#include <cublas_v2.h>
#include <dlfcn.h>

#include <limits>
#include <new>

namespace gdbench::backends::cuda {
namespace {

// What cuBLAS's header says of the sizes that products of Hopper's want; smaller devices want less.
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

#define GDBENCH_TEXT_OF(value) #value
#define GDBENCH_TEXT(value) GDBENCH_TEXT_OF(value)
constexpr const char* kLibrary = "libcublas.so." GDBENCH_TEXT(CUBLAS_VER_MAJOR);

// The functions that are called, by their exported names.
struct Library {
  decltype(&cublasCreate_v2) create = nullptr;
  decltype(&cublasDestroy_v2) destroy = nullptr;
  decltype(&cublasSetStream_v2) set_stream = nullptr;
  decltype(&cublasSetWorkspace_v2) set_workspace = nullptr;
  decltype(&cublasSetMathMode) set_math_mode = nullptr;
  decltype(&cublasSgemm_v2) sgemm = nullptr;
  decltype(&cublasDgemm_v2) dgemm = nullptr;
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

// Stays open as long as the process, as cuBLAS's own state does.
bool open_library(Library& functions, std::string& error) {
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    error = std::string("cuBLAS is not found (") + kLibrary + "; scripts/gpu-check looks for it)";
    return false;
  }
  const bool complete =
      find(library, "cublasCreate_v2", functions.create) && find(library, "cublasDestroy_v2", functions.destroy) &&
      find(library, "cublasSetStream_v2", functions.set_stream) &&
      find(library, "cublasSetWorkspace_v2", functions.set_workspace) &&
      find(library, "cublasSetMathMode", functions.set_math_mode) && find(library, "cublasSgemm_v2", functions.sgemm) &&
      find(library, "cublasDgemm_v2", functions.dgemm);
  if (!complete) error = std::string(kLibrary) + " lacks a function that this build calls";
  return complete;
}

cublasOperation_t operation(bool transpose) { return transpose ? CUBLAS_OP_T : CUBLAS_OP_N; }

bool fits(std::int64_t size) { return size <= std::numeric_limits<int>::max(); }

class CuBlas final : public Blas {
 public:
  explicit CuBlas(const Library& library) : library_(library) {}
  CuBlas(const CuBlas&) = delete;
  CuBlas& operator=(const CuBlas&) = delete;
  ~CuBlas() override {
    if (handle_ != nullptr) library_.destroy(handle_);
    if (workspace_ != nullptr) cudaFree(workspace_);
  }

  bool start(cudaStream_t stream, bool tf32) {
    return library_.create(&handle_) == CUBLAS_STATUS_SUCCESS &&
           library_.set_stream(handle_, stream) == CUBLAS_STATUS_SUCCESS &&
           cudaMalloc(&workspace_, kWorkspaceBytes) == cudaSuccess &&
           library_.set_workspace(handle_, workspace_, kWorkspaceBytes) == CUBLAS_STATUS_SUCCESS &&
           // The default has no reduced precision.
           library_.set_math_mode(handle_, tf32 ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH) ==
               CUBLAS_STATUS_SUCCESS;
  }

  bool gemm(const Gemm& shape, const float* a, const float* b, float* c) override {
    return call<float>(library_.sgemm, shape, a, b, c);
  }
  bool gemm(const Gemm& shape, const double* a, const double* b, double* c) override {
    return call<double>(library_.dgemm, shape, a, b, c);
  }

 private:
  template <class T, class Function>
  bool call(Function function, const Gemm& shape, const T* a, const T* b, T* c) {
    if (!fits(shape.m) || !fits(shape.n) || !fits(shape.k)) return false;
    const auto alpha = static_cast<T>(shape.alpha);
    const auto beta = static_cast<T>(shape.beta);
    return function(handle_, operation(shape.transpose_a), operation(shape.transpose_b), static_cast<int>(shape.m),
                    static_cast<int>(shape.n), static_cast<int>(shape.k), &alpha, a, static_cast<int>(shape.lda), b,
                    static_cast<int>(shape.ldb), &beta, c, static_cast<int>(shape.ldc)) == CUBLAS_STATUS_SUCCESS;
  }

  Library library_;
  cublasHandle_t handle_ = nullptr;
  void* workspace_ = nullptr;
};

}  // namespace

Blas* Blas::open(cudaStream_t stream, bool tf32, std::string& error) {
  Library library;
  if (!open_library(library, error)) return nullptr;
  auto* blas = new CuBlas(library);
  if (blas->start(stream, tf32)) return blas;
  delete blas;
  error = "cuBLAS does not start on this device";
  return nullptr;
}

}  // namespace gdbench::backends::cuda
