// What changes while a model trains, from the blocks of one training: how long a step takes, memory, pauses.
#pragma once

#include "harness/report/watched.h"

namespace gdbench::watch {

// Fills what follows from the blocks, by watched.margin.
//
// A block's time is divided by what a step of the control took next to it, in units of the control's median, so that
// other clocks and neighbours of the machine divide out. Where these times change level, stats::change_points says;
// neighbouring levels closer than the margin are one, and so is one of fewer blocks than a twentieth with its nearer
// neighbour. The last level is slower, faster or equivalent as its ratio's interval lies beyond or within the margin.
void judge(report::Watched& watched);

}  // namespace gdbench::watch
