// One function per command: declares it and its options, and says what runs when it is chosen. A new command is a file,
// a line here and a line in main.cpp's list.
#pragma once

#include <string>
#include <vector>

#include "app/command_line.h"
#include "app/invocation.h"
#include "harness/base/result.h"
#include "harness/questions/claims/claim.h"
#include "harness/report/report.h"

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
void add_history(CLI::App& app, Invocation& invocation);
void add_predict(CLI::App& app, Invocation& invocation);
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
int rank_main(int argc, char** argv);

// What a command has of another one.

// Of report, for run: the first screen, or with `details` a table for every scenario, on stdout. `file` is where the
// report is.
void show_report(const report::Report& report, const std::string& file, bool details);

// Of claims, for list: every claim beside the scenarios, by id. Where two folders have one of the same id, the first
// folder's is taken.
Result<std::vector<claims::Claim>> read_claims();

}  // namespace gdbench::app
