// What is built for a certain processor (GDBENCH_ARCH) is opened or called only after this machine's was checked.
// Plugins are built for any x86-64 or AArch64, so that a wrong machine gets a sentence instead of SIGILL.
#pragma once

#include <string>

namespace gdbench::implementations {

// One line that says which feature `what` was built for and this processor lacks; empty where it has them all.
std::string processor_error(const std::string& what);

}  // namespace gdbench::implementations
