#include "harness/measure/cell_group.h"

#include <algorithm>
#include <iterator>

#include "harness/measure/verify_cell.h"

namespace gdbench::measure {

using report::CellState;

Status CellGroup::verify(const RunOptions& options) {
  TRY(acquire());
  for (const auto& planned : plan_.scenarios) {
    if (!TRY(verify_scenario(*planned, options, true, report_))) return {};
    std::ranges::copy(live_cells(*planned, report_), std::back_inserter(live_));
  }
  return {};
}

Status CellGroup::acquire() {
  for (const auto& planned : plan_.scenarios) {
    TRY(planned->acquire());
  }
  return {};
}

void CellGroup::release() {
  for (const auto& planned : plan_.scenarios) planned->release();
}

void CellGroup::leave_out(std::size_t cell) {
  std::erase_if(live_, [cell](const LiveCell& live) { return live.planned->index == cell; });
}

Status CellGroup::launch(const RunOptions& options) {
  TRY(acquire());
  report::Journal none = report::Journal::nowhere();
  RunOptions timed = options;
  timed.profiles = false;  // the answer is in the times
  return run_launch_group(live_, launches_++, timed, report_, none);
}

void CellGroup::start_over() {
  launches_ = 0;
  for (report::Cell& cell : report_.cells) {
    cell.launches.clear();
    cell.samples.clear();
    cell.confirmed_from.reset();
  }
}

void CellGroup::add_work(std::size_t cell, std::uint64_t iterations) {
  std::optional<std::uint64_t>& added = report_.cells[cell].block->added_iterations;
  added = iterations;
  if (iterations == 0) added.reset();
}

void CellGroup::confirm_from_here() {
  for (report::Cell& cell : report_.cells) cell.confirmed_from = launches_;
}

const report::Cell* CellGroup::failed_cell() const {
  const auto found = std::find_if(report_.cells.begin(), report_.cells.end(), [](const report::Cell& cell) {
    return cell.status.state != CellState::ok && cell.status.state != CellState::pending;
  });
  return found == report_.cells.end() ? nullptr : &*found;
}

}  // namespace gdbench::measure
