// Rules on the path that the parameters take: gradients, rates, constants, where it starts.
#pragma once

#include "harness/questions/fairness/finder.h"

namespace gdbench::fairness {

void find_unequal_training(Finder& finder);

}  // namespace gdbench::fairness
