// The native worker: hosts one plugin and answers the coordinator's requests until bye.
#pragma once

#include <string>
#include <vector>

#include "harness/ranks/library.h"

namespace gdbench::worker {

// Serves kRequestDescriptor/kResponseDescriptor; returns the process's exit status. A plugin that cannot be opened is
// reported in the answer to hello. `build` names this worker's build there: `run` may drive the worker of another one.
// `libraries`: those by which implementations with ranks can have several.
int serve(const std::string& plugin_file, const std::string& build, std::vector<ranks::Library> libraries);

// The same for the implementations of an adapter that have ranks: each is a process of `command`.
int serve_adapters(const std::vector<std::string>& command);

// One of several ranks: serves the worker behind a socket, which asks all of them (relay.h). Returns the exit status.
int serve_rank(const std::string& plugin_file, const std::string& socket_name);

}  // namespace gdbench::worker
