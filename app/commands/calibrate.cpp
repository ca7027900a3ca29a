#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "app/answer.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/output_file.h"
#include "app/plan.h"
#include "app/processors.h"
#include "harness/base/text.h"
#include "harness/questions/calibrate/calibration.h"
#include "reports/answers/documents.h"

namespace gdbench::app {

namespace {

struct CalibrateOptions {
  std::vector<std::string> workloads = {"linreg-300x10/hand/naive", "mlp-10-50-1/hand/eigen",
                                        "mlp-784-128-10/hand/eigen"};
  std::string out = "calibration.jsonl";
  double margin = 0.01;
  int launches = 80;
  int null_comparisons = 300;
  int comparisons = 60;
  std::vector<double> slowdowns = {0.01, 0.02, 0.05, 0.10};
  std::string until;
  Request request;
  AnswerOptions answer;
};

// "mlp-10-50-1/hand/eigen": a scenario's name has no slash.
Result<calibrate::Workload> make_workload(Request request, const std::string& name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) {
    return usage_error("--workload: found " + in_quotes(name) + ", expected SCENARIO/IMPLEMENTATION");
  }
  const std::string implementation = name.substr(slash + 1);
  request.scenario = name.substr(0, slash);
  const CellPlanner planner = TRY(CellPlanner::make(request, {implementation}));
  const std::string id = TRY(planner.find("--workload", implementation)).implementation.id;
  return calibrate::Workload{name, TRY(planner.plan({{id, {}}}, {report::kBaseArm, report::kNewArm})), 0, 0};
}

std::vector<calibrate::Level> levels_of(const CalibrateOptions& options) {
  std::vector<calibrate::Level> levels = {{0, options.null_comparisons}};
  for (const double slowdown : options.slowdowns) levels.push_back({slowdown, options.comparisons});
  return levels;
}

std::string slowdown_words(const CalibrateOptions& options) {
  if (options.slowdowns == CalibrateOptions().slowdowns) return "";
  std::string words = ", slowdowns";
  for (const double slowdown : options.slowdowns) words += formatted(" %g", slowdown);
  return words;
}

Status measure_all(const CalibrateOptions& options, std::vector<calibrate::Workload>& workloads,
                   const measure::RunOptions& run, report::Calibration& calibration) {
  const auto planned = calibrate::plan_comparisons(levels_of(options), workloads.size(), options.request.seed);
  calibration.planned = static_cast<int>(planned.size());
  calibrate::OutcomeFile file = TRY(
      calibrate::OutcomeFile::open(options.out,
                                   joined(options.workloads) + ", seed " + std::to_string(options.request.seed) + ", " +
                                       std::to_string(options.null_comparisons) + " without" + slowdown_words(options),
                                   calibration));
  std::set<int> known;
  for (const report::CalibrationOutcome& outcome : calibration.outcomes) known.insert(outcome.number);
  if (known.size() == planned.size()) return {};
  for (calibrate::Workload& workload : workloads) {
    TRY(calibrate::prepare(workload, run));
  }
  for (const calibrate::PlannedComparison& comparison : planned) {
    if (run.cancelled()) return {};
    if (known.contains(comparison.number)) continue;
    run.progress({"comparison " + std::to_string(comparison.number + 1) + " of " + std::to_string(planned.size()),
                  static_cast<double>(calibration.outcomes.size()) / static_cast<double>(planned.size()), -1});
    const Result<report::CalibrationOutcome> outcome =
        calibrate::compare_once(workloads[comparison.workload], comparison, calibration, run);
    if (run.cancelled()) return {};
    if (!outcome.ok()) return outcome.error();
    calibration.outcomes.push_back(outcome.value());
    TRY(file.append(outcome.value()));
  }
  return {};
}

Result<int> run(const CalibrateOptions& options) {
  install_signal_handlers();
  report::Calibration calibration;
  calibration.launches = options.launches;
  calibration.margin = options.margin;
  calibration.confidence = 0.99;
  if (!options.until.empty()) calibration.until_decided = true;
  const measure::RunOptions run = run_options(options.request);
  std::vector<calibrate::Workload> workloads;
  for (const std::string& name : options.workloads) {
    workloads.push_back(TRY(make_workload(options.request, name)));
  }
  keep_off_compute_processor();
  const Status status = measure_all(options, workloads, run, calibration);
  clear_progress();
  TRY(status);
  TRY(print_answer(options.answer, answers::document_of(calibration), report::to_json(calibration)));
  return interrupted() ? report_interrupted() : kFine;
}

}  // namespace

void add_calibrate(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App& command = *app.add_subcommand(
      "calibrate", "How often comparisons alarm without a cause on this machine, and which slowdown they find");
  add_value(command, "--workload", "SCENARIO/IMPLEMENTATION", options->workloads, "What is slowed down, in turn")
      ->capture_default_str()
      ->allow_extra_args(false);
  add_value(command, "--out", "FILE", options->out,
            "Outcomes, a line each; a calibration that lies there is gone on with")
      ->capture_default_str();
  command.add_option("--launches", options->launches, "Of either side in a comparison")
      ->check(integer_from(8, 100'000))
      ->capture_default_str();
  add_value(command, "--margin", "SHARE", options->margin, "As of gdbench compare")
      ->transform(as_share())
      ->default_str("1%");
  command.add_option("--null", options->null_comparisons, "Comparisons without a slowdown")
      ->check(integer_from(1, 1'000'000))
      ->capture_default_str();
  command.add_option("--comparisons", options->comparisons, "Comparisons at each slowdown")
      ->check(integer_from(1, 1'000'000))
      ->capture_default_str();
  add_value(command, "--slowdown", "SHARE", options->slowdowns, "What is added to a step (again for others)")
      ->transform(as_share())
      ->default_str("1%, 2%, 5%, 10%")
      ->allow_extra_args(false);
  add_until(command, options->until, "End a comparison as soon as it is decided");
  add_measuring_options(command, options->request);
  add_answer_options(command, options->answer, "the calibration");
  command.footer(
      "The slow side makes real work inside its timed blocks. The number of comparisons is fixed beforehand and all "
      "are\n"
      "counted.\n"
      "Examples:\n"
      "  gdbench calibrate                              540 comparisons\n"
      "  gdbench calibrate --until decided --margin 10% --slowdown 50%\n"
      "  gdbench calibrate --launches 40 --out short.jsonl --html short.html\n"
      "  gdbench calibrate --workload mlp-10-50-1/graph/onednn --null 100 --comparisons 20");
  when_chosen(command, invocation, [options] { return run(*options); });
}

}  // namespace gdbench::app
