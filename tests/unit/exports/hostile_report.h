#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/reports/example_report.h"

namespace gdbench::tests {

// Tags, quotes, marks of direction, control characters, bytes that are no UTF-8, and 10,000 characters.
inline const std::string kHostile = "<script>\"&'</script>]]>\\\u202e\x01\x1b\xff\r\n" + std::string(10'000, 'x');

// The example with that in every text.
inline report::Report hostile_report() {
  report::Report report = example_report();
  report.run.matrix = report.run.started_at = kHostile;
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

}  // namespace gdbench::tests
