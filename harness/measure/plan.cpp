#include "harness/measure/plan.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>
#include <utility>

#include "harness/base/hash.h"
#include "harness/base/text.h"
#include "harness/data/initial_state.h"
#include "harness/measure/cell_worker.h"
#include "harness/measure/eligibility.h"
#include "harness/report/report.h"
#include "harness/scenario/scenario.h"
#include "harness/verify/reference_memory.h"

namespace gdbench::measure {

namespace {

using protocol::ImplementationDescription;
using protocol::OptionDeclaration;

// "[batch=32,dtype=f64]"
std::string settings_suffix(const std::vector<scenario::Setting>& settings) {
  std::string text;
  for (const scenario::Setting& setting : settings) {
    text += (text.empty() ? "[" : ",") + setting.key + "=" + setting.value;
  }
  return text.empty() ? text : text + "]";
}

struct CellText {
  std::string id;
  std::string repeat;
};

// `shown`: the options that were changed and what else tells the cell from others.
CellText cell_text(const scenario::Point& point, const std::string& label, const protocol::CatalogueEntry& entry,
                   const std::map<std::string, std::string>& changed, const std::map<std::string, std::string>& shown,
                   const std::string& arm) {
  CellText text;
  const std::string& implementation = entry.implementation.id;
  text.id = label + "/" + implementation;
  text.repeat = "gdbench run --scenario " + quoted_for_shell(point.scenario) + " --impl " +
                quoted_for_shell(entry.named.empty() ? implementation : entry.named);
  if (entry.environment) {
    text.repeat += " --env " + quoted_for_shell(cat(entry.environment->name, "=", entry.environment->python.string()));
  } else if (const std::string python = protocol::chosen_python();
             !python.empty() && protocol::takes_environment(entry.file)) {
    text.repeat += " --python " + quoted_for_shell(python);
  }
  for (const scenario::Setting& setting : point.scenario_settings) {
    text.repeat += " --set " + quoted_for_shell(setting.key + "=" + setting.value);
  }
  for (const auto& [key, value] : changed) {
    text.repeat += " --set " + quoted_for_shell("impl." + key + "=" + value);
  }
  const char* separator = "?";
  for (const auto& [key, value] : shown) text.id += std::exchange(separator, "&") + key + "=" + value;
  if (point.threads != 1) {
    text.id += "@" + std::to_string(point.threads);
    text.repeat += " --threads " + std::to_string(point.threads);
  }
  if (arm != report::kNewArm) text.id += "#" + arm;
  return text;
}

}  // namespace

protocol::ThreadSettings place_threads(int compute, const std::vector<int>& allowed) {
  protocol::ThreadSettings threads;
  threads.compute = compute;
  const std::size_t count = std::min(static_cast<std::size_t>(compute), allowed.size());
  const auto boundary = allowed.end() - static_cast<std::ptrdiff_t>(count);
  threads.compute_cores.assign(boundary, allowed.end());
  std::reverse(threads.compute_cores.begin(), threads.compute_cores.end());
  threads.helper_cores.assign(allowed.begin(), boundary);
  return threads;
}

namespace {

// Processes that train together, by the option that all implementations with ranks have.
Result<int> ranks_of(const ImplementationDescription& implementation,
                     const std::map<std::string, std::string>& options) {
  const auto option = options.find(catalogue::kRanksOption);
  if (!implementation.has_capability(name_of(catalogue::Capability::ranks)) || option == options.end()) return 1;
  const int ranks = number_of<int>(option->second).value_or(0);
  if (ranks >= 1 && ranks <= scenario::kMaxThreads) return ranks;
  return usage_error(cat("impl.", catalogue::kRanksOption, ": found ", in_quotes(option->second), ", expected 1 to ",
                         scenario::kMaxThreads));
}

constexpr const char* kApart =
    "not all values of --set can be side by side, for their data or for how many workers they are: some were measured "
    "after others";

// Builds a plan point by point; remembers what several points share.
class Planner {
 public:
  Planner(Plan& plan, const PlanRequest& request, report::Report& report)
      : plan_(plan), request_(request), report_(report) {}

