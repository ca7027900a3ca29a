// The strategies that run on every backend of the processor; adding one is a line.
#pragma once

#include "implementations/plugins/adapter.h"
#include "implementations/strategies/graph/graph.h"
#include "implementations/strategies/hand/hand.h"
#include "implementations/strategies/tape/tape_strategy.h"

namespace gdbench::plugins {

inline constexpr Offer kCpuStrategies[] = {
    &strategies::hand::kDescriptor,         &strategies::tape::kDescriptor,  &strategies::tape::kReplayDescriptor,
    &strategies::tape::kRerecordDescriptor, &strategies::graph::kDescriptor,
};

}  // namespace gdbench::plugins
