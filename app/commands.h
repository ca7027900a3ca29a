// One function per command: declares it and its options, and says what runs when it is chosen. A new command is a file
// and its name here and in main.cpp's list.
#pragma once

#include <string>
#include <vector>

#include "app/command_line.h"
#include "app/invocation.h"
#include "harness/base/result.h"
#include "harness/report/report.h"

namespace gdbench::app {

using AddCommand = void(CLI::App& app, Invocation& invocation);
AddCommand add_list, add_run, add_verify, add_train, add_watch, add_data, add_profile, add_explain, add_crossover,
    add_ablate, add_answer, add_compare, add_history, add_predict, add_calibrate, add_doctor, add_claims, add_merge,
    add_report, add_submit, add_site, add_plugin, add_help, add_completion;

// `gdbench worker --plugin FILE`: the worker process itself, not for people. Returns the exit status.
int worker_main(int argc, char** argv);
int rank_main(int argc, char** argv);

// What a command has of another one.

// Of report, for run: the first screen, or with `details` a table for every scenario, on stdout. `file` is where the
// report is.
void show_report(const report::Report& report, const std::string& file, bool details);

}  // namespace gdbench::app