  Status add(const scenario::Point& point) {
    std::size_t found = TRY(find_scenario(point));
    for (std::size_t arm = 0; arm < request_.arms.size(); ++arm) {
      const std::vector<protocol::CatalogueEntry>& catalogue = plan_.catalogues[arm];
      const auto entry = std::ranges::find(
          catalogue, point.implementation, [](const auto& known) -> const auto& { return known.implementation.id; });
      if (entry == catalogue.end()) continue;  // another arm has it
      const std::string& name = request_.arms[arm].name;
      TRY(add_cell(point, found, name, *entry));
      if (arm > 0 || point.implementation != request_.control || !point.options.empty()) continue;
      TRY(add_cell(point, found, report::kControlArm, *entry));
    }
    ++unit_;
    return {};
  }

  // Options that were asked for, and those that an implementation of the run declares.
  std::set<std::string> wanted_options;
  std::set<std::string> known_options;

 private:
  // Index of the point's scenario in the plan and the report, which list the same scenarios.
  Result<std::size_t> find_scenario(const scenario::Point& point) {
    const std::string suffix = settings_suffix(point.scenario_settings);
    const std::string spelled = point.scenario_file.string() + suffix;
    if (const auto known = by_spelling_.find(spelled); known != by_spelling_.end()) return known->second;

    scenario::Scenario read = TRY(scenario::read_scenario(point.scenario_file, point.scenario_settings));
    const std::string key = read.identity();
    if (const auto known = by_identity_.find(key); known != by_identity_.end()) {
      by_spelling_[spelled] = known->second;
      return known->second;
    }
    auto planned = std::make_unique<PlannedScenario>();
    planned->scenario = std::move(read);
    planned->reading = request_.reading;
    TRY(planned->acquire());
    if (const auto& remarks = planned->dataset->remarks; !remarks.empty()) {
      report_.add_notes({cat(planned->scenario.name, ": ", joined(remarks, "; "))});
    }
    planned->problem = TRY(data::make_problem(planned->scenario, *planned->dataset));
    const Status fits = verify::check_start_memory(planned->problem);
    if (!fits.ok()) return usage_error(planned->scenario.place() + ": " + fits.error().message);
    planned->start = TRY(data::make_initial_state(planned->problem, planned->scenario.initial));
    report_.scenarios.push_back(TRY(record_of(*planned, key, planned->scenario.name + suffix)));
    join_group(point, *planned);
    const HeldData data{1, planned->data_bytes};
    if (held_.has_room_for(data, request_.data_cap_bytes)) {
      held_.add(data);
    } else {
      planned->release();
    }
    plan_.scenarios.push_back(std::move(planned));
    by_spelling_[spelled] = by_identity_[key] = plan_.scenarios.size() - 1;
    return plan_.scenarios.size() - 1;
  }

  // The scenario is the latest one: of the group of the one before it, where the two differ in values of --set alone.
  void join_group(const scenario::Point& point, PlannedScenario& planned) {
    std::string base = scenario::base_of(point);
    const bool is_another_value = !point.alternatives.empty() && base == group_base_;
    const std::size_t alike = plan_.scenarios.empty() ? 0 : plan_.scenarios.back()->cells.size();
    group_workers_ += alike;
    planned.joins_previous = is_another_value && group_workers_ + alike <= kMostWorkers &&
                             group_held_.has_room_for({1, planned.data_bytes}, request_.data_cap_bytes);
    if (!planned.joins_previous) {
      if (is_another_value) report_.add_notes({kApart});
      group_first_ = report_.scenarios.back().key;
      group_base_ = std::move(base);
      group_held_ = {};
      group_workers_ = 0;
    }
    group_held_.add({1, planned.data_bytes});
    if (!point.alternatives.empty()) report_.scenarios.back().side_by_side = {group_first_, point.alternatives};
  }

