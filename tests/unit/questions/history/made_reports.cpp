#include "made_reports.h"

#include <cmath>

#include "harness/base/random.h"
#include "harness/base/text.h"

namespace gdbench::history {

ReadReports reports_taking(const std::vector<double>& levels, std::uint64_t seed) {
  Random random(seed);
  ReadReports read;
  for (const double level : levels) {
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
  }
  return read;
}

std::vector<double> repeated(std::size_t count, double value) { return std::vector<double>(count, value); }

std::vector<double> joined_levels(std::vector<double> first, const std::vector<double>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace gdbench::history
