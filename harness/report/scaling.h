// What more threads, or ranks, bring. Computed by summarise() from the samples of one run; shown by the renderers.
#pragma once

#include <string>

#include "harness/stats/estimate.h"

namespace gdbench::report {

// A cell of several threads or ranks against the same cell with one, its single, in one scenario and arm. All figures
// are paired by launch and round.
struct ThreadScaling {
  std::string cell;
  std::string single;
  stats::Estimate speed_up;                               // step of the single over the cell's
  stats::Estimate efficiency;                             // the speed-up over its number of them
  stats::Verdict verdict = stats::Verdict::inconclusive;  // on the cell's step against the single's
  // The cell's step less an equal share of the single's, in nanoseconds: what did not divide, and what they cost
  // each other. Negative where they have more of something than one has, such as caches.
  stats::Estimate undivided_ns;
  // Whether it is the scenario, of all of this implementation, its options, threads, ranks and arm, whose single takes
  // least: there undivided_ns is the closest bound on what so many cost each step of any size.
  bool smallest = false;
};

}  // namespace gdbench::report
