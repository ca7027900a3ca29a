// The strategies of each kind of backend; adding one is a line. A plugin links those of its own list.
#pragma once

#include "implementations/plugins/adapter.h"
#include "implementations/strategies/fused/fused.h"
#include "implementations/strategies/graph/graph.h"
#include "implementations/strategies/hand/hand.h"
#include "implementations/strategies/tape/tape_strategy.h"

namespace gdbench::plugins {

// On every backend of the processor.
inline constexpr Offer kCpuStrategies[] = {
    &strategies::hand::kDescriptor,         &strategies::tape::kDescriptor,  &strategies::tape::kReplayDescriptor,
    &strategies::tape::kRerecordDescriptor, &strategies::graph::kDescriptor,
};

// The same, and as one of several ranks: on those that do arithmetic.
inline constexpr Offer kCpuStrategiesAndRanks[] = {
    &strategies::hand::kDescriptor,
    &strategies::tape::kDescriptor,
    &strategies::tape::kReplayDescriptor,
    &strategies::tape::kRerecordDescriptor,
    &strategies::graph::kDescriptor,
    {&strategies::hand::kDescriptor, Policy::mpi},
    {&strategies::tape::kDescriptor, Policy::mpi},
    {&strategies::graph::kDescriptor, Policy::mpi},
};

// The same, and what differs by the rounding of parameters: on one of them, as that is the same on all.
inline constexpr Offer kCpuStrategiesRanksAndRoundings[] = {
    &strategies::hand::kDescriptor,
    &strategies::tape::kDescriptor,
    &strategies::tape::kReplayDescriptor,
    &strategies::tape::kRerecordDescriptor,
    &strategies::graph::kDescriptor,
    {&strategies::hand::kDescriptor, Policy::mpi},
    {&strategies::tape::kDescriptor, Policy::mpi},
    {&strategies::graph::kDescriptor, Policy::mpi},
    {&strategies::hand::kDescriptor, Policy::bf16_params},
    {&strategies::hand::kDescriptor, Policy::bf16_params_stochastic},
};

// On a CUDA device.
inline constexpr Offer kCudaStrategies[] = {
    &strategies::hand::kDescriptor,
    &strategies::tape::kDescriptor,
    &strategies::tape::kReplayDescriptor,
    &strategies::tape::kRerecordDescriptor,
    &strategies::graph::kDescriptor,
    &strategies::graph::kDeviceGraphDescriptor,
    &strategies::fused::kDescriptor,
    {&strategies::hand::kDescriptor, Policy::tf32},
    {&strategies::graph::kDeviceGraphDescriptor, Policy::tf32},
};

// On a backend that compiles whole steps.
inline constexpr Offer kCompiledStrategies[] = {
    &strategies::graph::kRegionDescriptor,
    &strategies::graph::kHoistedDescriptor,
    {&strategies::graph::kRegionDescriptor, Policy::mpi},
};

}  // namespace gdbench::plugins
