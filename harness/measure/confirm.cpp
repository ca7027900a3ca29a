#include "harness/measure/confirm.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "harness/measure/launch_group.h"

namespace gdbench::measure {

Status confirm(Plan& plan, const std::set<std::size_t>& units, const RunOptions& options, result::Report& report,
               result::Journal& journal) {
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - options.started).count();
  };
  for (const auto& planned : plan.scenarios) {
    const auto wanted = [&](const PlannedCell& cell) { return units.contains(cell.unit); };
    if (std::none_of(planned->cells.begin(), planned->cells.end(), wanted)) continue;
    if (Status status = planned->acquire(); !status.ok()) return status;
    std::vector<LiveCell> live = live_cells(*planned, report);
    std::erase_if(live, [&](const LiveCell& cell) { return !wanted(*cell.planned); });
    const int first = next_launch(live, report);
    for (const LiveCell& cell : live) {
      result::Cell& confirmed = report.cells[cell.planned->index];
      confirmed.confirmed_from = first;
      if (Status status = journal.cell(confirmed); !status.ok()) return status;
    }
    double slowest = 0;
    for (int launch = first; launch < 2 * first && !options.cancelled(); ++launch) {
      const double start = elapsed();
      const bool late = start + slowest > options.budget_seconds - options.reserved_seconds;
      if (launch > first && options.launches == 0 && late) break;
      options.progress({"confirm " + planned->scenario.name + ", launch " + std::to_string(launch - first + 1), 1, -1});
      Status status = run_launch_group(*planned, live, launch, options, report, journal);
      if (!status.ok()) return status;
      slowest = std::max(slowest, elapsed() - start);
    }
    planned->release();
  }
  return {};
}

}  // namespace gdbench::measure
