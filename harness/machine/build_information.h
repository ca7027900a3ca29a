#pragma once

#include <nlohmann/json.hpp>

#include "harness/base/json.h"

namespace gdbench::machine {

// The members "build" and "libraries" of environment(). Apart from it because its defines and the git revision change
// without the rest.
Json build_information();
Json library_versions();

}  // namespace gdbench::machine
