#include "app/request.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "app/console.h"
#include "app/invocation.h"
#include "app/processors.h"
#include "app/python_environments.h"
#include "harness/base/kept_files.h"
#include "harness/base/text.h"
#include "harness/scenario/matrix.h"
#include "reports/answers/format.h"

namespace gdbench::app {

namespace {

void add_settings(CLI::App& command, Request& request, const std::string& description) {
  add_value(command, "--set", "KEY=VALUE", request.settings, description)->allow_extra_args(false);
}

CLI::Option* add_threads(CLI::App& command, Request& request, const std::string& description) {
  return add_value(command, "--threads", "N", request.threads, description)
      ->check(integer_from(1, scenario::kMaxThreads))
      ->allow_extra_args(false);
}

// Where `what` is kept; nothing, with a warning where `warns`, where nothing can be written there.
std::filesystem::path usable_cache_folder(const std::string& what, bool warns) {
  const std::filesystem::path folder = default_cache_folder(what);
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (!error && !folder.empty() && access(folder.c_str(), W_OK) != 0) error = {errno, std::generic_category()};
  if (!error) return folder;
  if (warns) {
    print_warning(cat(folder.string(), ": ", what, "s cannot be kept there (", error.message(),
                      "), so that each run makes them anew"));
  }
  return {};
}

// A line that is wider than the terminal would go on in the next one, and not be erased.
void show_progress_line(const std::string& line) {
  print_progress(answers::cut(line, static_cast<std::size_t>(std::max(1, terminal_width(STDERR_FILENO) - 1))));
}

void show_progress(const measure::ProgressState& state) {
  std::string left =
      state.seconds_left < 0 ? "" : ", about " + std::to_string(std::lround(state.seconds_left)) + " s left";
  show_progress_line(formatted("%3.0f%%  %s%s", state.fraction * 100, state.phase.c_str(), left.c_str()));
}

}  // namespace

void add_timeout(CLI::App& command, Request& request, const std::string& description) {
  command.add_option("--timeout", request.timeout_seconds, description)
      ->check(number_from(0.1, 86400))
      ->capture_default_str();
}

void add_worker_options(CLI::App& command, Request& request) {
  add_python(command);
  add_timeout(command, request, "Seconds that a worker may take to answer");
  command
      .add_option("--memory-cap", request.memory_cap_gib,
                  "GiB of memory that a worker may use of its own, and the reference")
      ->check(number_from(0.01, 1e6))
      ->capture_default_str();
}

void add_measuring_options(CLI::App& command, Request& request) {
  add_worker_options(command, request);
  command.add_option("--seed", request.seed, "Seed of order, checks and resampling")
      ->check(integer_from(0, INT64_MAX))
      ->capture_default_str();
  command.add_flag(
      "--no-cache", request.no_cache,
      "Compute the reference anew, read CSV files anew and guess how long a run takes, instead of using what earlier "
      "runs kept in $XDG_CACHE_HOME/gdbench or ~/.cache/gdbench, at most 9 GiB");
}

void add_scenario(CLI::App& command, Request& request) {
  command.add_option("scenario", request.scenario, "Scenario by name or file")->required();
  add_settings(command, request, "Override a key of the scenario, or impl.KEY of every implementation that has it");
}

void add_matrix_options(CLI::App& command, Request& request) {
  command.add_option("matrix", request.matrix, "Matrix by name or file (gdbench list matrices)")->capture_default_str();
  // Several values need several flags: `--impl a b` would swallow the matrix.
  add_value(command, "--scenario", "GLOBS|FILE", request.scenarios,
            "Only scenarios that match: 'linreg-*', 'mlp-{10-50-1,784-128-10}', 'linreg-*,!linreg-3x2'; or a "
            "scenario's file")
      ->allow_extra_args(false);
  add_value(command, "--impl", "GLOBS", request.implementations,
            "Only implementations that match: 'hand/*,!hand/naive'")
      ->allow_extra_args(false);
  add_value(command, "--exclude", "GLOBS", request.excluded, "No implementations that match")->allow_extra_args(false);
  add_settings(command, request,
               "Override a scenario's key (batch=256, optimizer.learning_rate=0.1, rows=1000, width=64) or an "
               "implementation's option (impl.KEY=VALUE); given again for the same key, each value has rows "
               "of its own, measured side by side");
  add_value(command, "--baseline", "ID", request.baseline,
            "The implementation that ratios refer to, instead of the matrix' own; without a time of it they "
            "refer to the fastest row");
  add_threads(command, request, "Compute threads per implementation");
  add_value(command, "--build", "DIRECTORY", request.build, "Measure the worker and the plugins of another build");
  command.add_flag("--allow-network", request.allow_network,
                   "Let all workers use TCP; without it only those of several ranks may");
  add_value(command, "--allow-write", "PATH", request.allow_write, "Let all workers write to a file or in a folder")
      ->allow_extra_args(false);
  add_measuring_options(command, request);
}

void add_cell_options(CLI::App& command, Request& request, double budget_seconds) {
  request.budget_seconds = budget_seconds;
  add_scenario(command, request);
  add_threads(command, request, "Compute threads")->expected(1)->default_str("1");
  add_value(command, "--budget", "TIME", request.budget_seconds, "Time for everything")
      ->transform(as_seconds())
      ->default_str(formatted("%.0fs", budget_seconds));
  add_measuring_options(command, request);
  add_output(command, request.output, "Write a report with every sample, as run does");
}

protocol::Limits worker_limits(const Request& request) {
  protocol::Limits limits;
  limits.request = std::chrono::milliseconds(static_cast<std::int64_t>(request.timeout_seconds * 1000));
  limits.memory_bytes = static_cast<std::int64_t>(request.memory_cap_gib * 0x1p30);
  limits.cancelled = &interrupted;
  limits.permissions = {request.allow_network, {request.allow_write.begin(), request.allow_write.end()}};
  limits.processors = allowed_processors();
  return limits;
}

measure::RunOptions run_options(const Request& request) {
  measure::RunOptions run;
  run.seed = request.seed;
  if (request.budget_seconds) run.budget_seconds = *request.budget_seconds;
  run.launches = request.launches;
  run.limits = worker_limits(request);
  run.cancelled = &interrupted;
  run.progress = &show_progress;
  run.warn = &print_warning;
  if (!request.no_cache) run.reference_cache = usable_cache_folder("reference", true);
  return run;
}

data::ReadingOptions reading_options(const Request& request) {
  data::ReadingOptions options;
  if (!request.no_cache) options.kept = usable_cache_folder("data", false);
  options.progress = [](const std::string& file, double part) {
    if (part < 1) show_progress_line(formatted("%3.0f%%  of %s is read", part * 100, file.c_str()));
    if (part >= 1) clear_progress();
  };
  return options;
}

}  // namespace gdbench::app
