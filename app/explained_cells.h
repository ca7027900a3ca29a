// Which cells of a report `gdbench explain` compares.
#pragma once

#include <string>
#include <vector>

#include "harness/report/explanation.h"
#include "harness/report/report.h"

namespace gdbench::app {

struct CellPair {
  const report::Cell* a = nullptr;
  const report::Cell* b = nullptr;
};

// What a user asks for; all but the report may be empty.
struct CellRequest {
  std::string report;    // where it was read from, for messages
  std::string scenario;  // key, label or name
  // Each an implementation; a cell's id, whole or without its scenario; overrides of a scenario as its label has them
  // ("optimizer=adam"); or overrides, a slash and one of the former. Both or neither.
  std::string a;
  std::string b;
  std::string baseline;  // without a and b: an implementation that is compared with the fastest, and nothing else
};

// Whether it has a time and keeps to its threads.
bool is_comparable(const report::Cell& cell);

// With a and b: these in each scenario that has both; otherwise of scenarios that differ in overrides, each a beside
// the b whose scenario differs in the fewest keys. With a baseline: in each scenario the fastest beside it. Without, or
// where it is the fastest: beside the runner-up, the best framework and the report's baseline; in a report without two
// such cells in one scenario, each cell beside the first of its implementation under other overrides. At least one
// pair, all timed and ranked by processor use. Errors: one line that names what was not found.
Result<std::vector<CellPair>> explained_cells(const report::Report& report, const CellRequest& request);

// Why, pair after pair.
std::vector<report::Explanation> explanations_of(const report::Report& report, const std::vector<CellPair>& pairs);

}  // namespace gdbench::app
