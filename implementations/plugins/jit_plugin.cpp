#include "implementations/plugins/adapter.h"
#include "implementations/strategies/graph/graph.h"

extern "C" const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  static constexpr gdbench::plugins::Offer kStrategies[] = {&gdbench::strategies::graph::kRegionDescriptor,
                                                            &gdbench::strategies::graph::kHoistedDescriptor};
  return gdbench::plugins::open(*host, "jit", kStrategies);
}
