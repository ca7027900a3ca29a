// How many launches would decide what fewer left open.
#pragma once

#include "harness/stats/estimate.h"

namespace gdbench::stats {

// More of them are not worth a try where fewer left a verdict open.
constexpr int kMaxLaunchesWorthATry = 1000;

// How many launches it takes, roughly, until no limit of the range lies in the interval: its width shrinks with the
// root of their number. 0: too many to be worth a try, or the value is at the limit.
int needed_launches(const Estimate& ratio, const Interval& range, int minimum_launches);

}  // namespace gdbench::stats
