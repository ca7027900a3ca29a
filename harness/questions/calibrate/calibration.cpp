#include "harness/questions/calibrate/calibration.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <utility>

#include "harness/analysis/summarise.h"
#include "harness/base/fields.h"
#include "harness/base/json.h"
#include "harness/base/record_reader.h"
#include "harness/base/record_writer.h"
#include "harness/base/text.h"
#include "harness/measure/cell_worker.h"
#include "harness/measure/verify_cell.h"
#include "harness/questions/compare/compare.h"
#include "harness/report/report_file.h"

namespace gdbench::calibrate {

namespace {

using report::CalibrationOutcome;

constexpr int kPilotLaunches = 10;
constexpr int kBlocks = 10;
constexpr std::uint64_t kIterations = 1'000'000;

// From blocks of one step with and without the work, in a worker of the workload: on its processor, at its speed.
Result<double> iteration_ns_of_a_launch(const measure::CellGroup& group, const measure::RunOptions& options) {
  const measure::PlannedScenario& planned = group.scenario();
  const measure::PlannedCell& cell = planned.cells.front();
  const report::Block& block = *group.report().cells[cell.index].block;
  report::Launch launch;
  measure::CellWorker worker = TRY(
      measure::CellWorker::start(planned, cell, measure::timed_problem(planned, cell, block), options.limits, launch));
  double least[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  for (int i = 0; i < kBlocks; ++i) {
    for (const std::size_t with : {std::size_t{0}, std::size_t{1}}) {
      const protocol::BlockAnswer answer = TRY(worker.run_block(1, 1, 0, with * kIterations));
      least[with] = std::min(least[with], answer.real_ns);
    }
  }
  TRY(worker.client().bye());
  return (least[1] - least[0]) / static_cast<double>(kIterations);
}

// Launches differ in speed by several percent: a typical one's, as the step's time is that of a typical launch.
Result<double> measure_iteration_ns(const measure::CellGroup& group, const measure::RunOptions& options) {
  std::vector<double> values;
  for (int i = 0; i < kPilotLaunches && !options.cancelled(); ++i) {
    values.push_back(TRY(iteration_ns_of_a_launch(group, options)));
  }
  return stats::median(std::move(values));
}

Status launch(Workload& workload, int launches, const measure::RunOptions& options) {
  for (int i = 0; i < launches && !options.cancelled(); ++i) {
    TRY(workload.group.launch(options));
    const report::Cell* failed = workload.group.failed_cell();
    if (failed != nullptr) return failure(failed->id + ": " + failed->status.reason);
  }
  return {};
}

report::ComparedCell compare(const Workload& workload, const report::Calibration& calibration) {
  report::Report report = workload.group.report();
  analysis::summarise(report);
  report.run.until_decided = calibration.until_decided;
  const report::ReportComparison comparison =
      compare::compare_arms(report, {.margin = calibration.margin, .confidence = calibration.confidence});
  return comparison.cells.front();
}

// Where the slow side seems to have regressed, as many launches again confirm it.
Result<report::ComparedCell> compare_and_confirm(Workload& workload, const report::Calibration& calibration,
                                                 const measure::RunOptions& options) {
  TRY(launch(workload, calibration.launches, options));
  const report::ComparedCell compared = compare(workload, calibration);
  if (compared.change != report::Change::regressed) return compared;
  workload.group.confirm_from_here();
  TRY(launch(workload, calibration.launches, options));
  return compare(workload, calibration);
}

Result<report::ComparedCell> compare_until_decided(Workload& workload, const report::Calibration& calibration,
                                                   const measure::RunOptions& options) {
  while (true) {
    TRY(launch(workload, 1, options));
    const report::ComparedCell compared = compare(workload, calibration);
    const bool is_decided = compared.change != report::Change::inconclusive;
    if (is_decided || workload.group.launches() >= calibration.launches || options.cancelled()) return compared;
  }
}

OrderedJson header_of(const report::Calibration& calibration, const std::string& design) {
  OrderedJson header = {{"event", "calibration"},         {"launches", calibration.launches},
                        {"margin", calibration.margin},   {"confidence", calibration.confidence},
                        {"planned", calibration.planned}, {"design", design}};
  if (calibration.until_decided) header["until_decided"] = *calibration.until_decided;
  return header;
}

// A line of the file.
struct OutcomeLine : CalibrationOutcome {
  std::string event = "outcome";
};

void fields(auto& archive, Of<OutcomeLine> auto& line) {
  FIELDS(archive, line, event, number, workload, slowdown, change, ratio);
  FIELDS(archive, line.interval, low, high);
  FIELDS(archive, line, seconds, launches);
}

// The whole lines of a text.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line) && !stream.eof();) lines.push_back(line);
  return lines;
}

Status read_lines(const std::vector<std::string>& lines, const std::string& origin, const OrderedJson& header,
                  report::Calibration& calibration) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string file = origin + ": line " + std::to_string(i + 1);
    const std::string place = file + ": ";
    const OrderedJson json = OrderedJson::parse(lines[i], nullptr, false);
    if (!json.is_object() || !json.contains("event")) {
      return usage_error(place + "found no event, expected a line of gdbench calibrate");
    }
    if (i == 0 && json != header) {
      return usage_error(place + "found another calibration, expected " + header.dump());
    }
    if (i == 0) continue;
    calibration.outcomes.push_back(TRY(RecordReader::read<OutcomeLine>(json, JsonDocument(file))));
  }
  return {};
}

}  // namespace

