// What reports say in words of the environment that they were measured in (harness/machine/environment.h).
#pragma once

#include <string>

#include "harness/base/json.h"

namespace gdbench::report {

// The text at a JSON pointer; empty where there is none.
std::string text_at(const Json& environment, const char* pointer);

// The git revision that was built, its first digits, "with changes" where the tree had any; empty where it is unknown.
std::string revision_of(const Json& environment, std::size_t digits = std::string::npos);

}  // namespace gdbench::report
