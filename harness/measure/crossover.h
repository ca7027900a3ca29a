// Where one cell overtakes another, by measurement: the search of harness/stats/crossover.h fed by launch groups, and
// the break-even of steps from the launches of one group.
#pragma once

#include <cstdint>
#include <functional>

#include "harness/measure/cell_group.h"
#include "harness/measure/options.h"
#include "harness/result/crossover.h"
#include "harness/result/report.h"

namespace gdbench::measure {

struct CrossoverRequest {
  stats::CrossoverOptions search;
  // A's cell and B's, in this order, at a size. Errors: the size does not suit the scenario, or an implementation.
  std::function<Result<CellGroup>(std::int64_t size)> plan;
};

// Measures size after size until the search is done, the budget is spent (both ends are measured in any case), it is
// cancelled, or a cell fails, whose status is then in the report. Fills points, answer and complete of `crossover`, and
// appends every cell to the report. Errors: a size that cannot be planned or verified.
Status measure_crossover(const CrossoverRequest& request, const RunOptions& options, result::Crossover& crossover,
                         result::Report& report);

// options.launches launches of A's cell and B's side by side, then the break-even of their load, prepare, first and
// steady step. Stops early when it is cancelled or a cell fails.
Result<result::StepsCrossover> measure_break_even(CellGroup& group, const RunOptions& options);

}  // namespace gdbench::measure
