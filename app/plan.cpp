#include "app/plan.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "app/console.h"
#include "app/invocation.h"
#include "app/overrides.h"
#include "app/processors.h"
#include "app/python_environments.h"
#include "harness/base/text.h"
#include "harness/scenario/expand.h"
#include "harness/scenario/settings.h"

namespace gdbench::app {

namespace {

Result<scenario::Selection> to_selection(const Request& request) {
  scenario::Selection selection;
  for (const std::string& value : request.scenarios) {
    if (scenario::is_path(value)) {
      selection.scenarios.wanted.push_back(value);
    } else {
      TRY(add_globs("--scenario", value, selection.scenarios));
    }
  }
  for (const std::string& value : request.implementations) {
    TRY(add_globs("--impl", value, selection.implementations));
  }
  Globs excluded;
  for (const std::string& value : request.excluded) TRY(add_globs("--exclude", value, excluded));
  std::ranges::move(excluded.wanted, std::back_inserter(selection.implementations.unwanted));
  selection.threads = request.threads;
  selection.processors = static_cast<int>(allowed_processors().size());
  for (const std::string& text : request.settings) {
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
      if (entry.problem || !matches_any(matrix.if_usable, without_environment(id))) continue;
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
Result<std::vector<protocol::Arm>> arms_of(const Request& request) {
  struct Source {
    const char* option;
    const std::string& folder;  // of a build; empty: none
    std::string arm;
  };
  std::vector<protocol::Arm> arms;
  for (const Source& source :
       {Source{"--against", request.against, report::kBaseArm}, Source{"--build", request.build, report::kNewArm},
        Source{"--padded-base", request.padded_base, report::kBasePaddedArm},
        Source{"--padded", request.padded, report::kNewPaddedArm}}) {
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
Result<std::string> chosen_baseline(const Request& request, const scenario::Matrix& matrix,
                                    const std::vector<scenario::Point>& points,
                                    const std::vector<scenario::KnownImplementation>& known) {
  std::set<std::string> selected;
  std::set<std::string> without;
  for (const scenario::Point& point : points) {
    selected.insert(point.implementation);
    without.insert(without_environment(point.implementation));
  }
  const std::vector<std::string> names(selected.begin(), selected.end());
  const std::string wanted = request.baseline.empty() ? matrix.baseline : request.baseline;
  const bool only = request.baseline.empty() && without.size() == 1;
  const std::string in_first = in_first_environment(only ? *without.begin() : wanted);
  if (in_first.find(kEnvironmentMark) != std::string::npos && selected.contains(in_first)) return in_first;
  if (!request.baseline.empty() && !selected.contains(request.baseline)) {
    return usage_error("--baseline: found " + in_quotes(request.baseline) + ", expected " +
                       one_of(request.baseline, names));
  }
  const std::string& own = matrix.baseline;
  const bool chosen = !request.baseline.empty() || !request.implementations.empty();
  if (!chosen && std::ranges::find(known, own, &scenario::KnownImplementation::id) == known.end()) {
    print_warning(matrix.file.string() + ": /baseline: found " + in_quotes(own) + ", which is no implementation here" +
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

Result<measure::PlanRequest> ask_plugins(const Request& request, const protocol::Globs& implementations) {
  TRY(use_environments());
  if (!environments().empty() && !(request.build.empty() && request.against.empty())) {
    return usage_error("--env: found another build in --build or --against, expected this one alone");
  }
  measure::PlanRequest asked;
  asked.arms = TRY(arms_of(request));
  for (const protocol::Arm& arm : asked.arms) {
    asked.catalogues.push_back(TRY(protocol::read_catalogue(arm, worker_limits(request), implementations)));
  }
  if (interrupted()) return failure("interrupted before every plugin was asked");  // the plan would lack some cells
  asked.processors = measuring_processors();
  asked.shares_processors = request.verifies;
  asked.reading = reading_options(request);
  return asked;
}

std::vector<scenario::KnownImplementation> known_implementations(const measure::PlanRequest& request) {
  std::vector<scenario::KnownImplementation> known;
  for (const auto& catalogue : request.catalogues) {
    for (const protocol::CatalogueEntry& entry : catalogue) {
      const protocol::ImplementationDescription& one = entry.implementation;
      if (std::ranges::find(known, one.id, &scenario::KnownImplementation::id) != known.end()) continue;
      known.push_back({one.id, one.has_capability(name_of(catalogue::Capability::ranks))});
    }
  }
  return known;
}

Result<measure::Plan> plan(const Request& request, report::Report& report) {
  const scenario::Selection selection = TRY(to_selection(request));
  const std::filesystem::path file = TRY(find_matrix(request.matrix));
  scenario::Matrix matrix = TRY(scenario::read_matrix(file));
  std::vector<scenario::KnownScenario> scenarios = TRY(scenario::list_scenarios(scenario_folders()));
  scenario::add_scenario_files(request.scenarios, scenarios);
  scenario::add_scenario_files(matrix, scenarios);
  measure::PlanRequest planned = TRY(ask_plugins(request, implementation_globs(selection, matrix)));
  if (selection.implementations.wanted.empty() && !matrix.if_usable.empty()) add_usable(planned, matrix, report);
  const std::vector<scenario::KnownImplementation> known = known_implementations(planned);
  Result<std::vector<scenario::Point>> points = scenario::expand(matrix, selection, scenarios, known);
  if (!points.ok()) return with_problems(points.error(), planned.catalogues);
  planned.points = std::move(points).value();
  if (!request.shard.empty()) {
    TRY(keep_shard(request.shard, planned.points));
    report.run.shard = request.shard;
  }
  const std::string baseline = TRY(chosen_baseline(request, matrix, planned.points, known));
  if (request.control) planned.control = control_of(planned.points, baseline);
  report.run.matrix = matrix.name;
  report.run.baseline = baseline;
  return measure::make_plan(std::move(planned), report);
}

Result<CellPlanner> CellPlanner::make(const Request& request, const std::vector<std::string>& implementations) {
  CellPlanner planner;
  planner.scenario_ = TRY(find_scenario(request.scenario));
  for (const std::string& text : request.settings) {
    scenario::Setting setting = TRY(scenario::parse_setting(text));
    if (scenario::find_setting(planner.settings_, setting.key) != nullptr) {
      return usage_error("--set " + setting.key + ": found a second value, expected one of each key");
    }
    planner.settings_.push_back(std::move(setting));
  }
  if (!request.threads.empty()) planner.threads_ = request.threads.front();
  planner.asked_ = TRY(ask_plugins(request, implementations));
  planner.asked_.data_cap_bytes = std::numeric_limits<std::size_t>::max();
  return planner;
}

Result<protocol::CatalogueEntry> CellPlanner::find(const std::string& option, const std::string& id) const {
  std::vector<std::string> ids;
  for (const protocol::CatalogueEntry& entry : asked_.catalogues.front()) {
    if (entry.implementation.id == id) return entry;
    ids.push_back(entry.implementation.id);
  }
  const bool alone = environments().size() == 1 && environment_of(id).empty();
  if (alone && std::ranges::find(ids, in_first_environment(id)) != ids.end()) {
    return find(option, in_first_environment(id));
  }
  return usage_error(option + ": found " + in_quotes(id) + ", expected " + one_of(id, ids));
}

std::string CellPlanner::label() const {
  return scenario_.name + (settings_.empty() ? "" : "[" + overrides_text(settings_) + "]");
}

std::vector<scenario::Setting> CellPlanner::merged(const std::vector<scenario::Setting>& others) const {
  std::vector<scenario::Setting> settings = settings_;
  std::erase_if(settings, [&](const auto& setting) { return scenario::find_setting(others, setting.key) != nullptr; });
  settings.insert(settings.end(), others.begin(), others.end());
  return settings;
}

Result<scenario::Scenario> CellPlanner::read(const std::vector<scenario::Setting>& others) const {
  std::vector<scenario::Setting> settings = merged(others);
  std::erase_if(settings, [](const auto& setting) { return setting.key.starts_with(scenario::kOptionPrefix); });
  return scenario::read_scenario(scenario_.file, settings);
}

Result<measure::CellGroup> CellPlanner::plan(const std::vector<CellChoice>& choices,
                                             const std::vector<std::string>& arms) const {
  measure::PlanRequest request = asked_;
  request.arms.resize(arms.size(), asked_.arms.front());
  request.catalogues.resize(arms.size(), asked_.catalogues.front());
  for (std::size_t i = 0; i < arms.size(); ++i) request.arms[i].name = arms[i];
  for (const CellChoice& choice : choices) {
    scenario::Selection selection;
    selection.scenarios.wanted = {scenario_.name};
    selection.implementations.wanted = {choice.implementation};
    selection.threads = {choice.threads.value_or(threads_)};
    selection.settings = merged(choice.settings);
    std::vector<scenario::Point> points = TRY(scenario::expand({}, selection, {scenario_}, {{choice.implementation}}));
    std::move(points.begin(), points.end(), std::back_inserter(request.points));
  }
  report::Report report;
  measure::Plan plan = TRY(measure::make_plan(std::move(request), report));
  for (const report::Cell& cell : report.cells) {
    if (cell.status.state != report::CellState::pending) return usage_error(cell.status.reason);
  }
  if (report.cells.size() != choices.size() * arms.size()) {
    return usage_error(report.cells.front().id + ": found the same cell twice, expected different ones");
  }
  return measure::CellGroup(std::move(plan), std::move(report));
}

Result<measure::CellGroup> plan_cell(const Request& request, const std::string& implementation) {
  const CellPlanner planner = TRY(CellPlanner::make(request, {implementation}));
  const protocol::CatalogueEntry entry = TRY(planner.find("--impl", implementation));
  return planner.plan({{entry.implementation.id, {}}});
}

}  // namespace gdbench::app
