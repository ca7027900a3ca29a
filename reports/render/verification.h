// Correctness only: how close every cell came to the reference, or why it is not right.
#pragma once

#include <string>

#include "harness/report/report.h"

namespace gdbench::render {

std::string verification(const report::Report& report);
// The same in a line per scenario; only what is neither ok nor unsupported is told cell by cell.
std::string brief_verification(const report::Report& report);

}  // namespace gdbench::render