  // A number that points share which differ in values of --set alone.
  std::size_t variants_of(const scenario::Point& point) {
    std::string name = cat(scenario::base_of(point), "\n", point.implementation, "\n", point.threads);
    for (const auto& [key, value] : point.options) name += "\n" + key + "=" + value;
    return variants_.emplace(std::move(name), variants_.size()).first->second;
  }

  static Result<report::ScenarioRecord> record_of(const PlannedScenario& planned, const std::string& key,
                                                  std::string label) {
    report::ResolvedScenario resolved =
        TRY(report::resolved_scenario(scenario::to_json(planned.scenario), planned.scenario.file));
    report::ScenarioRecord record;
    record.key = key;
    record.name = planned.scenario.name;
    record.label = std::move(label);
    record.resolved = std::move(resolved);
    record.rows = planned.dataset->rows;
    record.features = planned.dataset->features;
    record.outputs = planned.problem.outputs();
    for (const scenario::ParameterShape& shape : scenario::parameter_shapes(planned.problem)) {
      record.parameters += shape.size();
    }
    record.batch_rows = planned.problem.batch_rows;
    record.operations_per_step = scenario::operations_per_step(planned.problem);
    record.data_digest = planned.dataset->digest;
    if (!planned.scenario.initial.path.empty()) {
      Hash64 hash;
      hash.add(record.data_digest);
      for (const auto& values : planned.start.parameters) hash.add(values.data(), values.size() * sizeof(double));
      record.data_digest = hexadecimal(hash.value());
    }
    return record;
  }

  Status add_cell(const scenario::Point& point, std::size_t index, const std::string& arm,
                  const protocol::CatalogueEntry& entry) {
    const std::vector<int>& allowed = request_.processors;
    const ImplementationDescription& implementation = entry.implementation;
    std::map<std::string, std::string> options = TRY(resolve_options(implementation, point.options));
    std::map<std::string, std::string> changed;
    std::map<std::string, std::string> unchanged;
    for (const OptionDeclaration& option : implementation.options) {
      known_options.insert(option.key);
      const std::string& value = options.at(option.key);
      (value != option.default_value ? changed : unchanged)[option.key] = value;
    }
    for (const auto& [key, value] : point.options) wanted_options.insert(key);
    const int ranks = TRY(ranks_of(implementation, options));

    PlannedScenario& planned = *plan_.scenarios[index];
    const report::ScenarioRecord& record = report_.scenarios[index];
    std::map<std::string, std::string> shown = changed;
    const scenario::Optimizer& optimizer = planned.problem.optimizer;
    if (optimizer.epsilon_place == catalogue::EpsilonPlace::own) {
      // It trains by another rule than those that add epsilon outside the root.
      const catalogue::EpsilonPlace own = own_epsilon_place(implementation, optimizer.kind);
      if (own != catalogue::EpsilonPlace::outside) shown["epsilon_place"] = name_of(own);
    }
    CellText text = cell_text(point, record.label, entry, changed, shown, arm);
    if (!cell_ids_.insert(text.id).second)
      return {};  // an option that this implementation does not have made no new cell

    report::Cell cell;
    cell.id = std::move(text.id);
    cell.repeat = std::move(text.repeat);
    cell.scenario = record.key;
    cell.implementation = implementation.id;
    cell.options = std::move(shown);
    if (!unchanged.empty()) cell.default_options = std::move(unchanged);
    cell.threads = point.threads;
    if (implementation.has_capability(name_of(catalogue::Capability::ranks))) cell.ranks = ranks;
    cell.arm = arm;
    cell.build = implementation.build;
    cell.worker = entry.worker_build;
    // The emptiest step computes nothing that could be checked.
    const bool floor = planned.problem.task == scenario::Task::floor;
    const Proof proof = floor || implementation.has_capability("no_arithmetic")          ? Proof::none
                        : planned.shuffled && implementation.has_capability("own_order") ? Proof::loss
                                                                                         : Proof::trajectory;
    cell.ranked = (proof == Proof::trajectory || floor) &&
                  report::parse_implementation(implementation.id).policy.empty() && !cell.ranks &&
                  arm != report::kControlArm;
    const std::string reason =
        reason_unsupported(implementation, planned.problem, planned.shuffled, planned.streamed, point.threads);
    if (entry.problem.has_value()) {
      cell.status = status_of(*entry.problem);
    } else if (!implementation.unavailable.empty()) {
      cell.status = {report::CellState::unsupported, implementation.unavailable};
    } else if (point.threads > static_cast<int>(allowed.size())) {
      cell.status = {report::CellState::unsupported, "this machine has " + std::to_string(allowed.size()) +
                                                         " processor(s) for " + std::to_string(point.threads) +
                                                         " threads"};
    } else if (ranks * point.threads > static_cast<int>(allowed.size()) && !request_.shares_processors) {
      cell.status = {report::CellState::unsupported,
                     cat("this machine has ", allowed.size(), " processor(s) for ", ranks, " ranks of ", point.threads,
                         " thread(s): they can be verified, not timed")};
    } else if (!reason.empty()) {
      cell.status = {report::CellState::unsupported, reason};
    } else {
      protocol::ThreadSettings threads = place_threads(ranks * point.threads, allowed);
      threads.compute = point.threads;
      planned.cells.push_back({report_.cells.size(), unit_, &entry, std::move(options), std::move(threads), proof,
                               ranks, variants_of(point)});
    }
    report_.cells.push_back(std::move(cell));
    return {};
  }

