// Whether two reports come from machines whose times can be compared.
#pragma once

#include <string>

namespace gdbench::compare {

// The first thing that is not the same in two environments, JSON text (harness/machine/environment.h) and that times
// depend on: "cpu/model: found \"A\", the base has \"B\"". Empty where all of it is.
std::string difference_of_machines(const std::string& base, const std::string& next);

// Likewise of what the build can be blamed for: compiler, flags, libraries. Builds may differ, that is what is
// compared; a reader should know.
std::string difference_of_builds(const std::string& base, const std::string& next);

// Likewise of the sources that were built.
std::string difference_of_revisions(const std::string& base, const std::string& next);

}  // namespace gdbench::compare
