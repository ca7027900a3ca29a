// The strategies of each kind of backend; adding one is a line. A plugin links those of its own list.
#pragma once

#include <array>

#include "implementations/plugins/adapter.h"
#include "implementations/strategies/fused/fused.h"
#include "implementations/strategies/graph/graph.h"
#include "implementations/strategies/hand/hand.h"
#include "implementations/strategies/tape/tape_strategy.h"

namespace gdbench::plugins {

// On every backend of the processor, also as one of several ranks.
inline constexpr auto kCpuStrategies = std::to_array<Offer>({
    &strategies::hand::kDescriptor,
    &strategies::tape::kDescriptor,
    &strategies::tape::kReplayDescriptor,
    &strategies::tape::kRerecordDescriptor,
    &strategies::graph::kDescriptor,
    {&strategies::hand::kDescriptor, Policy::mpi},
    {&strategies::tape::kDescriptor, Policy::mpi},
    {&strategies::graph::kDescriptor, Policy::mpi},
});

// What differs by the rounding of parameters.
inline constexpr auto kRoundings = std::to_array<Offer>({
    {&strategies::hand::kDescriptor, Policy::bf16_params},
    {&strategies::hand::kDescriptor, Policy::bf16_params_stochastic},
});

// On one backend of the processor, as that is the same on all.
inline constexpr auto kCpuStrategiesAndRoundings = joined(kCpuStrategies, kRoundings);

// On a CUDA device.
inline constexpr auto kCudaStrategies = std::to_array<Offer>({
    &strategies::hand::kDescriptor,
    &strategies::tape::kDescriptor,
    &strategies::tape::kReplayDescriptor,
    &strategies::tape::kRerecordDescriptor,
    &strategies::graph::kDescriptor,
    &strategies::graph::kDeviceGraphDescriptor,
    &strategies::fused::kDescriptor,
    {&strategies::hand::kDescriptor, Policy::tf32},
    {&strategies::graph::kDeviceGraphDescriptor, Policy::tf32},
});

// On a backend that compiles whole steps.
inline constexpr auto kCompiledStrategies = std::to_array<Offer>({
    &strategies::graph::kRegionDescriptor,
    &strategies::graph::kHoistedDescriptor,
    {&strategies::graph::kRegionDescriptor, Policy::mpi},
});

}  // namespace gdbench::plugins
