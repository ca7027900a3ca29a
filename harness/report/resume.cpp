#include "harness/report/resume.h"

#include <unordered_map>

#include "harness/base/text.h"

namespace gdbench::report {

namespace {

std::string difference(const Report& stopped, const Report& planned) {
  if (stopped.run.status == "complete")
    return "found a run that is complete, expected one that was stopped (--overwrite, or another --out, begins a new "
           "one)";
  if (stopped.run.seed != planned.run.seed) {
    return "/run/seed: found " + std::to_string(stopped.run.seed) + ", expected " + std::to_string(planned.run.seed);
  }
  if (stopped.cells.size() != planned.cells.size()) {
    return "found " + std::to_string(stopped.cells.size()) + " cells, expected the " +
           std::to_string(planned.cells.size()) + " of this command";
  }
  return "";
}

}  // namespace

Status take_over(const Report& stopped, const std::string& origin, Report& planned) {
  const std::string place = one_line(origin) + ": ";
  if (const std::string other = difference(stopped, planned); !other.empty()) return usage_error(place + other);
  std::unordered_map<std::string, const Cell*> known;
  for (const Cell& cell : stopped.cells) known.emplace(cell.id, &cell);
  for (Cell& cell : planned.cells) {
    const auto found = known.find(cell.id);
    if (found == known.end())
      return usage_error(place + "found no cell " + cell.id + ", expected the cells of this command");
    const Cell& old = *found->second;
    if (old.build != cell.build || old.scenario != cell.scenario) {
      return usage_error(place + "cell " + cell.id + ": found " + in_quotes(old.build) + ", expected the build " +
                         in_quotes(cell.build) + " and the same scenario");
    }
    if (old.status.state == CellState::pending) continue;
    cell.status = old.status;
    cell.verification = old.verification;
    cell.block = old.block;
    cell.profile = old.profile;
    cell.other_profiles = old.other_profiles;
    cell.target = old.target;
    cell.runtime = old.runtime;
    cell.confirmed_from = old.confirmed_from;
    cell.launches = old.launches;
    cell.samples = old.samples;
  }
  planned.run.id = stopped.run.id;
  planned.run.started_at = stopped.run.started_at;
  planned.add_ceilings(stopped.ceilings);
  planned.add_notes(stopped.notes);
  return {};
}

}  // namespace gdbench::report
