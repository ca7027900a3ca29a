#include "app/selection.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "app/console.h"
#include "app/environments.h"
#include "app/interpreter.h"
#include "app/processors.h"
#include "harness/base/text.h"
#include "harness/verify/trajectory_cache.h"
#include "reports/answers/format.h"

namespace gdbench::app {

namespace {

Result<scenario::Selection> to_selection(const SelectionOptions& options) {
  scenario::Selection selection;
  for (const std::string& value : options.scenarios) {
    if (scenario::is_path(value)) {
      selection.scenarios.wanted.push_back(value);
    } else {
      TRY(scenario::add_globs("--scenario", value, selection.scenarios));
    }
  }
  for (const std::string& value : options.implementations) {
    TRY(scenario::add_globs("--impl", value, selection.implementations));
  }
  scenario::Globs excluded;
  for (const std::string& value : options.excluded) TRY(scenario::add_globs("--exclude", value, excluded));
  std::ranges::move(excluded.wanted, std::back_inserter(selection.implementations.unwanted));
  selection.threads = options.threads;
  selection.processors = static_cast<int>(allowed_processors().size());
  for (const std::string& text : options.settings) {
    selection.settings.push_back(TRY(scenario::parse_setting(text)));
  }
  return selection;
}

// Adds the implementations that take part where they can be used, and all that somebody brought; says in a note where
// frameworks could take part and none does.
void add_usable(const measure::PlanRequest& request, scenario::Matrix& matrix, report::Report& report) {
  std::vector<std::string>& implementations = matrix.axes[scenario::kImplementationAxis];
  std::set<std::string> missing;
  bool has_framework = false;
  for (std::size_t i = 0; i < request.arms.size(); ++i) {
    for (const protocol::CatalogueEntry& entry : request.catalogues[i]) {
      const std::string& id = entry.implementation.id;
      if (!entry.on_request && is_brought(request.arms[i], entry.file)) implementations.push_back(id);
      if (entry.problem || !scenario::matches_any(matrix.if_usable, without_environment(id))) continue;
      const bool usable = entry.implementation.unavailable.empty();
      if (usable) implementations.push_back(id);
      if (entry.on_request && !usable) missing.insert(id.substr(0, id.find('/')));
      has_framework = has_framework || (entry.on_request && usable);
    }
  }
  if (has_framework || missing.empty()) return;
  const std::vector<std::string> names(missing.begin(), missing.end());
  const std::string python = protocol::chosen_python();
  report.notes.push_back(!python.empty() ? cat("no framework takes part, as ", python, " has none of ", joined(names))
                                         : cat("no framework takes part, as none is installed: scripts/frameworks ",
                                               joined(names, " "), " installs them, one name one of them"));
}

// The globs of the command line or, without any, those of the matrix.
std::vector<std::string> implementation_globs(const scenario::Selection& selection, const scenario::Matrix& matrix) {
  if (!selection.implementations.wanted.empty()) return selection.implementations.wanted;
  std::vector<std::string> globs = values_of(matrix, scenario::kImplementationAxis);
  globs.insert(globs.end(), matrix.if_usable.begin(), matrix.if_usable.end());
  return globs;
}

// The base first, where there is one: the control repeats it.
Result<std::vector<protocol::Arm>> arms_of(const SelectionOptions& options) {
  struct Source {
    const char* option;
    const std::string& folder;  // of a build; empty: none
    std::string arm;
  };
  std::vector<protocol::Arm> arms;
  for (const Source& source :
       {Source{"--against", options.against, report::kBaseArm}, Source{"--build", options.build, report::kNewArm},
        Source{"--padded-base", options.padded_base, report::kBasePaddedArm},
        Source{"--padded", options.padded, report::kNewPaddedArm}}) {
    if (!source.folder.empty()) {
      arms.push_back(TRY(other_build(source.option, source.folder)));
      arms.back().name = source.arm;
    } else if (source.arm == report::kNewArm) {
      arms.push_back(this_build());
    }
  }
  return arms;
}

// "2/4" as (1, 4).
std::optional<std::pair<std::size_t, std::size_t>> parse_shard(const std::string& text) {
  std::size_t index = 0;
  std::size_t count = 0;
  const char* end = text.data() + text.size();
  const auto [slash, fault] = std::from_chars(text.data(), end, index);
  if (fault != std::errc() || slash == end || *slash != '/') return std::nullopt;
  const auto [rest, other_fault] = std::from_chars(slash + 1, end, count);
  if (other_fault != std::errc() || rest != end || index < 1 || index > count) return std::nullopt;
  return std::pair(index - 1, count);
}

// Whole scenarios with all values of --set, in turn: what is compared stays together.
Status keep_shard(const std::string& shard, std::vector<scenario::Point>& points) {
  const auto part = parse_shard(shard);
  if (!part) return usage_error("--shard: found " + in_quotes(shard) + ", expected a part such as 2/4");
  std::map<std::string, std::size_t> scenarios;
  std::erase_if(points, [&](const scenario::Point& point) {
    const std::size_t number = scenarios.emplace(scenario::base_of(point), scenarios.size()).first->second;
    return number % part->second != part->first;
  });
  return {};
}

// What ratios refer to: what --baseline names, or else the matrix' own; an id without an environment that is there in
// environments alone stands for the first of them, and so does the only implementation there is. Errors: --baseline
// names what no cell is of. A matrix' own that is no implementation here is warned of.
Result<std::string> chosen_baseline(const SelectionOptions& options, const scenario::Matrix& matrix,
                                    const std::vector<scenario::Point>& points,
                                    const std::vector<scenario::KnownImplementation>& known) {
  std::set<std::string> selected;
  std::set<std::string> without;
  for (const scenario::Point& point : points) {
    selected.insert(point.implementation);
    without.insert(without_environment(point.implementation));
  }
  const std::vector<std::string> names(selected.begin(), selected.end());
  const std::string wanted = options.baseline.empty() ? matrix.baseline : options.baseline;
  const bool only = options.baseline.empty() && without.size() == 1;
  const std::string in_first = in_first_environment(only ? *without.begin() : wanted);
  if (in_first.find(kEnvironmentMark) != std::string::npos && selected.contains(in_first)) return in_first;
  if (!options.baseline.empty() && !selected.contains(options.baseline)) {
    return usage_error("--baseline: found " + in_quotes(options.baseline) + ", expected " +
                       one_of(options.baseline, names));
  }
  const std::string& own = matrix.baseline;
  const bool chosen = !options.baseline.empty() || !options.implementations.empty();
  if (!chosen && std::ranges::find(known, own, &scenario::KnownImplementation::id) == known.end()) {
    show_warning(matrix.file.string() + ": /baseline: found " + in_quotes(own) + ", which is no implementation here" +
                 suggestion(own, names) + "; ratios are to the fastest row");
  }
  return wanted;
}

// The baseline or, where it is not selected, the first implementation that is.
std::string control_of(const std::vector<scenario::Point>& points, const std::string& baseline) {
  const bool selected =
      std::ranges::any_of(points, [&](const scenario::Point& point) { return point.implementation == baseline; });
  return selected || points.empty() ? baseline : points.front().implementation;
}

// Where references are kept; nothing, with a warning, where nothing can be written there.
std::filesystem::path usable_cache_folder() {
  const std::filesystem::path folder = verify::default_cache_folder();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (!error && !folder.empty() && access(folder.c_str(), W_OK) != 0) error = {errno, std::generic_category()};
  if (!error) return folder;
  show_warning(cat(folder.string(), ": references cannot be kept there (", error.message(),
                   "), so that each run makes them anew"));
  return {};
}

// What is missing may be what a plugin offers that could not be asked: the cause comes first.
Error with_problems(Error error, const std::vector<std::vector<protocol::CatalogueEntry>>& catalogues) {
  std::string causes;
  for (const auto& catalogue : catalogues) {
    for (const protocol::CatalogueEntry& entry : catalogue) {
      if (entry.problem) causes += cat(entry.file.string(), ": could not be asked: ", entry.problem->message, "; ");
    }
  }
  error.message.insert(0, causes);
  return error;
}

}  // namespace

void add_selection_options(CLI::App& command, SelectionOptions& options) {
  command.add_option("matrix", options.matrix, "Matrix by name or file (gdbench list matrices)")->capture_default_str();
  // Several values need several flags: `--impl a b` would swallow the matrix.
  command
      .add_option("--scenario", options.scenarios,
                  "Only scenarios that match: 'linreg-*', 'mlp-{10-50-1,784-128-10}', 'linreg-*,!linreg-3x2'; or a "
                  "scenario's file")
      ->type_name("GLOBS|FILE")
      ->allow_extra_args(false);
  command.add_option("--impl", options.implementations, "Only implementations that match: 'hand/*,!hand/naive'")
      ->type_name("GLOBS")
      ->allow_extra_args(false);
  command.add_option("--exclude", options.excluded, "No implementations that match")
      ->type_name("GLOBS")
      ->allow_extra_args(false);
  add_settings(command, options.settings,
               "Override a scenario's key (batch=256, optimizer.learning_rate=0.1, rows=1000, width=64) or an "
               "implementation's option (impl.KEY=VALUE); given again for the same key, each value has rows "
               "of its own, measured side by side");
  add_environments(command, options.environments);
  add_python(command);
  command
      .add_option(
          "--baseline", options.baseline,
          "The implementation that ratios refer to, instead of the matrix' own; without a time of it they refer "
          "to the fastest row")
      ->type_name("ID");
  command.add_option("--threads", options.threads, "Compute threads per implementation")
      ->type_name("N")
      ->check(CLI::Range(1, 4096))
      ->allow_extra_args(false);
  command.add_option("--seed", options.seed, "Seed of the run's order, checks and resampling")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.add_option("--build", options.build, "Measure the worker and the plugins of another build")
      ->type_name("DIRECTORY");
  add_timeout(command, options.timeout_seconds, "Seconds that a worker may take to answer");
  add_memory_cap(command, options.memory_cap_gib);
  command.add_flag("--allow-network", options.allow_network,
                   "Let all workers use TCP; without it only those of several ranks may");
  command.add_option("--allow-write", options.allow_write, "Let all workers write to a file or in a folder")
      ->type_name("PATH")
      ->allow_extra_args(false);
  add_no_cache(command, options.no_cache);
}

void add_memory_cap(CLI::App& command, double& gib) {
  command.add_option("--memory-cap", gib, "GiB of memory that a worker may use of its own, and the reference")
      ->check(CLI::Range(0.01, 1e6))
      ->capture_default_str();
}

void add_no_cache(CLI::App& command, bool& no_cache) {
  command.add_flag(
      "--no-cache", no_cache,
      "Compute the reference anew and guess how long a run takes, instead of using what earlier runs kept in "
      "$XDG_CACHE_HOME/gdbench or ~/.cache/gdbench, at most 1 GiB");
}

void add_timeout(CLI::App& command, double& seconds, const std::string& description) {
  command.add_option("--timeout", seconds, description)->check(CLI::Range(0.1, 86400.0))->capture_default_str();
}

void add_settings(CLI::App& command, std::vector<std::string>& settings, const std::string& description) {
  command.add_option("--set", settings, description)->type_name("KEY=VALUE")->allow_extra_args(false);
}

std::vector<scenario::KnownImplementation> known_implementations(
    const std::vector<std::vector<protocol::CatalogueEntry>>& catalogues) {
  std::vector<scenario::KnownImplementation> known;
  for (const auto& catalogue : catalogues) {
    for (const protocol::CatalogueEntry& entry : catalogue) {
      const protocol::ImplementationDescription& one = entry.implementation;
      if (std::ranges::find(known, one.id, &scenario::KnownImplementation::id) != known.end()) continue;
      known.push_back({one.id, one.has_capability(name_of(catalogue::Capability::ranks))});
    }
  }
  return known;
}

measure::RunOptions run_options(const SelectionOptions& options) {
  measure::RunOptions run;
  run.seed = options.seed;
  run.limits = worker_limits(options);
  run.cancelled = &interrupted;
  run.progress = &show_progress;
  if (!options.no_cache) run.reference_cache = usable_cache_folder();
  return run;
}

protocol::Limits worker_limits(const SelectionOptions& options) {
  protocol::Limits limits;
  limits.request = std::chrono::milliseconds(static_cast<std::int64_t>(options.timeout_seconds * 1000));
  limits.memory_bytes = static_cast<std::int64_t>(options.memory_cap_gib * std::pow(2.0, 30));
  limits.cancelled = &interrupted;
  limits.permissions = {options.allow_network, {options.allow_write.begin(), options.allow_write.end()}};
  limits.processors = allowed_processors();
  return limits;
}

Result<measure::Plan> plan_selection(const SelectionOptions& options, report::Report& report) {
  const scenario::Selection selection = TRY(to_selection(options));
  if (!options.environments.empty() && !(options.build.empty() && options.against.empty())) {
    return usage_error("--env: found another build in --build or --against, expected this one alone");
  }
  TRY(use_environments(options.environments));
  const std::filesystem::path file = TRY(find_matrix(options.matrix));
  scenario::Matrix matrix = TRY(scenario::read_matrix(file));
  std::vector<scenario::KnownScenario> scenarios = TRY(scenario::list_scenarios(scenario_folders()));
  scenario::add_scenario_files(options.scenarios, scenarios);
  scenario::add_scenario_files(matrix, scenarios);

  measure::PlanRequest request;
  request.arms = TRY(arms_of(options));
  for (const protocol::Arm& arm : request.arms) {
    request.catalogues.push_back(
        TRY(protocol::read_catalogue(arm, worker_limits(options), implementation_globs(selection, matrix))));
  }
  if (interrupted()) return failure("interrupted before every plugin was asked");  // the plan would lack some cells
  if (selection.implementations.wanted.empty() && !matrix.if_usable.empty()) {
    add_usable(request, matrix, report);
  }
  request.processors = measuring_processors();
  request.shares_processors = options.verifies;
  const std::vector<scenario::KnownImplementation> known = known_implementations(request.catalogues);
  Result<std::vector<scenario::Point>> points = scenario::expand(matrix, selection, scenarios, known);
  if (!points.ok()) return with_problems(points.error(), request.catalogues);
  request.points = std::move(points).value();
  if (!options.shard.empty()) {
    TRY(keep_shard(options.shard, request.points));
    report.run.shard = options.shard;
  }
  const std::string baseline = TRY(chosen_baseline(options, matrix, request.points, known));
  if (options.control) request.control = control_of(request.points, baseline);

  report.run.matrix = matrix.name;
  report.run.baseline = baseline;
  report.run.seed = options.seed;
  return measure::make_plan(std::move(request), report);
}

int status_of_cells(const report::Report& report) {
  const auto any = [&](auto&& is) {
    return std::ranges::any_of(report.cells, [&](const report::Cell& cell) { return is(cell.status.state); });
  };
  if (any(&report::is_failure)) return kFailedCells;
  return any([](report::CellState state) { return state == report::CellState::ok; }) ? kFine : kInconclusive;
}

void show_progress(const measure::ProgressState& state) {
  std::string left =
      state.seconds_left < 0 ? "" : ", about " + std::to_string(std::lround(state.seconds_left)) + " s left";
  // A line that is wider than the terminal would go on in the next one, and not be erased.
  const auto columns = static_cast<std::size_t>(std::max(1, terminal_width(STDERR_FILENO) - 1));
  const std::string line = formatted("%3.0f%%  %s%s", state.fraction * 100, state.phase.c_str(), left.c_str());
  print_progress(answers::cut(line, columns));
}

void show_warning(const std::string& warning) {
  clear_progress();
  print_error("gdbench: " + warning);
}

}  // namespace gdbench::app
