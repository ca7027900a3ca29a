#include "tests/support/reports/example_report.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace gdbench::tests {

report::Report example_report() {
  Result<report::Report> read = report::read_report(GDBENCH_SOURCE_DIR "/tests/golden/answers/report.json");
  if (!read.ok()) throw std::runtime_error(read.error().message);
  // Steps without an end are null in the file.
  for (report::BreakEvenRecord& record : read->attribution->break_evens) {
    double& latest = record.result.interval.high;
    if (std::isnan(latest)) latest = std::numeric_limits<double>::infinity();
  }
  return std::move(read).value();
}

}  // namespace gdbench::tests
