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

const Backend* open_kernel_library(const std::string& name, const std::string& folder, std::string& error) {
  error = implementations::processor_error("the backend " + name);
  if (!error.empty()) return nullptr;
  const std::string file = folder + "/libgdbench_kernels_" + name + ".so";
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    error = std::string("cannot open the kernels: ") + dlerror();
    return nullptr;
  }
  const auto entry = reinterpret_cast<KernelsEntry>(dlsym(library, GDBENCH_KERNELS_ENTRY_NAME));
  const Backend* backend = entry == nullptr ? nullptr : entry();
  if (backend == nullptr || backend->interface_version != kInterfaceVersion) {
    error = file + " belongs to another build: reinstall plugins and kernels together";
    return nullptr;
  }
  return backend;
}

}  // namespace gdbench::backends
