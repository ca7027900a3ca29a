// The strategies that run on a CUDA device; adding one is a line.
#pragma once

#include "implementations/plugins/adapter.h"
#include "implementations/strategies/fused/fused.h"
#include "implementations/strategies/graph/graph.h"
#include "implementations/strategies/hand/hand.h"
#include "implementations/strategies/tape/tape_strategy.h"

namespace gdbench::plugins {

inline constexpr Offer kCudaStrategies[] = {
    &strategies::hand::kDescriptor,
    &strategies::tape::kDescriptor,
    &strategies::tape::kReplayDescriptor,
    &strategies::tape::kRerecordDescriptor,
    &strategies::graph::kDescriptor,
    &strategies::graph::kDeviceGraphDescriptor,
    &strategies::fused::kDescriptor,
    {&strategies::hand::kDescriptor, Products::tf32},
    {&strategies::graph::kDeviceGraphDescriptor, Products::tf32},
};

}  // namespace gdbench::plugins
