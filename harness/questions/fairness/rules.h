// The rules that two descriptions are held against, but for those on the path of the parameters (training.h).
#pragma once

#include "harness/questions/fairness/finder.h"

namespace gdbench::fairness {

void find_wrong_sides(Finder& finder);     // one description breaks these alone
void find_unequal_work(Finder& finder);    // what a step computes, and where
void find_unequal_clocks(Finder& finder);  // what the clock measures beside the steps

}  // namespace gdbench::fairness
