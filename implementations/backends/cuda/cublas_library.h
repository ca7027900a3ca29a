// The functions of cuBLASLt, found when it is opened.
#pragma once

#include <cublasLt.h>

#include <string>

namespace gdbench::backends::cuda {

// The functions that are called, by their exported names.
#define GDBENCH_CUBLAS_FUNCTIONS(visit)                                                                              \
  visit(cublasLtCreate) visit(cublasLtGetStatusName) visit(cublasLtDestroy) visit(cublasLtMatmul)                    \
      visit(cublasLtMatmulAlgoGetHeuristic) visit(cublasLtMatmulDescCreate) visit(cublasLtMatmulDescDestroy)         \
          visit(cublasLtMatmulDescSetAttribute) visit(cublasLtMatrixLayoutCreate) visit(cublasLtMatrixLayoutDestroy) \
              visit(cublasLtMatmulPreferenceCreate) visit(cublasLtMatmulPreferenceDestroy)                           \
                  visit(cublasLtMatmulPreferenceSetAttribute)

struct CublasLibrary {
#define GDBENCH_DECLARE(name) decltype(&::name) name = nullptr;
  GDBENCH_CUBLAS_FUNCTIONS(GDBENCH_DECLARE)
#undef GDBENCH_DECLARE
};

// Stays open as long as the process, as the library's own state does. False, with a reason in `error`, if not found.
bool open_library(CublasLibrary& functions, std::string& error);

// A description that the library makes and destroys.
template <class Handle>
class Described {
 public:
  Described() = default;
  Described(const Described&) = delete;
  Described& operator=(const Described&) = delete;
  ~Described() {
    if (handle_ != nullptr) destroy_(handle_);
  }
  template <class Create>
  bool make(cublasStatus_t (*destroy)(Handle), const Create& create) {
    destroy_ = destroy;
    return create(&handle_) == CUBLAS_STATUS_SUCCESS;
  }
  Handle get() const { return handle_; }

 private:
  Handle handle_ = nullptr;
  cublasStatus_t (*destroy_)(Handle) = nullptr;
};

}  // namespace gdbench::backends::cuda
