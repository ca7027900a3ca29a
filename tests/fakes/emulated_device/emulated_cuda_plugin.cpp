// The strategies of the cuda plugin on the emulated device.
#include "implementations/plugins/adapter.h"
#include "implementations/plugins/cuda_strategies.h"

extern "C" const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  return gdbench::plugins::open(*host, "emulated_cuda", gdbench::plugins::kCudaStrategies);
}
