// One function per command: declares it and its options, and says what runs when it is chosen. A new command is a file,
// a line here and a line in main.cpp's list.
#pragma once

#include "app/invocation.h"

namespace CLI {
class App;
}

namespace gdbench::app {

void add_list(CLI::App& app, Invocation& invocation);
void add_run(CLI::App& app, Invocation& invocation);
void add_verify(CLI::App& app, Invocation& invocation);
void add_train(CLI::App& app, Invocation& invocation);
void add_profile(CLI::App& app, Invocation& invocation);
void add_crossover(CLI::App& app, Invocation& invocation);
void add_ablate(CLI::App& app, Invocation& invocation);
void add_explain(CLI::App& app, Invocation& invocation);
void add_compare(CLI::App& app, Invocation& invocation);
void add_calibrate(CLI::App& app, Invocation& invocation);
void add_doctor(CLI::App& app, Invocation& invocation);
void add_claims(CLI::App& app, Invocation& invocation);
void add_merge(CLI::App& app, Invocation& invocation);
void add_report(CLI::App& app, Invocation& invocation);
void add_plugin(CLI::App& app, Invocation& invocation);
void add_help(CLI::App& app, Invocation& invocation);
void add_completion(CLI::App& app, Invocation& invocation);

// `gdbench worker --plugin FILE`: the worker process itself, not for people. Returns the exit status.
int worker_main(int argc, char** argv);

}  // namespace gdbench::app
