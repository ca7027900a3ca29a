// The times of one scenario's cells over the revisions.
#pragma once

#include <string>
#include <vector>

#include "reports/page/parts.h"
#include "reports/render/history.h"

namespace gdbench::page {

struct HistoryView {
  const report::History& history;
  const std::vector<render::HistoryMark>& marks;  // of the whole history: their places are their numbers
  std::vector<const report::HistoryCell*> cells;  // of the scenario
  std::string id;                                 // of its section
};

// Whether the cell has one of the marks.
bool is_marked(const std::vector<render::HistoryMark>& marks, const report::HistoryCell& cell);

// What distinguishes a cell from the others of its scenario: its id without the scenario's label.
std::string name_of_cell(const report::HistoryCell& cell);

// Times with their intervals and levels, changes of a level numbered as in `marks`.
void add_history(Markup& markup, const HistoryView& view);

}  // namespace gdbench::page
