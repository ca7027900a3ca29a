#include "made_reports.h"

#include <cmath>

#include "harness/base/random.h"
#include "harness/base/text.h"

namespace gdbench::history {

ReadReports reports_taking(const std::vector<Level>& levels, std::uint64_t seed) {
  Random random(seed);
  ReadReports read;
  const auto add = [&](double level) {
    const std::size_t number = read.reports.size();
    const std::string name = std::to_string(number);
    const double time = level * std::exp(kScatter * random.normal());
    MeasuredReport& report = read.reports.emplace_back();
    report.source = {name + ".json", "run " + name, "r" + name, "",
                     formatted("2026-01-01T%02zu:%02zu:00Z", number / 60, number % 60)};
    report.environment = R"({"cpu": {"model": "Processor"}, "build": {"compiler": "GNU 12"}})";
    report.machine = "Processor";
    MeasuredCell& cell = report.cells.emplace_back();
    cell.id = "s/a";
    cell.scenario = "key";
    cell.status = {report::CellState::ok, ""};
    cell.step_ns = stats::Estimate{time, {0.99 * time, 1.01 * time}, 10, false};
  };
  for (const auto& [reports, step_ns] : levels) {
    for (int i = 0; i < reports; ++i) add(step_ns);
  }
  return read;
}

}  // namespace gdbench::history