std::vector<PlannedComparison> plan_comparisons(const std::vector<Level>& levels, std::size_t workloads,
                                                std::uint64_t seed) {
  std::vector<PlannedComparison> planned;
  for (const Level& level : levels) {
    for (int i = 0; i < level.comparisons; ++i) {
      planned.push_back({0, static_cast<std::size_t>(i) % workloads, level.slowdown});
    }
  }
  std::mt19937_64 generator(seed);
  for (std::size_t i = planned.size(); i > 1; --i) std::swap(planned[i - 1], planned[generator() % i]);
  for (std::size_t i = 0; i < planned.size(); ++i) planned[i].number = static_cast<int>(i);
  return planned;
}

Status prepare(Workload& workload, const measure::RunOptions& options) {
  TRY(workload.group.verify(options));
  const report::Cell* failed = workload.group.failed_cell();
  if (failed != nullptr) return failure(failed->id + ": " + failed->status.reason);
  if (options.cancelled()) return {};
  workload.iteration_ns = TRY(measure_iteration_ns(workload.group, options));
  TRY(launch(workload, kPilotLaunches, options));
  workload.step_ns = analysis::step_time(workload.group.report().cells.front()).value;
  return {};
}

Result<CalibrationOutcome> compare_once(Workload& workload, const PlannedComparison& planned,
                                        const report::Calibration& calibration, const measure::RunOptions& options) {
  const auto started = std::chrono::steady_clock::now();
  constexpr std::size_t kSlowCell = 1;
  const report::Block& block = *workload.group.report().cells[kSlowCell].block;
  const double added_ns = planned.slowdown * workload.step_ns * static_cast<double>(block.steps);
  workload.group.start_over();
  workload.group.add_work(kSlowCell, static_cast<std::uint64_t>(std::llround(added_ns / workload.iteration_ns)));
  const report::ComparedCell compared =
      TRY(calibration.until_decided.value_or(false) ? compare_until_decided(workload, calibration, options)
                                                    : compare_and_confirm(workload, calibration, options));
  // The machine's speed states change the step's time within minutes: the next comparison adds its share of this one's.
  workload.step_ns = analysis::step_time(workload.group.report().cells.front()).value;
  CalibrationOutcome outcome;
  outcome.number = planned.number;
  outcome.workload = workload.name;
  outcome.slowdown = planned.slowdown;
  outcome.change = compared.change;
  outcome.launches = workload.group.launches();
  if (compared.ratio) {
    outcome.ratio = compared.ratio->value;
    outcome.interval = compared.ratio->interval;
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return outcome;
}

Result<OutcomeFile> OutcomeFile::open(const std::string& path, const std::string& design,
                                      report::Calibration& calibration) {
  OutcomeFile file;
  file.path_ = path;
  const OrderedJson header = header_of(calibration, design);
  std::string kept = header.dump() + "\n";
  if (std::filesystem::exists(path)) {
    const std::vector<std::string> lines = lines_of(TRY(report::read_text(path)));
    TRY(read_lines(lines, one_line(path), header, calibration));
    for (std::size_t i = 1; i < lines.size(); ++i) kept += lines[i] + "\n";
  }
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream << kept << std::flush;
  if (!stream) return usage_error(one_line(path) + ": cannot be written");
  return file;
}

Status OutcomeFile::append(const CalibrationOutcome& outcome) {
  std::ofstream stream(path_, std::ios::binary | std::ios::app);
  stream << RecordWriter::encode(OutcomeLine{outcome}).dump() << "\n" << std::flush;
  return stream ? Status() : Status(usage_error(one_line(path_) + ": cannot be written"));
}

}  // namespace gdbench::calibrate
