// The grid of the first screen, before any layout: scenarios down, kinds of implementations across, who wins where.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/report/report.h"
#include "reports/answers/ranking.h"

namespace gdbench::answers {

enum class Mark { none, wins, ties };

// A place of the grid.
struct Entry {
  const report::Cell* cell =
      nullptr;  // its column's, whom no other of it beats; where none has a rank, one that says why
  Mark mark = Mark::none;
  std::optional<stats::Comparison>
      ratio{};  // of its time to the baseline's, else to the fastest's; absent for that one
};

// One kind of implementation (a strategy, a framework), one implementation where there are few, or one cell (turned).
struct OverviewColumn {
  std::string title;
  bool names = false;  // whether an entry must say which implementation it is
};

// A scenario, once for each thread count.
struct OverviewRow {
  const report::ScenarioRecord* scenario = nullptr;
  std::string label;                           // with the threads where they are not 1
  std::string brief;                           // the same in a sentence, shorter where it is long
  std::vector<Entry> entries;                  // one per column
  Ranking ranking;                             // of the entries that have a rank
  std::vector<const report::Cell*> ranked;     // all cells that have one
  std::vector<const report::Cell*> tied_kind;  // where a kind wins: those of it not distinguished from its fastest
  std::size_t failures = 0;                    // cells that are wrong, crashed ...
  std::size_t interest = 0;                    // its place among all rows, 0 has the most
};

struct Overview {
  const report::Report* report = nullptr;
  std::vector<OverviewColumn> columns;  // the baseline first, then slowest to fastest; turned: fastest first
  std::vector<OverviewRow> rows;        // those with a time or a failure, in the report's order
  std::string baseline;                 // empty: no ranked cell has a ratio to one
  bool ranked = true;                   // false: no cell has a rank, and the grid shows those without
  bool turned = false;                  // one scenario, one row: implementations are for going down
};

constexpr std::size_t kMaxRows = 25;  // on a screen

// Of cells of this build; other arms are for gdbench compare, unless there is nothing else. Rows of the most interest
// have failures, then another winner than the row before, then a tie; the others are spread over the report.
Overview overview_of(const report::Report& report);

// What a row is called where rows are counted: "row" where a scenario has several.
const char* row_noun(const Overview& overview);

// A cell with a time.
bool is_timed(const report::Cell& cell);

// Of a cell with a time: whether its worker loads a framework, and is none that runs a file of one's own.
bool is_framework(const report::Cell& cell);

// "graph" of "graph/eigen"; the whole id where that is the baseline.
std::string kind_of(const report::Cell& cell, const std::string& baseline);
// "graph/eigen packed=true": a row's name without threads and arm.
std::string variant_of(const report::Cell& cell);
// A cell's name in a sentence about all rows: the variant or, where the overview is turned, the row's.
std::string name_in(const Overview& overview, const report::Cell& cell);
// What a variant adds to its kind, options by their values: "eigen true".
std::string mode_of(const report::Cell& cell);

}  // namespace gdbench::answers
