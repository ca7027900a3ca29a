// A plugin that was built once for each entry of GDBENCH_ARCH, as a kernel library: loop/plain, which has no backend.
#include "gdbench/plugin.h"
#include "implementations/backends/common/kernel_library.h"

extern "C" const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  using namespace gdbench::backends;
  std::string error;
  void* const entry = kernel_entry("plain", kernel_folder(), "gdbench_plugin_entry", error);
  if (entry != nullptr) return reinterpret_cast<decltype(&gdbench_plugin_entry)>(entry)(host);
  host->set_error(host->context, error.c_str());
  return nullptr;
}
