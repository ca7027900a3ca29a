// Which gdbench this is.
#pragma once

#include <string>

namespace gdbench::app {

// "0.1.0", with the revision where it is known: what a worker says of itself.
std::string build_name();

// What --version prints: the version, and a line each for the revision, the build type and the compiler, as reports
// record them.
std::string version_text();

}  // namespace gdbench::app
