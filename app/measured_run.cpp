#include "app/measured_run.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>

#include "app/console.h"
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

namespace fs = std::filesystem;

// For which the ceilings are measured, before and after.
double ceilings_seconds(const report::Run& run) {
  constexpr double kSeconds = 1.5;
  constexpr double kQuickSeconds = 0.5;
  constexpr double kShareOfBudget = 0.05;
  return run.quick ? kQuickSeconds : std::clamp(kShareOfBudget * run.budget_seconds, kQuickSeconds, kSeconds);
}

// Adds what the compute processors can do at this moment, one of them and as many together as cells have threads; a
// failure becomes a note, the run goes on without. The numbers of threads share the time.
void add_ceilings(report::Report& report) {
  constexpr std::int64_t kQuickMemoryBytes = std::int64_t{64} << 20;
  const std::vector<int> processors = measuring_processors();
  const std::vector<int> counts = analysis::wanted_threads(report);
  for (const int threads : counts) {
    machine::CeilingOptions ceilings;
    ceilings.processors = measure::place_threads(threads, processors).compute_cores;
    ceilings.caches = machine::cache_sizes(report.environment);
    ceilings.spans = analysis::wanted_spans(report, threads);
    ceilings.seconds = ceilings_seconds(report.run) / static_cast<double>(counts.size());
    if (report.run.quick) ceilings.memory_bytes = kQuickMemoryBytes;
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
  if (span.most > kWaitingSeconds) print_warning("the run takes " + words_of(span));
}

// What earlier runs took; beside the references that are kept. A file that cannot be read is said and made anew.
measure::KnownTimes known_times(const measure::RunOptions& options, const std::string& environment) {
  const fs::path& references = options.reference_cache;
  measure::KnownTimes times(references.empty() ? fs::path() : references.parent_path() / "times.json", environment);
  if (!times.fault().empty()) print_warning(times.fault() + "; how long this run takes is guessed");
  return times;
}

}  // namespace

std::vector<std::size_t> cells_named(const std::set<std::string>& ids, const report::Report& report,
                                     const std::vector<std::size_t>& cells) {
  std::vector<std::size_t> found;
  std::ranges::copy_if(cells, std::back_inserter(found),
                       [&](std::size_t cell) { return ids.contains(report.cells[cell].id); });
  return found;
}

int status_of_cells(const report::Report& report) {
  const auto any = [&](auto&& is) {
    return std::ranges::any_of(report.cells, [&](const report::Cell& cell) { return is(cell.status.state); });
  };
  if (any(&report::is_failure)) return kFailedCells;
  return any([](report::CellState state) { return state == report::CellState::ok; }) ? kFine : kInconclusive;
}

int report_failed_cells(const report::Report& report) {
  for (const report::Cell& cell : report.cells) {
    if (cell.status.state == report::CellState::ok || cell.status.state == report::CellState::pending) continue;
    print_error(cat("gdbench: ", cell.id, " is ", report::name_of(cell.status.state), ": ", cell.status.reason));
    break;
  }
  return status_of_cells(report);
}

double closing_seconds(const report::Run& run, bool ceilings) {
  constexpr double kSummarySeconds = 0.5;
  return (ceilings ? ceilings_seconds(run) : 0) + kSummarySeconds;
}

Result<Run> Run::open(const Invocation& invocation, const measure::RunOptions& options, const OutputFile& output,
                      report::Report report, bool ceilings) {
  Run run(output, std::move(report));
  report::Run& record = run.report_.run;
  record.command = invocation.command;
  record.started_at = utc_now();
  record.id = record.started_at + "-" + std::to_string(getpid());
  record.seed = options.seed;
  record.budget_seconds = options.budget_seconds;
  record.precision = options.precision;
  run.report_.environment = machine::environment();
  run.is_journalled_ = run.has_file() && !run.report_.cells.empty();
  if (run.is_journalled_) run.report_.conditions = machine::conditions();
  if (run.has_file()) {
    Result<report::Journal> journal = report::Journal::take(journal_path(output.path));
    if (!journal.ok()) return usage_error(journal.error().message);
    run.journal_ = std::move(journal).value();
  }
  keep_off_compute_processor();
  if (!run.is_journalled_) return run;
  const Result<bool> journalled = output.resume ? resume_stopped_run(output, run.report_) : Result<bool>(false);
  if (!journalled.ok()) {
    run.journal_.leave();
    return journalled.error();
  }
  run.has_ceilings_ = ceilings && !measuring_processors().empty() &&
                      std::ranges::any_of(run.report_.cells, [](const report::Cell& cell) {
                        return cell.status.state == report::CellState::pending;
                      });
  if (run.has_ceilings_) add_ceilings(run.report_);
  const Status started = *journalled ? run.journal_.go_on(utc_now()) : run.journal_.begin(run.report_);
  if (!started.ok()) return usage_error(started.error().message);
  return run;
}

