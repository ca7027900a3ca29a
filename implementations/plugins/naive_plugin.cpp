#include "implementations/plugins/adapter.h"
#include "implementations/plugins/cpu_strategies.h"

extern "C" const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  return gdbench::plugins::open(*host, "naive", gdbench::plugins::kCpuStrategies);
}
