#include "implementations/backends/common/kernel_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>

#include "implementations/common/processor.h"

namespace gdbench::backends {

std::string kernel_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&kernel_folder), &info) == 0 || info.dli_fname == nullptr) return {};
  const std::string file = info.dli_fname;
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? "kernels" : file.substr(0, slash) + "/kernels";
}

namespace {

std::string library_file(const std::string& name, const std::string& folder) {
  return folder + "/libgdbench_kernels_" + name + ".so";
}

}  // namespace

void* library_entry(const std::string& name, const std::string& folder, const char* symbol, std::string& error) {
  const std::string file = library_file(name, folder);
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* entry = library == nullptr ? nullptr : dlsym(library, symbol);
  if (entry == nullptr) error = std::string("cannot open the kernels: ") + dlerror();
  return entry;
}

void* kernel_entry(const std::string& name, const std::string& folder, const char* symbol, std::string& error) {
  error = implementations::processor_error("the backend " + name);
  if (!error.empty()) return nullptr;
  const std::vector<std::string> built = implementations::folders_for_processor();
  const auto best = std::ranges::find_if(built, [&](const std::string& below) {
    std::error_code missing;
    return std::filesystem::exists(library_file(name, folder + below), missing);
  });
  return library_entry(name, best == built.end() ? folder : folder + *best, symbol, error);
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
