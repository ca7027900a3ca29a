#include "harness/cli/measured_run.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "harness/cli/invocation.h"
#include "harness/cli/selection.h"
#include "harness/machine/ceilings.h"
#include "harness/machine/conditions.h"
#include "harness/machine/environment.h"
#include "harness/measure/cell_worker.h"
#include "harness/measure/session.h"
#include "harness/result/ceilings.h"
#include "harness/result/journal.h"
#include "harness/result/resume.h"
#include "harness/result/summarise.h"

namespace gdbench::cli {

namespace {

namespace fs = std::filesystem;

// For which the ceilings are measured, before and after.
double ceilings_seconds(double budget_seconds, bool quick) {
  constexpr double kSeconds = 1.5;
  constexpr double kQuickSeconds = 0.5;
  constexpr double kShareOfBudget = 0.05;
  return quick ? kQuickSeconds : std::clamp(kShareOfBudget * budget_seconds, kQuickSeconds, kSeconds);
}

// Adds what the compute processor can do at this moment; a failure becomes a note, the run goes on without.
void add_ceilings(bool quick, int processor, result::Report& report) {
  constexpr std::int64_t kQuickMemoryBytes = std::int64_t{64} << 20;
  machine::CeilingOptions ceilings;
  ceilings.processor = processor;
  ceilings.caches = machine::cache_sizes(report.environment);
  ceilings.seconds = ceilings_seconds(report.run.budget_seconds, quick);
  if (quick) ceilings.memory_bytes = kQuickMemoryBytes;
  ceilings.cancelled = &interrupted;
  const std::string at = measure::utc_now();
  Result<result::CeilingsMeasurement> measured = machine::measure_ceilings(ceilings);
  if (interrupted()) return;
  if (!measured.ok()) {
    report.notes.push_back(measured.error().message);
    return;
  }
  measured.value().at = at;
  if (!report.ceilings) report.ceilings.emplace();
  report.ceilings->processor = processor;
  report.ceilings->measurements.push_back(std::move(measured).value());
  report.ceilings->best = result::best_of(report.ceilings->measurements);
}

// Writes the report and drops the journal, whose content it holds.
Status finish_report(result::Report& report, const result::Journal& journal, const std::string& out) {
  result::summarise(report);
  if (Status status = result::write_report(report, out); !status.ok()) {
    return usage_error(status.error().message + "; everything measured is in " + journal.path() +
                       ", of which gdbench report " + journal.path() + " --json FILE makes the report");
  }
  std::error_code error;
  fs::remove(journal.path(), error);
  return {};
}

// Gives the report what the stopped run that lies at the output measured, and says so. Returns whether a journal is to
// be gone on with. Errors: it is a run of something else, or of nothing that was stopped.
Result<bool> take_over_stopped_run(const OutputFile& output, result::Report& report) {
  const Result<std::optional<StoppedRun>> stopped = stopped_run(output);
  if (!stopped.ok()) return stopped.error();
  if (!stopped.value()) return false;
  const StoppedRun& run = *stopped.value();
  if (Status status = result::take_over(run.report, run.file, report); !status.ok()) return status.error();
  const std::string words = "went on with " + run.file + ": " + contents_of(report) + " were taken over";
  std::fprintf(stderr, "gdbench: %s\n", words.c_str());
  report.notes.push_back(words + " at " + measure::utc_now());
  return run.has_journal;
}

}  // namespace

double closing_seconds(double budget_seconds, bool quick) {
  constexpr double kSummarySeconds = 0.5;
  return ceilings_seconds(budget_seconds, quick) + kSummarySeconds;
}

int measure_into_file(measure::Plan& plan, const measure::RunOptions& options, const RunFile& file,
                      result::Report& report, const std::function<Status(const result::Report&)>& print) {
  report.run.started_at = measure::utc_now();
  report.run.id = report.run.started_at + "-" + std::to_string(getpid());
  report.environment = machine::environment();
  report.conditions = machine::conditions();
  const Result<bool> journalled = file.output.resume ? take_over_stopped_run(file.output, report) : Result<bool>(false);
  if (!journalled.ok()) return report_error(journalled.error());
  const std::vector<int> processors = allowed_processors();
  const bool timed = !processors.empty() && std::any_of(report.cells.begin(), report.cells.end(), [](const auto& cell) {
    return cell.status.state == result::CellState::pending;
  });
  if (timed) add_ceilings(file.quick, processors.back(), report);
  const std::string path = journal_path(file.output.path);
  Result<result::Journal> journal =
      journalled.value() ? result::Journal::resume(path, measure::utc_now()) : result::Journal::create(path, report);
  if (!journal.ok()) return report_error(usage_error(journal.error().message));

  keep_off_compute_processor(processors);
  measure::RunOptions session_options = options;
  session_options.reserved_seconds += closing_seconds(options.budget_seconds, file.quick);
  if (timed) {
    session_options.measure_ceilings = [&](result::Report& measured) {
      add_ceilings(file.quick, processors.back(), measured);
    };
  }
  Status session = measure::run_session(plan, session_options, report, journal.value());
  if (session.ok() && file.afterwards && !interrupted()) session = file.afterwards(plan, report, journal.value());
  clear_progress();
  if (timed && session.ok() && !interrupted()) add_ceilings(file.quick, processors.back(), report);
  report.run.finished_at = measure::utc_now();
  report.run.status = !session.ok() ? "failed" : interrupted() ? "interrupted" : "complete";
  static_cast<void>(journal.value().end(report.run));  // a full disk was or will be reported by the report itself
  const Status written = finish_report(report, journal.value(), file.output.path);
  const Status printed = print(report);
  for (const Status& status : {session, written, printed}) {
    if (!status.ok()) return report_error(status.error());
  }
  std::fprintf(stderr, "report: %s\n", file.output.path.c_str());
  return interrupted() ? report_interrupted(words_to_go_on(report, file.output)) : status_of_cells(report);
}

void print_dry_run(const result::Report& report) {
  std::size_t listed = 0;
  for (const result::Cell& cell : report.cells) {
    if (cell.arm == result::kControlArm) continue;
    ++listed;
    const bool pending = cell.status.state == result::CellState::pending;
    std::printf("%s%s%s\n", cell.id.c_str(), pending ? "" : "  unsupported: ", cell.status.reason.c_str());
  }
  std::fprintf(stderr, "%zu cells in %zu scenarios\n", listed, report.scenarios.size());
}

}  // namespace gdbench::cli
