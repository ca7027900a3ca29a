// The options by which run and verify choose cells, and the plan that comes of them.
#pragma once

#include <string>
#include <vector>

#include "app/command_line.h"
#include "app/invocation.h"
#include "harness/base/result.h"
#include "harness/measure/options.h"
#include "harness/measure/plan.h"
#include "harness/report/report.h"

namespace gdbench::app {

struct SelectionOptions {
  std::string matrix = "default";
  std::vector<std::string> scenarios;
  std::string baseline;  // an implementation; empty: the matrix' own
  std::vector<std::string> implementations;
  std::vector<std::string> excluded;  // implementations
  std::vector<std::string> settings;
  std::vector<std::string> environments;  // of Python
  std::vector<int> threads;
  std::string build;        // another build's folder; empty: this one
  std::string against;      // the folder of a build that is measured beside it, as the arm kBaseArm; empty: none is
  std::string padded;       // this build's sources, their code at other addresses; empty: not measured
  std::string padded_base;  // the same of `against`
  std::string shard;        // "2/4": every fourth scenario from the second on; empty: all
  bool no_cache = false;    // compute the reference even where an earlier run kept it
  bool control = false;     // one cell of each scenario a second time (A/A)
  bool verifies = false;    // nothing is timed
  std::uint64_t seed = 1;
  double timeout_seconds = 60;
  double memory_cap_gib = 4;
  bool allow_network = false;
  std::vector<std::string> allow_write;
};

void add_selection_options(CLI::App& command, SelectionOptions& options);

// Parts of them, for commands that choose their cells otherwise; --set takes one value at a time.
void add_memory_cap(CLI::App& command, double& gib);
void add_no_cache(CLI::App& command, bool& no_cache);
void add_timeout(CLI::App& command, double& seconds, const std::string& description);
void add_settings(CLI::App& command, std::vector<std::string>& settings, const std::string& description);

// Of all arms; what only one of them has is measured there.
std::vector<scenario::KnownImplementation> known_implementations(
    const std::vector<std::vector<protocol::CatalogueEntry>>& catalogues);

// What they say of how to measure, with progress on stderr until somebody interrupts.
measure::RunOptions run_options(const SelectionOptions& options);

// Limits of every worker process.
protocol::Limits worker_limits(const SelectionOptions& options);

// Reads the matrix, asks the plugins, expands and plans; fills report.run (matrix, baseline, seed), scenarios and
// cells. Errors are the input's.
Result<measure::Plan> plan_selection(const SelectionOptions& options, report::Report& report);

// The exit status that the cells call for.
int status_of_cells(const report::Report& report);

// A progress line on stderr where that is a terminal; nothing elsewhere. `clear` removes it.
void show_progress(const measure::ProgressState& state);
// A line on stderr, before the progress line where there is one.
void show_warning(const std::string& warning);

}  // namespace gdbench::app
