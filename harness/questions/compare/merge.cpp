#include "harness/questions/compare/merge.h"

#include <algorithm>
#include <initializer_list>
#include <span>
#include <unordered_map>
#include <utility>

#include "harness/base/text.h"
#include "harness/questions/compare/compare.h"

namespace gdbench::compare {

namespace {

using report::Report;

// Why two reports are not parts of one; empty where they are.
std::string difference(const Report& first, const Report& other) {
  const auto unlike = [](const char* key, const std::string& found, const std::string& expected) {
    return std::string("/run/") + key + ": found " + in_quotes(found) + ", expected " + in_quotes(expected);
  };
  if (other.run.matrix != first.run.matrix) return unlike("matrix", other.run.matrix, first.run.matrix);
  if (other.run.baseline != first.run.baseline) return unlike("baseline", other.run.baseline, first.run.baseline);
  if (other.run.seed != first.run.seed) {
    return unlike("seed", std::to_string(other.run.seed), std::to_string(first.run.seed));
  }
  for (const auto& parts : std::initializer_list<std::span<const char* const>>{kMachine, kBuild, kRevision}) {
    const std::string unequal = first_difference(parts, first.environment, other.environment);
    if (!unequal.empty()) return "/environment/" + unequal;
  }
  return "";
}

void merge_run(const report::Run& other, report::Run& run) {
  const std::optional<double> own_seconds = report::measuring_seconds(run);
  const std::optional<double> other_seconds = report::measuring_seconds(other);
  if (own_seconds && other_seconds) run.measuring_seconds = *own_seconds + *other_seconds;
  run.started_at = std::min(run.started_at, other.started_at);
  run.finished_at = std::max(run.finished_at, other.finished_at);
  if (run.status == "complete") run.status = other.status;
  run.budget_seconds += other.budget_seconds;
  run.quick = run.quick || other.quick;
}

}  // namespace

Result<Report> merge(std::vector<MergeInput> inputs) {
  Report merged = std::move(inputs.front().report);
  std::unordered_map<std::string, std::string> owners;  // of cells, by id
  for (const report::Cell& cell : merged.cells) owners.emplace(cell.id, inputs.front().name);
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    Report& other = inputs[i].report;
    const std::string place = one_line(inputs[i].name) + ": ";
    if (const std::string unlike = difference(merged, other); !unlike.empty()) {
      return usage_error(place + unlike + ", as " + one_line(inputs.front().name) + " has it");
    }
    merge_run(other.run, merged.run);
    merged.add_ceilings(other.ceilings);
    for (report::ScenarioRecord& scenario : other.scenarios) {
      const report::ScenarioRecord* known = merged.find_scenario(scenario.key);
      if (known != nullptr && known->data_digest != scenario.data_digest) {
        return usage_error(place + "found other data of the scenario " + scenario.label + ", expected the same as " +
                           one_line(inputs.front().name) + " has");
      }
      if (known == nullptr) merged.scenarios.push_back(std::move(scenario));
    }
    for (report::Cell& cell : other.cells) {
      const auto [owner, fresh] = owners.emplace(cell.id, inputs[i].name);
      if (!fresh) {
        return usage_error(place + "found the cell " + cell.id + ", which " + one_line(owner->second) +
                           " has too, expected every cell once");
      }
      merged.cells.push_back(std::move(cell));
    }
    merged.add_notes(other.notes);
  }
  merged.run.shard.reset();
  return merged;
}

std::vector<std::vector<MergeInput>> by_machine(std::vector<MergeInput> inputs) {
  return by_machine(
      std::move(inputs), [](const MergeInput& input) -> auto& { return input.report.environment; });
}

}  // namespace gdbench::compare
