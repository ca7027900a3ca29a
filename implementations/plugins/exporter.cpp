#include "implementations/plugins/exporter.h"

#include <string>

namespace gdbench::plugins {
namespace {
const gdbench_host* the_host = nullptr;
}  // namespace

void set_host(const gdbench_host& host) { the_host = &host; }

gdbench_status report(gdbench_status status, const char* message) {
  const std::string text = message;
  the_host->set_error(the_host->context, text.substr(0, text.find('\n')).c_str());
  return status;
}

gdbench_plugin plugin_table(const char* name, std::span<const gdbench_implementation* const> implementations) {
  return {.struct_size = sizeof(gdbench_plugin),
          .abi_major = GDBENCH_ABI_MAJOR,
          .abi_minor = GDBENCH_ABI_MINOR,
          .name = name,
          .version = GDBENCH_PLUGIN_VERSION,
          .implementation_count = static_cast<std::int64_t>(implementations.size()),
          .implementations = implementations.data()};
}

}  // namespace gdbench::plugins
