#include "tests/support/reports/example_report.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "harness/analysis/ceilings.h"
#include "harness/analysis/launch_costs.h"

namespace gdbench::tests {

namespace {

using report::Cell;
using report::CellState;
using report::Report;
using report::ScenarioRecord;

stats::Estimate estimate(double value, double low, double high, int launches) {
  return {value, {low, high}, launches, launches == 1};
}

Cell cell(const ScenarioRecord& scenario, const std::string& implementation) {
  Cell cell;
  cell.id = scenario.label + "/" + implementation;
  cell.scenario = scenario.key;
  cell.implementation = implementation;
  cell.build = "ExampleCompiler 1.0 -O2";
  cell.repeat = "gdbench run --scenario " + scenario.name + " --impl " + implementation;
  return cell;
}

// Two rounds of two blocks per launch around `step_ns`, the first block of each launch cold.
Cell timed(const ScenarioRecord& scenario, const std::string& implementation, double step_ns, int launches) {
  Cell made = cell(scenario, implementation);
  made.status.state = CellState::ok;
  made.verification = report::Verification{20, false, 2.5, 0.125, {{"w0", 1e-7, 1e-6, 2e-7}, {"b0", 0, 1e-6, 0}}};
  made.block = report::Block{1000, 10, 0.01, false, 800};
  for (int launch = 0; launch < launches; ++launch) {
    made.launches.push_back({launch, "2026-01-02T03:04:05Z", 0.004, 0.001, 0.0005, 20 * step_ns, 0.03, 8 << 20});
    for (int block = 0; block < 3; ++block) {
      const double real_ns = step_ns * (block == 0 ? 2 : 1 + 0.01 * (block + launch));
      made.samples.push_back(
          {launch, block, launch % 2, block == 0, 1000, real_ns, real_ns - 0.125, real_ns * 1000 + 3500, 0.25});
    }
  }
  report::Summary summary;
  summary.step_ns = estimate(step_ns, step_ns * 0.99, step_ns * 1.015, launches);
  summary.median_absolute_deviation_ns = step_ns / 128;
  summary.samples = 2 * launches;
  summary.first_step_ns = 20 * step_ns;
  summary.start_seconds = 0.004;
  summary.load_seconds = 0.001;
  summary.prepare_seconds = 0.0005;
  summary.ready_ns = 1.5e6 + 19 * step_ns;
  summary.launch_seconds = 0.03;
  summary.peak_resident_bytes = 8 << 20;
  made.summary = summary;
  return made;
}

void take_page_faults(Cell& cell, double per_step) {
  for (report::Sample& sample : cell.samples) sample.page_faults = per_step;
  cell.summary->page_faults_per_step = per_step;
}

void take_single_steps(Cell& cell, double cost) {
  const double step_ns = cell.summary->step_ns.value;
  cell.summary->single_steps = {1000, step_ns, 1.5 * step_ns, 2 * step_ns, 64 * step_ns, cost};
}

void compare_with(const Cell& baseline, Cell& cell, double ratio, stats::Verdict verdict, const std::string& remark) {
  cell.summary->ratio = report::RatioToBaseline{
      baseline.id, {estimate(ratio, ratio * 0.97, ratio * 1.02, cell.summary->step_ns.launches), verdict, remark}};
}

Cell failed(const ScenarioRecord& scenario, const std::string& implementation, CellState state,
            const std::string& reason) {
  Cell made = cell(scenario, implementation);
  made.status = {state, reason};
  return made;
}

report::ResolvedScenario resolved(const nlohmann::json& json) {
  return report::resolved_scenario(json, "example").value();
}

ScenarioRecord small_scenario() {
  ScenarioRecord scenario;
  scenario.key = "00000000000000aa";
  scenario.name = "example-3x2";
  scenario.label = "example-3x2";
  scenario.resolved = resolved({{"name", "example-3x2"},
                                {"dtype", "f32"},
                                {"loss", "half_mse"},
                                {"model", {{"kind", "linear_regression"}}},
                                {"target", {{"loss", 0.25}, {"most_steps", 10000}, {"evaluate_every", 100}}}});
  scenario.rows = 3;
  scenario.features = 2;
  scenario.outputs = 1;
  scenario.parameters = 2;
  scenario.batch_rows = 3;
  scenario.operations_per_step = 31;
  scenario.data_digest = "0123456789abcdef";
  return scenario;
}

ScenarioRecord large_scenario() {
  ScenarioRecord scenario;
  scenario.key = "00000000000000bb";
  scenario.name = "example-10-50-1";
  scenario.label = "example-10-50-1 batch=32 dtype=f64";
  scenario.resolved = resolved({{"name", "example-10-50-1"},
                                {"dtype", "f64"},
                                {"loss", "mse"},
                                {"model",
                                 {{"kind", "multilayer_perceptron"},
                                  {"layers",
                                   {{{"width", 50}, {"activation", "tanh"}, {"bias", true}},
                                    {{"width", 1}, {"activation", "identity"}, {"bias", true}}}}}}});
  scenario.rows = 1000;
  scenario.features = 10;
  scenario.outputs = 1;
  scenario.parameters = 601;
  scenario.batch_rows = 32;
  scenario.operations_per_step = 96512;
  scenario.data_digest = "fedcba9876543210";
  return scenario;
}

void add_small_cells(const ScenarioRecord& scenario, Report& report) {
  const Cell loops = timed(scenario, "example/loops", 18.25, 5);
  Cell matrix = timed(scenario, "example/matrix", 42.5, 5);
  take_page_faults(matrix, 163.96875);
  take_single_steps(matrix, 0.01);
  compare_with(loops, matrix, 2.33, stats::Verdict::slower, "");
  Cell packed = timed(scenario, "example/matrix", 18.5, 5);
  take_page_faults(packed, 0.03125);
  take_single_steps(packed, 0.031);
  packed.options = {{"packed", "true"}, {"unit", "\u00b5"}};
  packed.default_options = std::map<std::string, std::string>{{"tile", "8"}};
  packed.id += "?packed=true&unit=\u00b5";
  compare_with(loops, packed, 1.004, stats::Verdict::equivalent, "");
  Cell threads = timed(scenario, "example/matrix", 12.5, 5);
  threads.threads = 2;
  threads.arm = "base";
  threads.id += "@2#base";
  Cell replay = timed(scenario, "example/matrix+replay", 9.75, 5);
  replay.ranked = false;
  compare_with(loops, replay, 0.534, stats::Verdict::faster, "");
  for (const Cell& made : {loops, matrix, packed, threads, replay}) report.cells.push_back(made);
  report.cells.push_back(failed(scenario, "example/half", CellState::unsupported, "example/half has no f32"));
  report.cells.push_back(
      failed(scenario, "example/liar", CellState::wrong, "w0 differs by 3e-2, at most 1e-6 | \"w0\""));
  report.cells.push_back(failed(scenario, "example/fragile", CellState::crashed, "signal 11 in request run"));
  report.cells.push_back(failed(scenario, "example/slow", CellState::timed_out, "no answer to run within 10 s"));
  report.cells.push_back(
      failed(scenario, "example/early", CellState::untrusted, "CPU time, 4.0 ms, over wall, 1.0 ms"));
}

void add_large_cells(const ScenarioRecord& scenario, Report& report) {
  const Cell loops = timed(scenario, "example/loops", 104'500, 1);
  Cell matrix = timed(scenario, "example/matrix", 45'250, 1);
  compare_with(loops, matrix, 0.433, stats::Verdict::inconclusive, "1 launch, at least 3 are needed");
  report.cells.push_back(loops);
  report.cells.push_back(matrix);
  report.cells.push_back(cell(scenario, "example/later"));
}

report::VectorCeilings ceilings_of(const char* vectors, int bits, double speed) {
  report::VectorCeilings width;
  width.vectors = vectors;
  width.bits = bits;
  width.fma_f32_gflop_per_second = 100 * speed;
  width.fma_f64_gflop_per_second = 50 * speed;
  width.fma_f32_latency_ns = 1 / speed;
  width.fma_f64_latency_ns = 1.25 / speed;
  width.addition_f32_latency_ns = 0.75 / speed;
  width.addition_f64_latency_ns = 0.75 / speed;
  width.levels = {{"L1", 49152, 24576, 200 * speed, 2, 250 * speed},
                  {"L2", 2097152, 1048576, 100 * speed, 3, 90 * speed},
                  {"memory", 0, 268435456, 20 * speed, 4, 16 * speed}};
  width.functions_f32 = report::FunctionCeilings{4 * speed, 2 * speed, 1.5 * speed, 6 * speed, 5 * speed};
  width.functions_f64 = report::FunctionCeilings{2 * speed, 1 * speed, 0.75 * speed, 0, 0};
  return width;
}

// Of the wider vectors alone.
report::VectorCeilings ceilings_with_spans(const char* vectors, int bits, double speed) {
  report::VectorCeilings width = ceilings_of(vectors, bits, speed);
  width.spans = {{{{44000, 1, 0}, 110 * speed}, {{7212, 0, 3}, 160 * speed}}};
  return width;
}

// The second measurement is slower except for the narrower vectors.
report::Ceilings example_ceilings() {
  report::Ceilings ceilings;
  ceilings.processor = 1;
  ceilings.measurements = {
      {"2026-01-02T03:04:05Z", 1.5, {ceilings_of("sse2", 128, 0.25), ceilings_with_spans("avx2", 256, 1)}},
      {"2026-01-02T03:05:04Z", 1.5, {ceilings_of("sse2", 128, 0.375), ceilings_with_spans("avx2", 256, 0.875)}},
      {"2026-01-02T03:05:05Z", 1.5, {ceilings_with_spans("avx2", 256, 1.75)}, 2}};
  return ceilings;
}

// Two ops, a tenth of the step unattributed, and what was allocated.
void profile(Cell& cell, double allocations_per_step) {
  const double step_ns = cell.summary->step_ns.value;
  report::Profile made;
  made.cell = cell.id;
  made.scenario = cell.scenario;
  made.implementation = cell.implementation;
  made.steps = 1000;
  made.step_ns = step_ns;
  made.profiled_step_ns = 1.25 * step_ns;
  made.load_seconds = 0.001;
  made.prepare_seconds = 0.0005;
  made.first_step_ns = 20 * step_ns;
  made.allocations_per_step = allocations_per_step;
  made.allocated_bytes_per_step = 48 * allocations_per_step;
  made.prepared_bytes = 12288;
  made.records = {{report::Phase::forward, "product", report::Clock::host, 2, 0.75 * step_ns, 24, 96, 0},
                  {report::Phase::update, "sgd", report::Clock::host, 1, 0.375 * step_ns, 7, 24, 0},
                  {report::Phase::compile, "bind", report::Clock::host, 3, 5000, 0, 0, 0}};
  made.records[0].layers = {0};
  made.records[0].parameters = {"w0"};
  made.records[0].use = report::ParameterUse::reads;
  made.records[1].layers = {0};
  made.records[1].parameters = {"w0", "b0"};
  made.records[1].use = report::ParameterUse::updates;
  cell.profile = std::move(made);
}

report::TargetRun target_run(report::TargetState state, std::uint64_t steps, std::uint64_t stopped_after, double loss) {
  report::TargetRun run;
  run.state = state;
  run.target_loss = 0.25;
  run.initial_loss = 2.5;
  run.steps = steps;
  run.stopped_after = stopped_after;
  run.loss = loss;
  run.evaluations = static_cast<std::int64_t>(stopped_after) / 100;
  run.run_seconds = 1e-6 * static_cast<double>(stopped_after);
  run.evaluation_seconds = 1e-5;
  return run;
}

// The cell that is fastest per step takes the most steps; the reference evaluated one cell. Every other end is there.
void add_target_runs(std::vector<Cell>& cells) {
  using report::TargetState;
  cells[0].target = target_run(TargetState::reached, 3456, 3500, 0.2451);
  cells[0].target->curve = {{0, 2.5}, {1000, 0.5}};
  cells[1].target = target_run(TargetState::reached, 789, 800, 0.2437);
  cells[1].target->evaluation_seconds.reset();
  cells[2].target = target_run(TargetState::unreached, 10000, 10000, 0.3125);
  cells[3].target = target_run(TargetState::diverged, 200, 200, std::numeric_limits<double>::quiet_NaN());
  cells[4].target = target_run(TargetState::cut, 300, 300, 1.75);
  for (Cell& cell : cells) {
    if (cell.summary && cell.target) cell.summary->to_target = analysis::time_to_target(cell);
  }
}

// As if loops and matrix were two strategies on one backend.
report::Attribution example_attribution(const Report& report) {
  const std::string small = report.scenarios[0].label + "/example/";
  const std::string large = report.scenarios[1].label + "/example/";
  const double infinity = std::numeric_limits<double>::infinity();
  report::Attribution attribution;
  attribution.taxes = {
      {small + "matrix",
       small + "loops",
       estimate(24.25, 23.5, 25.125, 5),
       {estimate(2.33, 2.26, 2.38, 5), stats::Verdict::slower, ""},
       3,
       24.25 / 3,
       {{report::Phase::forward, "product", 2, 2, 31.875, 13.75},
        {report::Phase::other, "unattributed", 0, 0, 5.3125, 2.25}}},
      {small + "matrix+replay",
       small + "loops",
       estimate(-8.5, -8.75, -8.25, 5),
       {estimate(0.534, 0.518, 0.545, 5), stats::Verdict::faster, ""},
       0,
       0,
       {}},
      {large + "matrix",
       large + "loops",
       estimate(-59'250, -60'500, -58'000, 1),
       {estimate(0.433, 0.42, 0.442, 1), stats::Verdict::inconclusive, "1 launch, at least 3 are needed"},
       3,
       -19'750,
       {}}};
  using stats::Overtaking;
  attribution.break_evens = {{small + "loops", small + "matrix", {Overtaking::after, 40.2, {29.5, 55}, 5, 0.01}},
                             {small + "loops",
                              small + "matrix?packed=true&unit=\u00b5",
                              {Overtaking::at_earliest, 1234.5, {800, infinity}, 5, 0.01}},
                             {small + "matrix+replay", small + "loops", {Overtaking::from_the_start, 0, {0, 0}, 5}},
                             {large + "matrix", large + "loops", {Overtaking::undecided, 3, {0, infinity}, 1}}};
  attribution.fits = {{"example/loops", "f32", 1, "new", 6, estimate(12.25, 11.5, 13, 5), estimate(4.5, 4.25, 4.75, 5),
                       estimate(0.75, 0.6875, 0.8125, 5), 0.125},
                      {"example/matrix",
                       "f64",
                       2,
                       "base",
                       4,
                       estimate(0, 0, 26, 1),
                       {},
                       estimate(0.0625, 0.0625, 0.0625, 1),
                       0.03,
                       std::vector<std::string>{"step_ns"}}};
  return attribution;
}

nlohmann::json example_environment() {
  return {{"cpu",
           {{"model", "Example Processor 9000"},
            {"vendor", "ExampleVendor"},
            {"logical_processors", 2},
            {"allowed_processors", {0, 1}},
            {"features", {"avx2", "fma"}},
            {"caches",
             {{{"level", 1}, {"type", "Data"}, {"bytes", 49152}, {"shared_by", 1}},
              {{"level", 2}, {"type", "Unified"}, {"bytes", 2097152}, {"shared_by", 1}}}},
            {"governor", nullptr},
            {"frequency_mhz", 2600.5}}},
          {"memory_bytes", 8589934592},
          {"kernel", "Linux 6.1.0-example"},
          {"operating_system", "Example Linux 12"},
          {"virtual_machine", true},
          {"load_average", {0.25, 0.5, 0.75}},
          {"aslr", 2},
          {"build",
           {{"compiler", "ExampleCompiler 1.0"},
            {"flags", "-O3"},
            {"type", "Release"},
            {"git_revision", "0123456789abcdef0123456789abcdef01234567"},
            {"git_dirty", true}}},
          {"libraries", {{"google_benchmark", "1.7.1"}, {"nlohmann_json", "3.11.2"}, {"cli11", nullptr}}}};
}

}  // namespace

Report example_report() {
  Report report;
  report.run.id = "example-run";
  report.run.started_at = "2026-01-02T03:04:05Z";
  report.run.finished_at = "2026-01-02T03:05:06Z";
  report.run.status = "complete";
  report.run.command = {"gdbench", "run", "example", "--seed", "7"};
  report.run.matrix = "example";
  report.run.baseline = "example/loops";
  report.run.seed = 7;
  report.run.budget_seconds = 60;
  report.run.precision = 0.01;
  report.environment = example_environment().dump();
  report.ceilings = example_ceilings();
  report.scenarios = {small_scenario(), large_scenario()};
  add_small_cells(report.scenarios[0], report);
  add_large_cells(report.scenarios[1], report);
  report::VectorCeilings of_launch = report.ceilings->measurements.front().widths.back();
  of_launch.levels.clear();
  report.ceilings->launches = {{{{"another"}, 0, {}, of_launch}}};
  analysis::add_ceiling_shares(report);
  // As if the ceilings had been measured in a slow spell.
  report::CeilingShare& beyond = *report.cells[3].summary->ceiling;
  beyond.floor_ns = beyond.chain_ns = 13;
  beyond.share = 1.04;
  beyond.failed = true;
  report::Launch& launch = report.cells[0].launches[0];
  launch.peak_anonymous_bytes = 3 << 20;
  launch.peak_shared_bytes = 1 << 20;
  launch.cached_file_bytes = 1 << 30;
  profile(report.cells[0], 0);
  report.cells[0].other_profiles = {*report.cells[0].profile};
  profile(report.cells[1], 12.5);
  add_target_runs(report.cells);
  report.attribution = example_attribution(report);
  // As if there had been the same cell with one thread.
  report.scaling = {{report.cells[3].id, report.cells[1].id, estimate(1.6, 1.5, 1.625, 5),
                     estimate(0.8, 0.75, 0.8125, 5), stats::Verdict::faster, estimate(2.5, 2.25, 3.125, 5), true}};
  // As if the scenarios differed in their batch alone.
  const std::string& first = report.scenarios[0].key;
  report.scenarios[0].side_by_side = {first, {{"batch", "3"}}};
  report.scenarios[1].side_by_side = {first, {{"batch", "32"}}};
  report.values = {{report.scenarios[1].label + "/example/loops",
                    report.cells[0].id,
                    "batch",
                    {estimate(0.625, 0.5625, 0.6875, 5), stats::Verdict::faster, ""},
                    3113.25}};
  report.notes = {"example/plugin.so was skipped: it has ABI 9, this program reads 1"};
  return report;
}

}  // namespace gdbench::tests
