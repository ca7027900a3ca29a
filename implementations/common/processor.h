// What is built for certain processors (GDBENCH_ARCH) is opened or called only after this machine's was checked.
// Plugins are built for any x86-64 or AArch64, so that a wrong machine gets a sentence instead of SIGILL.
#pragma once

#include <string>
#include <vector>

namespace gdbench::implementations {

// Below the folder of kernels, the folders of what this processor can run, the best first: "/x86-64-v3", "/x86-64". One
// that is empty, the folder itself, where GDBENCH_ARCH has one entry.
std::vector<std::string> folders_for_processor();

// One line that says which feature `what` was built for and this processor lacks; empty where it can run one of the
// entries of GDBENCH_ARCH.
std::string processor_error(const std::string& what);

}  // namespace gdbench::implementations
