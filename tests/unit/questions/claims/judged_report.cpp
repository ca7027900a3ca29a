#include "tests/unit/questions/claims/judged_report.h"

#include <set>
#include <stdexcept>

#include "harness/analysis/summarise.h"
#include "harness/scenario/matrix.h"
#include "harness/scenario/settings.h"
#include "tests/support/reports/temporary_folder.h"

namespace gdbench::tests {

namespace {

constexpr int kRounds = 4;

template <class T>
T value_or_throw(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().message);
  return std::move(result).value();
}

std::vector<scenario::KnownScenario> scenarios() {
  return value_or_throw(scenario::list_scenarios({std::filesystem::path(GDBENCH_SOURCE_DIR) / "scenarios"}));
}

void add_launches(const MadeCell& made, report::Cell& cell) {
  for (int launch = 0; launch < made.launches; ++launch) {
    const double part = made.launches > 1 ? launch / (made.launches - 1.0) : 0;
    const double step_ns = made.step_ns * (1 + made.spread * part);
    report::Launch& record = cell.launches.emplace_back();
    record.launch = launch;
    record.load_seconds = 0.001;
    record.prepare_seconds = made.prepare_seconds + made.import_seconds;
    if (made.import_seconds > 0) record.import_seconds = made.import_seconds;
    record.first_step_ns = 3 * step_ns;
    record.total_seconds = 2;
    record.peak_resident_bytes = static_cast<std::int64_t>(made.memory_bytes);
    for (int round = 0; round <= kRounds; ++round) {
      const double real_ns = round == 0 ? 50 * step_ns : round < kRounds ? made.disturbed * step_ns : step_ns;
      cell.samples.push_back({.launch = launch, .round = round, .cold = round == 0, .steps = 100, .real_ns = real_ns});
    }
  }
}

report::Cell cell_of(const scenario::Point& point, const std::string& key, const MadeCell& made) {
  report::Cell cell;
  cell.scenario = key;
  cell.implementation = point.implementation;
  cell.threads = point.threads;
  cell.id = key + "/" + point.implementation;
  cell.status = made.status;
  if (made.target_steps >= 0) {
    report::TargetRun& run = cell.target.emplace();
    run.state = made.target_steps == 0 ? report::TargetState::unreached : report::TargetState::reached;
    run.steps = static_cast<std::uint64_t>(made.target_steps);
    run.stopped_after = 500;
  }
  add_launches(made, cell);
  return cell;
}

report::Cell control_of(report::Cell cell, double factor) {
  cell.id += "#control";
  cell.arm = report::kControlArm;
  for (report::Sample& sample : cell.samples) sample.real_ns *= factor;
  return cell;
}

report::Report report_of(const claims::ExpandedClaim& claim, const MakeCell& make) {
  report::Report report;
  std::set<std::string> keys;
  for (const scenario::Point& point : claim.points) {
    const MadeCell made = make(point);
    if (!made.in_report) continue;
    const scenario::Scenario scenario =
        value_or_throw(scenario::read_scenario(point.scenario_file, point.scenario_settings));
    const std::string key = scenario.identity();
    if (keys.insert(key).second) report.scenarios.emplace_back().key = key;
    report.cells.push_back(cell_of(point, key, made));
    if (made.control > 0) report.cells.push_back(control_of(report.cells.back(), made.control));
  }
  analysis::summarise(report);
  return report;
}

claims::ExpandedClaim expanded_of(const claims::Claim& claim) {
  return value_or_throw(claims::expand(claim, scenarios(), {{.id = "one/x"}, {.id = "two/x"}}));
}

}  // namespace

std::string value_of(const scenario::Point& point, const std::string& key) {
  for (const scenario::Setting& setting : point.scenario_settings) {
    if (scenario::full_key(setting.key) == scenario::full_key(key)) return setting.value;
  }
  return "";
}

double number_of(const scenario::Point& point, const std::string& key) { return std::stod(value_of(point, key)); }

claims::Claim claim_of(const nlohmann::json& matrix, const nlohmann::json& relations) {
  const TemporaryFolder folder;
  const nlohmann::json claim = {{"id", "made"},
                                {"sentence", "A is faster."},
                                {"source", "A page"},
                                {"purpose", "to be judged"},
                                {"experiments", {{{"matrix", matrix}, {"relations", relations}}}}};
  write_text(folder.file("made.json"), claim.dump());
  return value_or_throw(claims::read_claim(folder.file("made.json")));
}

claims::NeededCells needed(const claims::Claim& claim, const MakeCell& make) {
  const claims::ExpandedClaim expanded = expanded_of(claim);
  return value_or_throw(claims::needed_cells(expanded, report_of(expanded, make)));
}

report::ClaimJudgement judge(const claims::Claim& claim, const MakeCell& make) {
  const claims::ExpandedClaim expanded = expanded_of(claim);
  return value_or_throw(claims::judge(expanded, report_of(expanded, make)));
}

MakeCell slower(const std::string& implementation, double factor) {
  return [=](const scenario::Point& point) {
    return MadeCell{.step_ns = point.implementation == implementation ? 1000 * factor : 1000};
  };
}

}  // namespace gdbench::tests
