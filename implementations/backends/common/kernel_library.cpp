#include "implementations/backends/common/kernel_library.h"

#include <dlfcn.h>

#include "implementations/common/processor.h"

namespace gdbench::backends {

std::string kernel_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&kernel_folder), &info) == 0 || info.dli_fname == nullptr) return {};
  const std::string file = info.dli_fname;
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? "kernels" : file.substr(0, slash) + "/kernels";
}

void* library_entry(const std::string& name, const std::string& folder, const char* symbol, std::string& error) {
  const std::string file = folder + "/libgdbench_kernels_" + name + ".so";
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* entry = library == nullptr ? nullptr : dlsym(library, symbol);
  if (entry == nullptr) error = std::string("cannot open the kernels: ") + dlerror();
  return entry;
}

void* kernel_entry(const std::string& name, const std::string& folder, const char* symbol, std::string& error) {
  error = implementations::processor_error("the backend " + name);
  return error.empty() ? library_entry(name, folder, symbol, error) : nullptr;
}

const Backend* open_kernel_library(const std::string& name, const std::string& folder, std::string& error) {
  const auto entry = reinterpret_cast<KernelsEntry>(kernel_entry(name, folder, GDBENCH_KERNELS_ENTRY_NAME, error));
  if (entry == nullptr) return nullptr;
  const Backend* backend = entry();
  if (backend == nullptr || backend->interface_version != kInterfaceVersion) {
    error = "the kernels of " + name + " belong to another build: reinstall plugins and kernels together";
    return nullptr;
  }
  return backend;
}

}  // namespace gdbench::backends
