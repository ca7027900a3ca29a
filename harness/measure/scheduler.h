// Which scenarios have a launch next. Pure: the session says how far each one is and does what this says.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "harness/measure/options.h"

namespace gdbench::measure {

// How far a scenario is.
struct Progress {
  bool live = true;           // it has cells to measure
  int launches = 0;           // that every cell has finished
  double launch_seconds = 0;  // of its slowest one
  // Half-width of the widest interval of its cells over its value; infinite while there is none.
  double precision = std::numeric_limits<double>::infinity();
};

// Whether a scenario has fewer launches than decide anything, where that matters (RunOptions::decisive_launches).
bool is_short(const Progress& scenario, const RunOptions& options);

// Whether the scenario's next launch must be made or may be begun, with so many seconds left of the budget.
bool has_time(const Progress& scenario, const RunOptions& options, double seconds_left);

// The scenarios, by index, that have a launch each before this is asked again; none: all are done.
// - Everybody has the first launch, in turn; so a slow spell of the machine spreads over all of them.
// - Then those that are short of decisive launches, the cheapest first, as far as `seconds_left` goes; those that it
//   does not suffice for have no more.
// - Then those where a launch narrows the widest interval most for its time, and all that come near to it.
std::vector<std::size_t> next_launches(const std::vector<Progress>& scenarios, const RunOptions& options,
                                       double seconds_left);

}  // namespace gdbench::measure
