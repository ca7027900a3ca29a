// The strategy `fused`: whole training steps, as many as are asked for, as one call of the backend (a training region).
#pragma once

#include "implementations/strategies/common/strategy.h"

namespace gdbench::strategies::fused {

extern const StrategyDescriptor kDescriptor;

}  // namespace gdbench::strategies::fused
