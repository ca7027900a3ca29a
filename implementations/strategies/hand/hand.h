// The strategy `hand`: derivatives written by hand for chains of fully connected layers, all calls bound ahead, a step
// is a walk over a flat list.
#pragma once

#include "implementations/strategies/common/strategy.h"

namespace gdbench::strategies::hand {

extern const StrategyDescriptor kDescriptor;

}  // namespace gdbench::strategies::hand
