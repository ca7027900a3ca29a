// Opens a backend's kernels: a shared object built for certain processors, loaded only after this machine's processor
// was checked (implementations/common/processor.h).
#pragma once

#include <string>

#include "implementations/backends/common/backend.h"

namespace gdbench::backends {

// The folder that holds the kernel libraries of the shared object (or program) that this code is linked into:
// `kernels` next to its file. Empty where the file is unknown.
std::string kernel_folder();

// What the library `name` ("eigen") of a folder exports as `symbol`; it stays open as long as the process lives. Null
// with one line in `error` where it cannot be opened.
void* library_entry(const std::string& name, const std::string& folder, const char* symbol, std::string& error);

// The same of a library that was built for certain processors: the best of those that this one can run, which lie in
// folders of their own. Null, too, where it lacks a feature.
void* kernel_entry(const std::string& name, const std::string& folder, const char* symbol, std::string& error);

// The backend of such a library. Null as kernel_entry, and where it belongs to another build.
const Backend* open_kernel_library(const std::string& name, const std::string& folder, std::string& error);

}  // namespace gdbench::backends
