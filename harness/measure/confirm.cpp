#include "harness/measure/confirm.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "harness/measure/launch_group.h"

namespace gdbench::measure {

Status confirm(Plan& plan, const std::set<std::size_t>& units, const RunOptions& options, report::Report& report,
               report::Journal& journal) {
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - options.started).count();
  };
  const auto wanted = [&](const PlannedCell& cell) { return units.contains(cell.unit); };
  const auto is_concerned = [&](const auto& planned) {
    return std::any_of(planned->cells.begin(), planned->cells.end(), wanted);
  };
  auto left = std::count_if(plan.scenarios.begin(), plan.scenarios.end(), is_concerned);
  for (const auto& planned : plan.scenarios) {
    if (!is_concerned(planned)) continue;
    // Scenarios share what is left of the budget evenly: none is confirmed at the price of another.
    const double rest = options.budget_seconds - options.reserved_seconds - elapsed();
    const double end = elapsed() + rest / static_cast<double>(left--);
    TRY(planned->acquire());
    std::vector<LiveCell> live = live_cells(*planned, report);
    std::erase_if(live, [&](const LiveCell& cell) { return !wanted(*cell.planned); });
    const int first = next_launch(live, report);
    for (const LiveCell& cell : live) {
      report::Cell& confirmed = report.cells[cell.planned->index];
      confirmed.confirmed_from = first;
      TRY(journal.cell(confirmed));
    }
    double slowest = 0;
    for (int launch = first; launch < 2 * first && !options.cancelled(); ++launch) {
      const double start = elapsed();
      if (launch > first && options.launches == 0 && start + slowest > end) break;
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
