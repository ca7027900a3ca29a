#include "harness/questions/claims/needs.h"

#include <vector>

#include "harness/questions/claims/figures.h"

namespace gdbench::claims {

Result<NeededCells> needed_cells(const ExpandedClaim& claim, const report::Report& report) {
  NeededCells needed;
  CellFinder finder(report);
  for (const ExpandedRelation& expanded : claim.relations) {
    for (const Entry& entry : expanded.entries) {
      const bool decides = expanded.relation->decides && entry.decides;
      for (const scenario::Point* point : {&entry.a, &entry.b}) {
        const report::Cell* cell = TRY(finder.find(*point)).cell;
        const bool can_be_measured = cell != nullptr && (cell->status.state == report::CellState::pending ||
                                                         cell->status.state == report::CellState::ok);
        needed.lacks_some = needed.lacks_some || (decides && !can_be_measured);
        if (!can_be_measured) continue;
        (decides ? needed.deciding : needed.shown).insert(static_cast<std::size_t>(cell - report.cells.data()));
      }
    }
  }
  return needed;
}

}  // namespace gdbench::claims
