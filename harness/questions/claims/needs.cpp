#include "harness/questions/claims/needs.h"

#include <vector>

#include "harness/questions/claims/figures.h"

namespace gdbench::claims {

namespace {

using report::RelationKind;

// By entry: whether the relation's verdict rests on it. Of a trend and a crossover the ends do.
std::vector<bool> deciding_entries(const report::ClaimRelation& relation, const std::vector<Entry>& entries) {
  std::vector<bool> decides;
  for (const Entry& entry : entries) decides.push_back(relation.decides && is_named(relation, entry.at));
  if (relation.kind != RelationKind::trend && relation.kind != RelationKind::crossover) return decides;
  for (const std::vector<std::size_t>& group : groups_along(entries, relation.along)) {
    for (const std::size_t i : group) {
      decides[i] = decides[group.front()] && (i == group.front() || i == group.back());
    }
  }
  return decides;
}

}  // namespace

Result<NeededCells> needed_cells(const ExpandedClaim& claim, const report::Report& report) {
  NeededCells needed;
  CellFinder finder(report);
  for (const ExpandedRelation& expanded : claim.relations) {
    const std::vector<Entry> entries = entries_of(expanded);
    const std::vector<bool> decides = deciding_entries(*expanded.relation, entries);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      for (const scenario::Point* point : {&entries[i].pair->a, &entries[i].pair->b}) {
        const report::Cell* cell = TRY(finder.find(*point)).cell;
        const bool can_be_measured = cell != nullptr && (cell->status.state == report::CellState::pending ||
                                                         cell->status.state == report::CellState::ok);
        needed.lacks_some = needed.lacks_some || (decides[i] && !can_be_measured);
        if (!can_be_measured) continue;
        (decides[i] ? needed.deciding : needed.beside).insert(static_cast<std::size_t>(cell - report.cells.data()));
      }
    }
  }
  return needed;
}

}  // namespace gdbench::claims
