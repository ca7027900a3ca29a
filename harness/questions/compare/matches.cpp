#include "harness/questions/compare/matches.h"

#include <unordered_map>

namespace gdbench::compare {

using report::Cell;
using report::Change;
using report::ComparedCell;
using report::Report;

std::string id_without_arm(const Cell& cell) {
  const std::string suffix = "#" + cell.arm;
  return cell.id.ends_with(suffix) ? cell.id.substr(0, cell.id.size() - suffix.size()) : cell.id;
}

std::vector<Match> matched(const Report& base, const std::string& base_arm, const Report& next,
                           const std::string& next_arm) {
  std::unordered_map<std::string, const Cell*> known;
  for (const Cell& cell : base.cells) {
    if (cell.arm == base_arm) known.emplace(id_without_arm(cell), &cell);
  }
  std::vector<Match> matches;
  for (const Cell& cell : next.cells) {
    if (cell.arm != next_arm) continue;
    const auto found = known.find(id_without_arm(cell));
    matches.push_back({found == known.end() ? nullptr : found->second, &cell});
    if (found != known.end()) known.erase(found);
  }
  for (const Cell& cell : base.cells) {
    if (cell.arm == base_arm && known.contains(id_without_arm(cell))) matches.push_back({&cell, nullptr});
  }
  return matches;
}

std::optional<ComparedCell> without_times(const Match& match) {
  ComparedCell cell;
  cell.id = id_without_arm(match.next != nullptr ? *match.next : *match.base);
  const bool base_timed = match.base != nullptr && match.base->summary;
  const bool next_timed = match.next != nullptr && match.next->summary;
  if (base_timed && next_timed && match.base->scenario == match.next->scenario) return std::nullopt;
  if (base_timed) cell.base_ns = match.base->summary->step_ns;
  if (next_timed) cell.new_ns = match.next->summary->step_ns;
  if (base_timed && next_timed) {
    cell.remark = "the scenario is not the same any more";
  } else if (next_timed) {
    cell.change = match.base != nullptr && report::is_failure(match.base->status.state) ? Change::fixed : Change::added;
    if (match.base != nullptr) cell.remark = report::words_of(match.base->status) + " in the base";
  } else if (base_timed) {
    cell.change =
        match.next != nullptr && report::is_failure(match.next->status.state) ? Change::failing : Change::removed;
    if (match.next != nullptr) cell.remark = report::words_of(match.next->status);
  } else {
    cell.remark = "neither side has a time";
  }
  return cell;
}

}  // namespace gdbench::compare
