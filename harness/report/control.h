// The A/A control, which bounds what verdicts are worth: one cell measured twice under two names. What the two differ
// by is the machine's doing.
#pragma once

#include <string>

#include "harness/stats/estimate.h"

namespace gdbench::report {

struct Control {
  std::string scenario;          // its key
  std::string cell;              // in the arm kControlArm
  std::string twin;              // the same cell in the arm that it repeats
  stats::Comparison comparison;  // of the control to its twin, paired by launch and round
};

}  // namespace gdbench::report
