// Implementations whose library was not found when this was built: they are listed, and say what to install.
#include <array>
#include <iterator>

#include "gdbench/plugin.h"

namespace {

struct Missing {
  const char* id;
  const char* description;
};
constexpr Missing kMissing[] = {GDBENCH_IMPLEMENTATIONS};

const gdbench_host* the_host = nullptr;

template <class... Arguments>
gdbench_status refuse(Arguments... /*any*/) {
  the_host->set_error(the_host->context, GDBENCH_REASON);
  return GDBENCH_UNSUPPORTED;
}

gdbench_implementation table_of(const Missing& missing) {
  gdbench_implementation table{};
  table.struct_size = sizeof table;
  table.id = missing.id;
  table.description = missing.description;
  table.unavailable = GDBENCH_REASON;
  // They are never called, for it is unavailable; the interface requires them.
  table.create = refuse;
  table.destroy = [](gdbench_instance* /*none*/) {};
  table.load = refuse;
  table.prepare = refuse;
  table.set_state = refuse;
  table.get_state = refuse;
  table.run = refuse;
  return table;
}

}  // namespace

extern "C" const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  the_host = host;
  static std::array<gdbench_implementation, std::size(kMissing)> tables;
  static std::array<const gdbench_implementation*, std::size(kMissing)> implementations;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    tables[i] = table_of(kMissing[i]);
    implementations[i] = &tables[i];
  }
  static const gdbench_plugin plugin = {
      .struct_size = sizeof(gdbench_plugin),
      .abi_major = GDBENCH_ABI_MAJOR,
      .abi_minor = GDBENCH_ABI_MINOR,
      .name = GDBENCH_NAME,
      .version = GDBENCH_PLUGIN_VERSION,
      .implementation_count = static_cast<std::int64_t>(implementations.size()),
      .implementations = implementations.data(),
  };
  return &plugin;
}
