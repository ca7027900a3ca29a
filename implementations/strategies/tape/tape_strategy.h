// The strategies `tape` (records each step anew), `tape+replay` (records a step on batches of one size once and runs
// the recorded calls again) and, for the task gradients alone, `tape+rerecord` (records the forward pass anew for each
// gradient; `tape` keeps one recording for all of a step). In the task update there is nothing to record.
#pragma once

#include "implementations/strategies/common/strategy.h"

namespace gdbench::strategies::tape {

extern const StrategyDescriptor kDescriptor;
extern const StrategyDescriptor kReplayDescriptor;
extern const StrategyDescriptor kRerecordDescriptor;

}  // namespace gdbench::strategies::tape
