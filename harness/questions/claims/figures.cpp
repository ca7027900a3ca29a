#include "harness/questions/claims/figures.h"

#include <algorithm>

#include "harness/analysis/pairing.h"
#include "harness/scenario/scenario.h"

namespace gdbench::claims {

namespace {

using report::Cell;
using report::CellState;
using report::Launch;
using report::Quantity;

std::string place_of(const std::string& scenario, const std::string& implementation) {
  return scenario + "\n" + implementation;
}

// As the point says, and else at its defaults.
bool has_options(const Cell& cell, const std::map<std::string, std::string>& wanted) {
  const bool as_wanted = std::all_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
    const std::string* value = analysis::option_of(cell, entry.first);
    return value != nullptr && *value == entry.second;
  });
  return as_wanted && std::all_of(cell.options.begin(), cell.options.end(),
                                  [&](const auto& entry) { return wanted.contains(entry.first); });
}

// Why a cell has no figures; empty where it has.
std::string reason_of(const Cell& cell) {
  if (cell.status.state == CellState::pending) {
    return cell.status.reason.empty() ? "it was not reached" : cell.status.reason;
  }
  if (cell.status.state != CellState::ok) return report::words_of(cell.status);
  if (!cell.summary) return "no launch of it was finished";
  return cell.summary->not_ranked.value_or("");
}

}  // namespace

CellFinder::CellFinder(const report::Report& report) : report_(report) {
  for (const Cell& cell : report_.cells) cells_.emplace(place_of(cell.scenario, cell.implementation), &cell);
}

Result<std::string> CellFinder::scenario_key(const scenario::Point& point) {
  std::string spelled = point.scenario_file.string();
  for (const scenario::Setting& setting : point.scenario_settings) {
    spelled.append("\n").append(setting.key).append("=").append(setting.value);
  }
  if (const auto known = keys_.find(spelled); known != keys_.end()) return known->second;
  const scenario::Scenario scenario = TRY(scenario::read_scenario(point.scenario_file, point.scenario_settings));
  return keys_.emplace(std::move(spelled), scenario.identity()).first->second;
}

Result<CellFinder::Found> CellFinder::find(const scenario::Point& point) {
  const bool known = std::any_of(report_.cells.begin(), report_.cells.end(),
                                 [&](const Cell& cell) { return cell.implementation == point.implementation; });
  if (!known) return Found{nullptr, "no implementation " + point.implementation + " was run"};
  const std::string key = TRY(scenario_key(point));
  const auto [begin, end] = cells_.equal_range(place_of(key, point.implementation));
  std::string undeclared;
  for (auto entry = begin; entry != end; ++entry) {
    const Cell& cell = *entry->second;
    if (cell.threads != point.threads || cell.arm != report::kNewArm) continue;
    if (has_options(cell, point.options)) return Found{&cell, reason_of(cell)};
    for (const auto& [option, value] : point.options) {
      if (analysis::option_of(cell, option) == nullptr) undeclared = option;
    }
  }
  if (!undeclared.empty()) return Found{nullptr, point.implementation + " has no option " + undeclared};
  return Found{nullptr, point.implementation + " was not measured with these settings"};
}

std::string reason_without(Quantity quantity, const Cell& cell) {
  for (const Launch& launch : cell.launches) {
    if (quantity == Quantity::own_memory && !launch.peak_anonymous_bytes) return "its own memory was not read";
    if (quantity == Quantity::device_memory && !launch.peak_device_bytes) return "it has no memory on a device";
  }
  const auto imports = [](const Launch& launch) { return launch.import_seconds.has_value(); };
  if (quantity == Quantity::import && std::ranges::none_of(cell.launches, imports)) return "it imports nothing";
  if (report::is_percentile(quantity) && !(cell.summary && cell.summary->single_steps)) {
    return "its steps were not timed one by one (run --single-steps)";
  }
  if (report::is_percentile(quantity) && !are_telling(*cell.summary->single_steps)) {
    return "timing its steps one by one changes what they take";
  }
  if (quantity == Quantity::allocations && !(cell.profile && cell.profile->allocations_per_step)) {
    return "its allocations were not counted";
  }
  if (quantity != Quantity::steps_to_target && quantity != Quantity::time_to_target) return "";
  if (!cell.target) return "it was not trained to a target";
  if (cell.target->state != report::TargetState::reached) {
    return std::string("it did not reach the target loss: ") + report::name_of(cell.target->state) + " after " +
           std::to_string(cell.target->stopped_after) + " steps";
  }
  return cell.target->steps == 0 ? "its loss is at the target from the start" : "";
}

bool is_time(Quantity quantity) { return !report::is_counted(quantity) && !report::is_memory(quantity); }

}  // namespace gdbench::claims
