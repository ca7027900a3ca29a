// The strategies that run on the naive backend; adding one is a line.
#include "implementations/plugins/adapter.h"
#include "implementations/strategies/graph/graph.h"
#include "implementations/strategies/hand/hand.h"
#include "implementations/strategies/tape/tape_strategy.h"

namespace {

constexpr const gdbench::strategies::StrategyDescriptor* kStrategies[] = {
    &gdbench::strategies::hand::kDescriptor,       &gdbench::strategies::tape::kDescriptor,
    &gdbench::strategies::tape::kReplayDescriptor, &gdbench::strategies::tape::kRerecordDescriptor,
    &gdbench::strategies::graph::kDescriptor,
};

}  // namespace

extern "C" const gdbench_plugin* gdbench_plugin_entry(const gdbench_host* host) {
  return gdbench::plugins::open(*host, "naive", kStrategies);
}
