// `gdbench explain --check-comparison A.json B.json`.
#pragma once

#include <string>

namespace gdbench::app {

// Judges two descriptions (harness/questions/fairness/DESCRIPTION.md) and prints what is unequal. Returns the exit
// status: kFine also where they are unequal.
int check_comparison(const std::string& file_a, const std::string& file_b, bool json);

}  // namespace gdbench::app
