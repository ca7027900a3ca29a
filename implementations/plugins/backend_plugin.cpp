// The plugin of a backend: the build says which one it is, and which list of strategies.h it offers.
#include "implementations/plugins/adapter.h"
#include "implementations/plugins/strategies.h"

extern "C" const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  return gdbench::plugins::open(*host, GDBENCH_BACKEND, gdbench::plugins::GDBENCH_STRATEGIES);
}
