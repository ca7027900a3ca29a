// The native worker: hosts one plugin, or answers for the ranks of one or of an adapter, and answers the coordinator's
// requests until bye.
#pragma once

#include <string>

#include "harness/worker/relay.h"

namespace gdbench::worker {

// Serves kRequestDescriptor/kResponseDescriptor; returns the process's exit status. A plugin that cannot be opened is
// reported in the answer to hello. `build` names this worker's build there: `run` may drive the worker of another one;
// an adapter names its own. Of an adapter it serves only implementations that have ranks.
int serve(RankProgram program, const std::string& build);

// One of several ranks: serves the worker behind a socket, which asks all of them (relay.h). Returns the exit status.
int serve_rank(const std::string& plugin_file, const std::string& socket_name);

}  // namespace gdbench::worker
