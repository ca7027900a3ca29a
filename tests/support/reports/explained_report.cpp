#include "tests/support/reports/explained_report.h"

#include <stdexcept>
#include <utility>

#include "harness/analysis/summarise.h"
#include "harness/questions/explain/explain.h"

namespace gdbench::tests {

using report::Cell;
using report::ProfileRecord;
using report::Report;

Cell exact_cell(const std::string& implementation, double step_ns, int launches) {
  Cell cell;
  cell.id = std::string(kExplainedScenario) + "/" + implementation;
  cell.scenario = "key";
  cell.implementation = implementation;
  cell.repeat = "gdbench run --scenario " + std::string(kExplainedScenario) + " --impl " + implementation;
  cell.status.state = report::CellState::ok;
  for (int launch = 0; launch < launches; ++launch) {
    cell.launches.push_back({launch, "2026-01-02T03:04:05Z", 0.004, 0.001, 0.002, 5 * step_ns, 0.03, 8 << 20});
    for (int round = 0; round < 3; ++round) {
      report::Sample sample;
      sample.launch = launch;
      sample.round = round;
      sample.cold = round == 0;
      sample.steps = 100;
      sample.real_ns = step_ns + 64 * launch + 8 * round;
      cell.samples.push_back(sample);
    }
  }
  return cell;
}

Report report_of(std::vector<Cell> cells) {
  Report report;
  report.run.baseline = cells.front().implementation;
  report::ScenarioRecord scenario;
  scenario.key = "key";
  scenario.name = kExplainedScenario;
  scenario.label = kExplainedScenario;
  report.scenarios.push_back(scenario);
  report.cells = std::move(cells);
  analysis::summarise(report);
  return report;
}

void add_profile(Cell& cell, std::vector<ProfileRecord> records, double profiled_beyond_ns,
                 double unprofiled_beyond_ns) {
  report::Profile profile;
  profile.cell = cell.id;
  profile.implementation = cell.implementation;
  profile.steps = 100;
  profile.step_ns = cell.summary->step_ns.value + unprofiled_beyond_ns;
  profile.profiled_step_ns = cell.summary->step_ns.value + profiled_beyond_ns;
  profile.records = std::move(records);
  cell.profile = std::move(profile);
}

Report explained_report() {
  Report report = report_of({exact_cell("slow/loops", 13700), exact_cell("fast/loops", 10000),
                             exact_cell("fast/matrix", 8000), exact_cell("slow/matrix", 12100)});
  const ProfileRecord compile{.phase = report::Phase::compile, .op = "bind", .calls = 1, .time_ns = 1e6};
  const ProfileRecord forward{.phase = report::Phase::forward, .op = "product", .calls = 1, .time_ns = 3000};
  add_profile(report.cells[0], {compile,
                                {.phase = report::Phase::backward, .op = "product", .calls = 4, .time_ns = 8000},
                                forward,
                                {.phase = report::Phase::update, .op = "sgd", .calls = 1, .time_ns = 700}});
  add_profile(report.cells[1], {forward,
                                {.phase = report::Phase::backward, .op = "product", .calls = 2, .time_ns = 4000},
                                {.phase = report::Phase::update, .op = "sgd", .calls = 1, .time_ns = 1000}});
  return report;
}

report::Explanation explain_first_two(const Report& report) {
  return explain::explain(report, report.cells[0], report.cells[1]);
}

const report::PhasePart& phase_of(const report::Explanation& explanation, const std::string& name) {
  for (const report::PhasePart& phase : explanation.profiles->phases) {
    if (phase.name() == name) return phase;
  }
  throw std::out_of_range(name);
}

const report::OpPart& op_of(const report::Explanation& explanation, const std::string& phase, const std::string& name) {
  for (const report::OpPart& op : explanation.profiles->ops) {
    if (name_of(op.phase) == phase && op.op == name) return op;
  }
  throw std::out_of_range(name);
}

}  // namespace gdbench::tests
