#include "tests/unit/exports/hostile_report.h"

#include <nlohmann/json.hpp>

#include "tests/support/reports/example_report.h"

namespace gdbench::tests {

report::Report hostile_report() {
  report::Report report = example_report();
  report.run.matrix = kHostile;
  report.run.started_at = kHostile;
  auto environment = OrderedJson::parse(report.environment);
  environment["cpu"]["model"] = "<script>\"\n\x01";  // a file's JSON is UTF-8
  report.environment = environment.dump();
  for (report::ScenarioRecord& scenario : report.scenarios) scenario.label += kHostile;
  for (report::Cell& cell : report.cells) {
    cell.id += kHostile;
    cell.implementation += kHostile;
    if (cell.status.state != report::CellState::ok) cell.status.reason = kHostile;
    for (report::Launch& launch : cell.launches) launch.started_at = kHostile;
  }
  return report;
}

report::Report failed_report() {
  report::Report report = example_report();
  std::erase_if(report.cells, [](const report::Cell& cell) { return cell.status.state == report::CellState::ok; });
  return report;
}

}  // namespace gdbench::tests
