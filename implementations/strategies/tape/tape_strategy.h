// The strategies `tape` (records each step anew) and `tape+replay` (records a step on batches of one size once and runs
// the recorded calls again).
#pragma once

#include "implementations/strategies/strategy.h"

namespace gdbench::strategies::tape {

extern const StrategyDescriptor kDescriptor;
extern const StrategyDescriptor kReplayDescriptor;

}  // namespace gdbench::strategies::tape
