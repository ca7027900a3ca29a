// Reports with cells that scatter in a known way.
#pragma once

#include <random>
#include <string>
#include <utility>

#include "harness/analysis/summarise.h"

namespace gdbench::compare {

// A cell of `launches` launches of six blocks, whose step takes `step_ns` times a scatter of about 1% that the seed
// and the launch alone decide: cells with one seed scatter alike, as neighbours do.
inline report::Cell cell_taking(const std::string& name, const std::string& arm, double step_ns, int launches = 40,
                                unsigned seed = 1) {
  std::mt19937_64 generator(seed);
  const auto scatter = [&generator] { return 1 + 0.01 * static_cast<double>(generator() >> 11) * 0x1p-53; };
  report::Cell cell;
  cell.id = "s/" + name + (arm == "new" ? "" : "#" + arm);
  cell.scenario = "key";
  cell.implementation = name;
  cell.arm = arm;
  cell.status = {report::CellState::ok, ""};
  for (int launch = 0; launch < launches; ++launch) {
    const double speed = scatter();
    for (int round = 0; round <= 6; ++round) {
      const double real_ns = step_ns * speed * scatter();
      cell.samples.push_back({.launch = launch, .round = round, .cold = round == 0, .steps = 10, .real_ns = real_ns});
    }
    cell.launches.emplace_back().launch = launch;
  }
  return cell;
}

// A summarised report of these cells, all of one scenario.
inline report::Report report_of(std::vector<report::Cell> cells) {
  static int runs = 0;
  report::Report report;
  report.run.id = "run " + std::to_string(++runs);
  report.run.status = "complete";
  report.run.baseline = "hand/naive";
  report.environment = R"({"cpu": {"model": "Processor"}, "kernel": "Linux 6"})";
  report.scenarios.emplace_back().key = "key";
  report.cells = std::move(cells);
  analysis::summarise(report);
  return report;
}

}  // namespace gdbench::compare
