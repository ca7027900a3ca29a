// Opens a backend's kernels: a shared object built for a certain processor, loaded only after this machine's processor
// was checked (implementations/common/processor.h).
#pragma once

#include <string>

#include "implementations/backends/common/backend.h"

namespace gdbench::backends {

// The folder that holds the kernel libraries of the shared object (or program) that this code is linked into:
// `kernels` beside its file. Empty where the file cannot be told.
std::string kernel_folder();

// The backend `name` ("eigen") from a folder of kernel libraries; it stays open as long as the process lives. Null with
// one line in `error` where the processor lacks a feature, the library cannot be opened, or it belongs to another
// build.
const Backend* open_kernel_library(const std::string& name, const std::string& folder, std::string& error);

}  // namespace gdbench::backends
