// The native worker: hosts one plugin and answers the coordinator's requests until bye.
#pragma once

#include <string>

namespace gdbench::worker {

// Serves kRequestDescriptor/kResponseDescriptor; returns the process's exit status. A plugin that cannot be opened is
// reported in the answer to hello. `build` names this worker's build there: `run` may drive the worker of another one.
int serve(const std::string& plugin_file, const std::string& build);

}  // namespace gdbench::worker