  Plan& plan_;
  const PlanRequest& request_;
  report::Report& report_;
  std::unordered_map<std::string, std::size_t> by_spelling_;
  std::unordered_map<std::string, std::size_t> by_identity_;
  std::set<std::string> cell_ids_;
  HeldData held_;
  std::size_t unit_ = 0;  // of the point that is added
  // The latest group: its first scenario, what its points have in common, its data, the cells of all but its last one.
  std::string group_first_;
  std::string group_base_;
  HeldData group_held_;
  std::size_t group_workers_ = 0;
  std::unordered_map<std::string, std::size_t> variants_;
};

}  // namespace

bool PlannedCell::on_device() const {
  const auto device = options.find("device");
  return entry->implementation.has_capability(name_of(catalogue::Capability::device)) ||
         (device != options.end() && device->second != "cpu");
}

Status PlannedScenario::acquire() {
  if (dataset.has_value()) return {};
  dataset = TRY(data::make_dataset(scenario, reading));
  data_bytes = dataset->memory.size();
  shuffled = dataset->has_order;
  streamed = dataset->stream != nullptr;
  return {};
}

std::vector<PlannedScenario*> Plan::all() const {
  std::vector<PlannedScenario*> all;
  for (const auto& planned : scenarios) all.push_back(planned.get());
  return all;
}

std::vector<std::vector<PlannedScenario*>> launch_groups(const std::vector<PlannedScenario*>& scenarios) {
  std::vector<std::vector<PlannedScenario*>> groups;
  for (PlannedScenario* planned : scenarios) {
    if (groups.empty() || !planned->joins_previous) groups.emplace_back();
    groups.back().push_back(planned);
  }
  return groups;
}

Result<Plan> make_plan(PlanRequest request, report::Report& report) {
  Plan plan;
  plan.catalogues = std::move(request.catalogues);
  Planner planner(plan, request, report);
  for (const scenario::Point& point : request.points) {
    TRY(planner.add(point));
  }
  for (const std::string& option : planner.wanted_options) {
    if (planner.known_options.contains(option)) continue;
    const std::vector<std::string> known(planner.known_options.begin(), planner.known_options.end());
    return usage_error("impl." + option + ": found an option that no selected implementation declares, expected " +
                       (known.empty() ? std::string("none") : "one of " + joined(known)));
  }
  return plan;
}

}  // namespace gdbench::measure