Status Run::measure(measure::Plan& plan, measure::RunOptions options) {
  measure::KnownTimes known = known_times(options, report_.environment);
  options.known_times = &known;
  options.reserved_seconds += closing_seconds(report_.run, has_ceilings_);
  if (options.launches == 0) {  // a worker that answers everything late spends the budget of others
    const std::chrono::duration<double> budget(options.budget_seconds);
    options.limits.all_requests =
        std::max(2 * options.limits.request, std::chrono::duration_cast<std::chrono::milliseconds>(budget));
  }
  if (has_ceilings_) options.measure_ceilings = &add_ceilings;
  say_expected_time(plan, options, report_);
  TRY(measure::run_session(plan, options, report_, journal_));
  if (!interrupted()) known.keep();
  return {};
}

void Run::add(const measure::CellGroup& group) {
  report_.scenarios = group.report().scenarios;
  report_.cells = group.report().cells;
}

// The journal goes: the report holds what it does.
Status Run::write() {
  if (!has_file()) return {};
  analysis::summarise(report_);
  TRY(report::write_report(report_, output_.path));
  std::error_code error;
  fs::remove(journal_.path(), error);
  return {};
}

int Run::close(const Status& measured, const std::function<Status(const report::Report&)>& print) {
  clear_progress();
  if (has_ceilings_ && measured.ok() && !interrupted()) add_ceilings(report_);
  report::Run& run = report_.run;
  run.finished_at = utc_now();
  if (run.measuring_seconds) {  // of what was gone on with
    *run.measuring_seconds += static_cast<double>(monotonic_ns() - began_ns_) * 1e-9;
  }
  // By what was measured: a signal that comes later stops nothing.
  const bool stopped = interrupted();
  run.status = !measured.ok() ? "failed" : stopped ? "interrupted" : "complete";
  if (is_journalled_) {
    static_cast<void>(journal_.end(run));  // a full disk shows at the report itself
  } else if (has_file()) {
    journal_.leave();
    if (report_.cells.empty()) output_.path.clear();  // nothing to keep
  }
  const Status written = write();
  const Status printed = print(report_);
  const bool is_unfit = !measured.ok() && measured.error().kind == ErrorKind::usage;  // as it would be again
  const std::string kept = !has_file() ? ""
                           : !written.ok() && is_journalled_
                               ? "what was measured is in " + journal_.path() + ", with which --resume goes on"
                           : !is_journalled_ || is_unfit ? words_of_kept(report_, output_)
                                                         : words_to_go_on(report_, output_);
  for (const Status& status : {measured, written}) {
    if (!status.ok()) {
      return report_error({status.error().kind, cat(status.error().message, kept.empty() ? "" : "; ", kept)});
    }
  }
  if (!printed.ok()) return report_error(printed.error());
  if (has_file()) print_error("report: " + output_.path);
  return stopped && measured.ok() ? report_interrupted(kept) : status_of_cells(report_);
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

}  // namespace

void print_dry_run(const measure::Plan& plan, measure::RunOptions options, bool ceilings, report::Report& report) {
  ask_adapters(plan, options.limits, report);
  std::size_t listed = 0;
  for (const report::Cell& cell : report.cells) {
    if (cell.arm == report::kControlArm) continue;
    ++listed;
    const bool pending = cell.status.state == report::CellState::pending;
    print_text(cat(cell.id, pending ? "" : "  unsupported: ", cell.status.reason, "\n"));
  }
  measure::KnownTimes known = known_times(options, machine::environment());
  options.known_times = &known;
  report.run.budget_seconds = options.budget_seconds;
  options.reserved_seconds += closing_seconds(report.run, ceilings);
  // The first look at the ceilings, which a budget contains.
  if (options.launches > 0 && ceilings) options.reserved_seconds += ceilings_seconds(report.run);
  print_error(cat(listed, " cells in ", report.scenarios.size(), " scenarios, ",
                  words_of(whole_seconds(plan, options, report))));
}

}  // namespace gdbench::app
