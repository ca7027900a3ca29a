// What a command is asked to measure, and how: every command that starts workers fills one of these from its options.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line.h"
#include "app/output_file.h"
#include "harness/data/reading_options.h"
#include "harness/measure/options.h"

namespace gdbench::app {

struct Request {
  // The cells: those of a matrix that match, or chosen ones of a scenario.
  std::string matrix = "default";
  std::vector<std::string> scenarios;        // globs and files
  std::string scenario;                      // by name or file
  std::vector<std::string> implementations;  // globs
  std::vector<std::string> excluded;         // likewise
  std::vector<std::string> settings;         // KEY=VALUE
  std::vector<int> threads;
  std::string baseline;   // an implementation; empty: the matrix' own
  std::string shard;      // "2/4": every fourth scenario from the second on; empty: all
  bool control = false;   // one cell of each scenario a second time (A/A)
  bool verifies = false;  // nothing is timed
  // The builds, by folder.
  std::string build;        // empty: this one
  std::string against;      // is measured beside it, as the arm kBaseArm; empty: none is
  std::string padded;       // this build's sources, their code at other addresses; empty: not measured
  std::string padded_base;  // the same of `against`
  // The workers.
  double timeout_seconds = 60;
  double memory_cap_gib = 4;
  bool allow_network = false;
  std::vector<std::string> allow_write;
  // The measurement.
  std::uint64_t seed = 1;
  std::optional<double> budget_seconds;
  int launches = 0;       // 0: the command's own number
  bool no_cache = false;  // compute the reference even where an earlier run kept it
  OutputFile output{};
};

// Options of all commands that start workers: --python, --env, --timeout, --memory-cap.
void add_worker_options(CLI::App& command, Request& request);
// Those, --seed and --no-cache.
void add_measuring_options(CLI::App& command, Request& request);
// The scenario and --set, for a command of one scenario.
void add_scenario(CLI::App& command, Request& request);
// All by which run and verify choose cells, and those of measuring.
void add_matrix_options(CLI::App& command, Request& request);
// What crossover and ablate share: the scenario, --threads, --budget with a default, --out and those of measuring.
void add_cell_options(CLI::App& command, Request& request, double budget_seconds);
void add_timeout(CLI::App& command, Request& request, const std::string& description);

data::ReadingOptions reading_options(const Request& request);
// Limits of every worker process.
protocol::Limits worker_limits(const Request& request);

// What it says of how to measure, with progress and warnings on stderr, until somebody interrupts.
measure::RunOptions run_options(const Request& request);

}  // namespace gdbench::app
