// Arms: which build a cell was measured with, or that it is an A/A control, another cell again.
#pragma once

#include <string>

#include "harness/stats/estimate.h"

namespace gdbench::report {

// Every run has this one; the others are there where gdbench run --against asks for them.
constexpr const char* kNewArm = "new";
constexpr const char* kBaseArm = "base";
// The same sources once more, their code at other addresses: where these differ, the layout does it.
constexpr const char* kNewPaddedArm = "new-padded";
constexpr const char* kBasePaddedArm = "base-padded";
constexpr const char* kControlArm = "control";

// The A/A control, which bounds what verdicts are worth: one cell measured twice under two names. What the two differ
// by is the machine's doing.

struct Control {
  std::string scenario;          // its key
  std::string cell;              // in the arm kControlArm
  std::string twin;              // the same cell in the arm that it repeats
  stats::Comparison comparison;  // of the control to its twin, paired by launch and round
};

}  // namespace gdbench::report
