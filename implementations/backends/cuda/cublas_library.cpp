#include "implementations/backends/cuda/cublas_library.h"

#include <dlfcn.h>

namespace gdbench::backends::cuda {
namespace {

#define GDBENCH_TEXT_OF(value) #value
#define GDBENCH_TEXT(value) GDBENCH_TEXT_OF(value)
constexpr const char* kLibrary = "libcublasLt.so." GDBENCH_TEXT(CUBLAS_VER_MAJOR);

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

bool open_library(CublasLibrary& functions, std::string& error) {
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    error = std::string("cuBLAS is not found (") + kLibrary + "; scripts/gpu-check looks for it)";
    return false;
  }
  bool complete = true;
#define GDBENCH_FIND(name) complete = complete && find(library, #name, functions.name);
  GDBENCH_CUBLAS_FUNCTIONS(GDBENCH_FIND)
#undef GDBENCH_FIND
  if (!complete) error = std::string(kLibrary) + " lacks a function that this build calls";
  return complete;
}

}  // namespace gdbench::backends::cuda
