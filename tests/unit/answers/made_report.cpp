#include "tests/unit/answers/made_report.h"

#include <tuple>

#include "harness/analysis/summarise.h"
#include "harness/base/text.h"
#include "tests/support/reports/explained_report.h"

namespace gdbench::tests {

using report::Cell;
using report::CellState;
using report::Report;

MadeReport::MadeReport(const std::string& baseline, int launches) : launches_(launches) {
  report_.run.matrix = "made";
  report_.run.status = "complete";
  report_.run.started_at = "2026-01-02T03:04:05Z";
  report_.run.finished_at = "2026-01-02T03:05:09Z";
  report_.run.baseline = baseline;
  const nlohmann::json environment = {
      {"cpu", {{"model", "Example Processor 9000"}, {"logical_processors", 2}}},
      {"kernel", "Linux 6.1.0-example"},
      {"build", {{"compiler", "ExampleCompiler 1.0"}, {"git_revision", "0123456789abcdef"}}}};
  report_.environment = environment.dump();
}

MadeReport& MadeReport::scenario(const std::string& label, const std::vector<std::pair<std::string, double>>& cells) {
  report::ScenarioRecord scenario;
  scenario.key = std::to_string(report_.scenarios.size());
  scenario.name = label;
  scenario.label = label;
  scenario.resolved.dtype = report::Dtype::f32;
  scenario.operations_per_step = 1000;
  report_.scenarios.push_back(scenario);
  for (const auto& [implementation, step_ns] : cells) timed(implementation, step_ns);
  return *this;
}

Cell& MadeReport::add(const std::string& implementation) {
  Cell cell;
  cell.scenario = report_.scenarios.back().key;
  cell.id = report_.scenarios.back().label + "/" + implementation + "/" + std::to_string(report_.cells.size());
  cell.implementation = implementation;
  cell.ranked = implementation.find('+') == std::string::npos;
  report_.cells.push_back(cell);
  return report_.cells.back();
}

Cell& MadeReport::timed(const std::string& implementation, double step_ns, double spread) {
  Cell& cell = add(implementation);
  cell.status.state = CellState::ok;
  for (int launch = 0; launch < launches_; ++launch) {
    cell.launches.push_back({launch, "2026-01-02T03:04:05Z", 0.004, 0.001, 0.0005, 20 * step_ns, 0.03, 8 << 20});
    for (int round = 0; round < 3; ++round) {
      const double centred = launch - (launches_ - 1) / 2.0;
      const double drift =
          (1 + (launch % 2 == 0 ? spread : -spread)) * (1 + 0.01 * centred) * (1 + 0.001 * (round - 1));
      cell.samples.push_back({launch, round, 0, round == 0, 1000, step_ns * drift, step_ns, 1e6, 0.25});
    }
  }
  return cell;
}

Cell& MadeReport::failed(const std::string& implementation, CellState state, const std::string& reason) {
  Cell& cell = add(implementation);
  cell.status = {state, reason};
  return cell;
}

Report MadeReport::summarised() const {
  Report report = report_;
  analysis::summarise(report);
  return report;
}

Report strategies_report() {
  struct Line {
    const char* scenario;
    double plain, eigen, onednn, tape, graph, jit;
  };
  MadeReport made("loop/plain");
  for (const Line& line : {Line{"linreg-3x2", 19.2, 21.2, 257, 106, 17.9, 5.73},
                           {"linreg-300x2", 987, 234, 612, 337, 234, 33.6},
                           {"linreg-300x10", 1700, 440, 700, 530, 440, 130},
                           {"linreg-100000x1", 326e3, 31.7e3, 40e3, 31.7e3, 26.6e3, 7.7e3},
                           {"linreg-100000x32", 1.44e6, 380e3, 400e3, 420e3, 421e3, 179e3},
                           {"mlp-10-50-1", 248e3, 64.2e3, 66e3, 65e3, 46.2e3, 46.3e3},
                           {"mlp-784-128-10", 651e3, 150e3, 141e3, 150e3, 141.2e3, 165e3}}) {
    made.scenario(line.scenario, {{"loop/plain", line.plain},
                                  {"hand/eigen", line.eigen},
                                  {"hand/onednn", line.onednn},
                                  {"tape/eigen", line.tape}});
    made.timed("graph/onednn", line.graph, 0.02);
    for (const auto& [name, ns] : {std::pair("graph/jit", line.jit),
                                   {"graph/eigen", line.graph * 1.2},
                                   {"hand/naive", line.plain * 1.1},
                                   {"tape/naive", line.plain * 1.3},
                                   {"tape/eigen+replay", line.tape / 2}})
      made.timed(name, ns);
    for (const char* name : {"hand/cuda", "tape/cuda", "graph/cuda"}) {
      made.failed(name, CellState::unsupported, "no CUDA device was found");
    }
  }
  Report report = made.summarised();
  for (const char* greedy : {"linreg-100000x32/hand/onednn/54", "mlp-10-50-1/hand/onednn/67"}) {
    report.find_cell(greedy)->summary->not_ranked = "used 1.79 processors, its row has 1 thread";
  }
  for (const auto& [id, calls, ns] : {std::tuple("hand/eigen/14", 1, 200), {"graph/jit/18", 0, 20}}) {
    Cell& cell = *report.find_cell(std::string("linreg-300x2/") + id);
    add_profile(cell, {{.phase = report::Phase::forward, .op = "all", .calls = 1.0 * calls, .time_ns = 1.0 * ns}});
  }
  return report;
}

Report frameworks_report() {
  MadeReport made("hand/eigen", 3);
  double size = 1;
  for (const char* scenario :
       {"linreg-3x2", "linreg-300x10", "linreg-100000x1", "linreg-100000x32", "mlp-10-50-1", "mlp-784-128-10"}) {
    made.scenario(scenario);
    double call = 3000;
    for (const char* name : {"hand/eigen", "tape/eigen", "graph/onednn"}) made.timed(name, 20 * size, 0.01);
    for (const char* name : {"numpy/loop", "numpy/vectorised", "scipy/blas", "jax/loop", "jax/eager", "pytorch/eager",
                             "pytorch/compile-model", "tensorflow/function-assign", "tensorflow/persistent-tape",
                             "keras/fit", "keras/fit-xla"}) {
      const double step_ns = call + (call < 10000 ? 30 : 18 - call / 2e5) * size;
      made.timed(name, step_ns, 0.01).launches[0].import_seconds = 0.5;
      call *= 1.7;
    }
    made.failed("tensorflow/xla", CellState::crashed, "signal 11 in request run");
    size *= 12;
  }
  return made.summarised();
}

Report one_scenario_report() {
  MadeReport made("loop/plain");
  made.scenario("mlp-784-128-10", {{"loop/plain", 651e3}});
  double time_ns = 120e3;
  for (const char* strategy : {"graph", "hand", "tape", "fused"}) {
    for (const char* backend : {"jit", "onednn", "eigen", "cpu", "naive"}) {
      made.timed(std::string(strategy) + "/" + backend, time_ns, 0.015);
      time_ns *= time_ns < 121e3 ? 1.002 : 1.3;
    }
  }
  made.timed("graph/jit+hoisted", 60e3);
  made.failed("graph/cuda", CellState::unsupported, "no CUDA device was found");
  made.failed("fused/cuda", CellState::wrong, "w0 differs by 3e-2, at most 1e-6");
  Report report = made.summarised();
  report.cells[1].summary->not_ranked = "used 1.79 processors, its row has 1 thread";
  report.conditions.emplace(3, report::Condition{"load", report::Severity::warning, "43% busy", "steps wait", ""});
  return report;
}

Report many_scenarios_report() {
  const char* const optimizers[] = {"sgd", "momentum", "adam"};
  MadeReport made("hand/naive");
  for (int i = 0; i < 48; ++i) {
    const int number = i + 1;
    made.scenario(
        formatted("%s[batch=%s,batch.micro_batches=%d,dtype=%s,optimizer=%s]", i < 24 ? "linreg-300x10" : "mlp-10-50-1",
                  i / 4 % 2 == 0 ? "full" : "64", i / 2 % 2 == 0 ? 1 : 4, i % 2 == 0 ? "f32" : "f64",
                  optimizers[i / 8 % 3]),
        {{"hand/naive", 5000 + 100 * number}, {"hand/eigen", 1500 + 10 * number}, {"hand/cpu", 1500 + 10 * number}});
    for (const char* name : {"tape/naive", "tape/eigen"})
      made.timed(name, number % 7 == 0 ? 1505 + 10 * number : 1900, number % 7 == 0 ? 0.05 : 0);
    made.timed("graph/naive", 4000);
    made.timed("graph/eigen", number > 36 ? 1200 : 3000);
    if (number % 11 == 0) made.failed("graph/jit", CellState::wrong, "w1 differs by " + std::to_string(number));
  }
  return made.summarised();
}

}  // namespace gdbench::tests
