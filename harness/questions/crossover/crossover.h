// Where one cell is faster than another, by measurement: the search of harness/stats/crossover.h fed by launch groups,
// and the break-even of steps from the launches of one group.
#pragma once

#include <cstdint>
#include <functional>

#include "harness/measure/cell_group.h"
#include "harness/measure/options.h"
#include "harness/report/crossover.h"
#include "harness/report/report.h"

namespace gdbench::crossover {

struct CrossoverRequest {
  stats::CrossoverOptions search;
  // A's cell and B's, in this order, at a size. Errors: the size does not suit the scenario, or an implementation.
  std::function<Result<measure::CellGroup>(std::int64_t size)> plan;
};

// Measures size after size until the search is done, what comes next does not fit into the budget (both ends are
// measured in any case), it is cancelled, or a cell fails, whose status is then in the report. Fills points, answer,
// complete and need of `crossover`, and appends every cell to the report. Errors: a size that cannot be planned or
// verified.
Status measure_crossover(const CrossoverRequest& request, const measure::RunOptions& options,
                         report::Crossover& crossover, report::Report& report);

// Launches of A's cell and B's side by side: options.launches, or where that is 0 twenty, and ever more until it is
// decided or the budget is spent; then the break-even of their load, prepare, first and steady step. `margin` is that
// of break_even; the sides' names are left to the caller. Stops early when it is cancelled or a cell fails.
Result<report::StepsCrossover> measure_break_even(measure::CellGroup& group, const measure::RunOptions& options,
                                                  double margin);

}  // namespace gdbench::crossover
