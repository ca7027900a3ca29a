#include "app/measured_run.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>

#include "app/console.h"
#include "app/interpreter.h"
#include "app/invocation.h"
#include "app/processors.h"
#include "harness/analysis/ceilings.h"
#include "harness/analysis/summarise.h"
#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/machine/ceilings.h"
#include "harness/machine/conditions.h"
#include "harness/machine/environment.h"
#include "harness/measure/cell_worker.h"
#include "harness/measure/session.h"
#include "harness/measure/verify_cell.h"
#include "harness/protocol/client.h"
#include "harness/questions/compare/compare.h"
#include "harness/report/journal.h"

namespace gdbench::app {

namespace {

void begin(report::Run& run) {
  run.started_at = utc_now();
  run.id = run.started_at + "-" + std::to_string(getpid());
}

}  // namespace

void add_measuring_options(CLI::App& command, MeasuringOptions& options, double budget_seconds) {
  options.budget_seconds = budget_seconds;
  add_settings(command, options.settings,
               "Override a key of the scenario, or impl.KEY of every implementation that has it");
  add_python(command);
  command.add_option("--threads", options.threads, "Compute threads")
      ->type_name("N")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command.add_option("--budget", options.budget_seconds, "Time for everything")
      ->type_name("TIME")
      ->transform(as_seconds())
      ->default_str(formatted("%.0fs", budget_seconds));
  command.add_option("--seed", options.selection.seed, "Seed of order, checks and resampling")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add_memory_cap(command, options.selection.memory_cap_gib);
  add_no_cache(command, options.selection.no_cache);
  add_output(command, options.output, "Write a report with every sample, as run does");
}

Result<measure::RunOptions> to_run_options(const MeasuringOptions& options) {
  measure::RunOptions run = run_options(options.selection);
  run.budget_seconds = options.budget_seconds;
  run.launches = options.launches;
  if (!options.output.path.empty()) {
    TRY(check_output(options.output));
  }
  return run;
}

report::Report start_report(const Invocation& invocation, const MeasuringOptions& options, double budget_seconds,
                            const std::string& baseline) {
  report::Report report;
  report.run.command = invocation.command;
  begin(report.run);
  report.run.baseline = baseline;
  report.run.seed = options.selection.seed;
  report.run.budget_seconds = budget_seconds;
  if (!options.output.path.empty()) report.environment = machine::environment();
  return report;
}

int finish_report(const MeasuringOptions& options, report::Report& report,
                  const std::function<int(const report::Report&)>& status_of) {
  const bool stopped = interrupted();
  if (!options.output.path.empty()) {
    report.run.finished_at = utc_now();
    report.run.status = stopped ? "interrupted" : "complete";
    analysis::summarise(report);
    const Status written = report::write_report(report, options.output.path);
    if (!written.ok()) return report_error(written.error());
    print_error("report: " + options.output.path);
  }
  return stopped ? report_interrupted() : status_of(report);
}

int report_failed_cells(const report::Report& report) {
  for (const report::Cell& cell : report.cells) {
    if (cell.status.state == report::CellState::ok || cell.status.state == report::CellState::pending) continue;
    print_error(cat("gdbench: ", cell.id, " is ", report::name_of(cell.status.state), ": ", cell.status.reason));
    break;
  }
  return status_of_cells(report);
}

namespace {

namespace fs = std::filesystem;

// For which the ceilings are measured, before and after.
double ceilings_seconds(double budget_seconds, bool quick) {
  constexpr double kSeconds = 1.5;
  constexpr double kQuickSeconds = 0.5;
  constexpr double kShareOfBudget = 0.05;
  return quick ? kQuickSeconds : std::clamp(kShareOfBudget * budget_seconds, kQuickSeconds, kSeconds);
}

// Adds what the compute processors can do at this moment, one of them and as many together as cells have threads; a
// failure becomes a note, the run goes on without. The numbers of threads share the time.
void add_ceilings(bool quick, const std::vector<int>& processors, report::Report& report) {
  constexpr std::int64_t kQuickMemoryBytes = std::int64_t{64} << 20;
  const std::vector<int> counts = analysis::wanted_threads(report);
  for (const int threads : counts) {
    machine::CeilingOptions ceilings;
    ceilings.processors = measure::place_threads(threads, processors).compute_cores;
    ceilings.caches = machine::cache_sizes(report.environment);
    ceilings.spans = analysis::wanted_spans(report, threads);
    ceilings.seconds = ceilings_seconds(report.run.budget_seconds, quick) / static_cast<double>(counts.size());
    if (quick) ceilings.memory_bytes = kQuickMemoryBytes;
    ceilings.cancelled = &interrupted;
    const std::string at = utc_now();
    Result<report::CeilingsMeasurement> measured = machine::measure_ceilings(ceilings);
    if (interrupted()) return;
    if (!measured.ok()) {
      report.notes.push_back(measured.error().message);
      return;
    }
    measured->at = at;
    if (!report.ceilings) report.ceilings.emplace();
    report.ceilings->processor = processors.back();
    report.ceilings->measurements.push_back(std::move(measured).value());
  }
  analysis::add_best(*report.ceilings);
}

// Writes the report and drops the journal, whose content it holds.
Status finish_report(report::Report& report, const report::Journal& journal, const std::string& out) {
  analysis::summarise(report);
  TRY(report::write_report(report, out));
  std::error_code error;
  fs::remove(journal.path(), error);
  return {};
}

// Gives the report what the stopped run that lies at the output measured, and says so. Returns whether a journal is to
// be gone on with. Errors: it is a run of something else, of another kind of machine, or of nothing that was stopped.
Result<bool> resume_stopped_run(const OutputFile& output, report::Report& report) {
  const std::optional<StoppedRun> run = TRY(stopped_run(output));
  if (!run) return false;
  TRY(report::take_over(run->report, run->file, report));
  // A part of a matrix may go on on another node of a cluster, whose times say nothing of the first one's.
  const std::string unlike = compare::first_difference(compare::kMachine, run->report.environment, report.environment);
  if (!unlike.empty()) {
    return usage_error(run->file + ": it was begun on another kind of machine: " + unlike +
                       " (--overwrite, or another --out, begins a new run)");
  }
  const std::string words = "went on with " + run->file + ": " + contents_of(report) + " were taken over";
  print_error("gdbench: " + words);
  report.notes.push_back(words + " at " + utc_now());
  return run->has_journal;
}

// "about 60 s", "20 s to 120 s", "15 min to 40 min".
std::string words_of(const measure::Span& span) {
  constexpr double kFew = 10;
  constexpr double kMinute = 60;
  constexpr double kMostOfOne = 1.5;  // within a quarter of the middle
  const auto words = [](double seconds) {
    if (seconds >= 10 * kMinute) return formatted("%.0f min", seconds / kMinute);
    const double unit = seconds < kFew ? 1 : seconds < 10 * kFew ? 5 : 10;
    return formatted("%.0f s", unit * std::round(seconds / unit));
  };
  if (span.most <= kMostOfOne * span.least) return "about " + words(std::sqrt(span.least * span.most));
  return words(span.least) + " to " + words(span.most);
}

// From the command's start to its end.
measure::Span whole_seconds(const measure::Plan& plan, const measure::RunOptions& options,
                            const report::Report& report) {
  const measure::Span rest = measure::expected_seconds(plan, options, report);
  return {rest.least + options.elapsed(), rest.most + options.elapsed()};
}

// Says once how long a count of launches takes, which no budget limits, where that keeps somebody waiting.
void say_expected_time(const measure::Plan& plan, const measure::RunOptions& options, const report::Report& report) {
  constexpr double kWaitingSeconds = 20;
  if (options.launches == 0) return;
  const measure::Span span = whole_seconds(plan, options, report);
  if (span.most > kWaitingSeconds) show_warning("the run takes " + words_of(span));
}

// What earlier runs took; beside the references that are kept. A file that cannot be read is said and made anew.
measure::KnownTimes known_times(const measure::RunOptions& options, const std::string& environment) {
  const fs::path& references = options.reference_cache;
  measure::KnownTimes times(references.empty() ? fs::path() : references.parent_path() / "times.json", environment);
  if (!times.fault().empty()) show_warning(times.fault() + "; how long this run takes is guessed");
  return times;
}

}  // namespace

double closing_seconds(double budget_seconds, const RunFile& file) {
  constexpr double kSummarySeconds = 0.5;
  return (file.ceilings ? ceilings_seconds(budget_seconds, file.quick) : 0) + kSummarySeconds;
}

int measure_into_file(measure::Plan& plan, const measure::RunOptions& options, const RunFile& file,
                      report::Report& report, const std::function<Status(const report::Report&)>& print) {
  const std::int64_t began_ns = monotonic_ns();
  begin(report.run);
  report.environment = machine::environment();
  report.conditions = machine::conditions();
  // First of all: another run of this output is neither disturbed by what is measured here nor read half-way.
  const std::string path = journal_path(file.output.path);
  Result<report::Journal> journal = report::Journal::take(path);
  if (!journal.ok()) return report_error(usage_error(journal.error().message));
  const Result<bool> journalled = file.output.resume ? resume_stopped_run(file.output, report) : Result<bool>(false);
  if (!journalled.ok()) {
    journal->leave();
    return report_error(journalled.error());
  }
  const std::vector<int> processors = measuring_processors();
  const bool ceilings = file.ceilings && !processors.empty() && std::ranges::any_of(report.cells, [](const auto& cell) {
                          return cell.status.state == report::CellState::pending;
                        });
  if (ceilings) add_ceilings(file.quick, processors, report);
  const Status started = journalled.value() ? journal->go_on(utc_now()) : journal->begin(report);
  if (!started.ok()) return report_error(usage_error(started.error().message));

  keep_off_compute_processor();
  measure::KnownTimes known = known_times(options, report.environment);
  measure::RunOptions session_options = options;
  session_options.known_times = &known;
  session_options.reserved_seconds += closing_seconds(options.budget_seconds, file);
  if (options.launches == 0) {  // a worker that answers everything late spends the budget of others
    const std::chrono::duration<double> budget(options.budget_seconds);
    session_options.limits.all_requests =
        std::max(2 * options.limits.request, std::chrono::duration_cast<std::chrono::milliseconds>(budget));
  }
  if (ceilings) {
    session_options.measure_ceilings = [&](report::Report& measured) {
      add_ceilings(file.quick, processors, measured);
    };
  }
  say_expected_time(plan, session_options, report);
  Status session = measure::run_session(plan, session_options, report, journal.value());
  if (session.ok() && file.afterwards && !interrupted()) session = file.afterwards(plan, report, journal.value());
  clear_progress();
  if (session.ok() && !interrupted()) known.keep();
  if (ceilings && session.ok() && !interrupted()) add_ceilings(file.quick, processors, report);
  report.run.finished_at = utc_now();
  if (report.run.measuring_seconds) {  // of what was gone on with
    *report.run.measuring_seconds += static_cast<double>(monotonic_ns() - began_ns) * 1e-9;
  }
  report.run.status = !session.ok() ? "failed" : interrupted() ? "interrupted" : "complete";
  static_cast<void>(journal->end(report.run));  // a full disk was or will be reported by the report itself
  const Status written = finish_report(report, journal.value(), file.output.path);
  const Status printed = print(report);
  const bool is_unfit = !session.ok() && session.error().kind == ErrorKind::usage;  // as it would be again
  const std::string kept = !written.ok() ? "what was measured is in " + path + ", with which --resume goes on"
                           : is_unfit    ? words_of_kept(report, file.output)
                                         : words_to_go_on(report, file.output);
  for (const Status& status : {session, written}) {
    if (!status.ok()) return report_error({status.error().kind, status.error().message + "; " + kept});
  }
  if (!printed.ok()) return report_error(printed.error());
  print_error("report: " + file.output.path);
  // By what was measured: a signal that came later stopped nothing.
  const bool stopped = report.run.status == "interrupted";
  return stopped ? report_interrupted(words_to_go_on(report, file.output)) : status_of_cells(report);
}

namespace {

// Marks the cells of which an adapter says that it cannot train them, beyond what it declares. Those that do not answer
// keep their cells; no framework is loaded.
void ask_adapters(const measure::Plan& plan, const protocol::Limits& limits, report::Report& report) {
  std::map<std::vector<std::string>, Result<std::unique_ptr<protocol::Client>>> workers;
  for (const auto& scenario : plan.scenarios) {
    for (const measure::PlannedCell& cell : scenario->cells) {
      const protocol::CatalogueEntry& entry = *cell.entry;
      if (entry.hosted() || interrupted()) continue;
      auto worker = workers.find(entry.command);
      if (worker == workers.end()) {
        worker = workers.emplace(entry.command, entry.start(entry.command, nullptr, nullptr, limits, "")).first;
        if (worker->second.ok() && !worker->second.value()->hello().ok()) worker->second = failure("no hello");
      }
      if (!worker->second.ok()) continue;
      const auto answer = worker->second.value()->supports(without_environment(entry.implementation.id),
                                                           measure::trained_problem(*scenario, cell));
      if (answer.ok() && !answer->reason.empty()) {
        report.cells[cell.index].status = {report::CellState::unsupported, answer->reason};
      }
    }
  }
  for (auto& [command, worker] : workers) {
    if (worker.ok()) static_cast<void>(worker.value()->bye());
  }
}

// How long measure_into_file will take: "about 60 s", or "20 s to 120 s" where that is known no better.
std::string expected_time(const measure::Plan& plan, measure::RunOptions options, const RunFile& file,
                          const report::Report& report) {
  measure::KnownTimes known = known_times(options, machine::environment());
  options.known_times = &known;
  options.reserved_seconds += closing_seconds(options.budget_seconds, file);
  // The first look at the ceilings, which a budget contains.
  if (options.launches > 0 && file.ceilings)
    options.reserved_seconds += ceilings_seconds(options.budget_seconds, file.quick);
  return words_of(whole_seconds(plan, options, report));
}

}  // namespace

void print_dry_run(const measure::Plan& plan, const measure::RunOptions& options, const RunFile& file,
                   report::Report& report) {
  ask_adapters(plan, options.limits, report);
  std::size_t listed = 0;
  for (const report::Cell& cell : report.cells) {
    if (cell.arm == report::kControlArm) continue;
    ++listed;
    const bool pending = cell.status.state == report::CellState::pending;
    print_text(cat(cell.id, pending ? "" : "  unsupported: ", cell.status.reason, "\n"));
  }
  print_error(
      cat(listed, " cells in ", report.scenarios.size(), " scenarios, ", expected_time(plan, options, file, report)));
}

}  // namespace gdbench::app
