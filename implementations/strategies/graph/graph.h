// The strategy `graph`: the whole step is built once as a graph, rewritten by passes, planned into one arena, and run
// as a flat list of calls. README.md says how it is made and where to add to it.
#pragma once

#include "implementations/strategies/common/strategy.h"

namespace gdbench::strategies::graph {

extern const StrategyDescriptor kDescriptor;
// The same, recorded on a device.
extern const StrategyDescriptor kDeviceGraphDescriptor;
// The same, handed to a backend as one region that it compiles itself.
extern const StrategyDescriptor kRegionDescriptor;
// The same, with what all steps have in common computed once: it rounds otherwise, which the policy says.
extern const StrategyDescriptor kHoistedDescriptor;

}  // namespace gdbench::strategies::graph
