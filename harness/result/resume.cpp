#include "harness/result/resume.h"

#include <unordered_map>

#include "harness/base/text.h"

namespace gdbench::result {

namespace {

std::string difference(const Report& killed, const Report& planned) {
  if (killed.run.status == "complete") return "found a run that was finished, expected one that was killed";
  if (killed.run.seed != planned.run.seed) {
    return "/run/seed: found " + std::to_string(killed.run.seed) + ", expected " + std::to_string(planned.run.seed);
  }
  if (killed.cells.size() != planned.cells.size()) {
    return "found " + std::to_string(killed.cells.size()) + " cells, expected the " +
           std::to_string(planned.cells.size()) + " of this command";
  }
  return "";
}

}  // namespace

Status take_over(const Report& killed, const std::string& origin, Report& planned) {
  const std::string place = one_line(origin) + ": ";
  if (const std::string other = difference(killed, planned); !other.empty()) return usage_error(place + other);
  std::unordered_map<std::string, const Cell*> known;
  for (const Cell& cell : killed.cells) known.emplace(cell.id, &cell);
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
    cell.target = old.target;
    cell.runtime = old.runtime;
    cell.confirmed_from = old.confirmed_from;
    cell.launches = old.launches;
    cell.samples = old.samples;
  }
  planned.run.id = killed.run.id;
  planned.run.started_at = killed.run.started_at;
  planned.add_ceilings(killed.ceilings);
  planned.add_notes(killed.notes);
  return {};
}

}  // namespace gdbench::result
