// What comes when: which scenarios have a launch next, and in which order a round visits their cells. Pure: the session
// says how far each scenario is and does what this says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
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
  bool decided = false;  // what is asked of its cells is answered
};

// Whether a scenario has fewer launches than decide anything, where that matters (RunOptions::decisive_launches).
bool is_short(const Progress& scenario, const RunOptions& options);

// Whether the scenario's next launch must be made or may be begun, with so many seconds left of the budget.
bool has_time(const Progress& scenario, const RunOptions& options, double seconds_left);

// The scenarios, by index, that have a launch each before this is asked again; none: all are done.
// - Everybody has the first launch, in turn; so a slow spell of the machine spreads over all of them.
// - Then those that are short of decisive launches, the cheapest first, as far as `seconds_left` goes; those that it
//   does not suffice for have no more. Where goals were chosen, those that have fewest launches instead, so that none
//   of the scenarios that decide one is ahead.
// - Then those where a launch narrows the widest interval most for its time, and all that come near to it.
std::vector<std::size_t> next_launches(const std::vector<Progress>& scenarios, const RunOptions& options,
                                       double seconds_left);

// Order of `count` cells in round `round` of launch `launch`: a Williams design (E. J. Williams, Experimental designs
// balanced for the estimation of residual effects of treatments, 1949) whose cells are renamed by a permutation seeded
// per launch. Over `count` rounds every cell stands in every position once; for an even count every cell also follows
// every other one once, so that no cell profits from what its neighbour leaves in the caches. Odd counts alternate with
// their mirror image.
std::vector<std::size_t> round_order(std::size_t count, int round, int launch, std::uint64_t seed);

// The same for cells of which some belong together: those of one unit, such as the builds that are compared, stand next
// to each other, as neighbours share a spell of the machine. Units are ordered as above; within one the first changes
// from round to round, and half of the launches, by lot, have the order mirrored, so that which of two cells is the
// first one says nothing (stats/sequential.h). `units[i]` is the unit of cell i.
std::vector<std::size_t> round_order(std::span<const std::size_t> units, int round, int launch, std::uint64_t seed);

}  // namespace gdbench::measure
