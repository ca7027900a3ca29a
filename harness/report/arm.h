// Arms: which build a cell was measured with, or that it is an A/A control, another cell again.
#pragma once

namespace gdbench::report {

// Every run has this one; the others are there where gdbench run --against asks for them.
constexpr const char* kNewArm = "new";
constexpr const char* kBaseArm = "base";
// The same sources once more, their code at other addresses: where these differ, the layout does it.
constexpr const char* kNewPaddedArm = "new-padded";
constexpr const char* kBasePaddedArm = "base-padded";
constexpr const char* kControlArm = "control";

}  // namespace gdbench::report
