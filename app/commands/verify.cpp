#include <memory>
#include <nlohmann/json.hpp>

#include "app/answer.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/measured_run.h"
#include "app/plan.h"
#include "harness/base/clock.h"
#include "harness/machine/environment.h"
#include "harness/measure/cell_worker.h"
#include "harness/measure/verify_cell.h"
#include "reports/answers/verification.h"
#include "reports/exports/junit.h"

namespace gdbench::app {

namespace {

struct VerifyOptions {
  Request request;
  std::string junit;
  AnswerOptions answer;
  bool brief = false;
};

Result<int> verify(const VerifyOptions& options, const Invocation& invocation) {
  install_signal_handlers();
  report::Report report;
  report.run.command = invocation.command;
  report.run.started_at = utc_now();
  report.run.seed = options.request.seed;
  measure::Plan planned = TRY(plan(options.request, report));
  report.environment = machine::environment();
  const Status status = measure::verify_all(planned, run_options(options.request), report);
  clear_progress();
  report.run.finished_at = utc_now();
  const bool stopped = interrupted();
  report.run.status = stopped ? "interrupted" : "complete";
  AnswerOptions answer = options.answer;
  if (options.junit == "-") {  // stdout has nothing else
    answer.json = false;
    answer.quiet = true;
  }
  TRY(print_answer(answer, answers::verification(report, options.brief), report::to_json(report)));
  if (!options.junit.empty()) TRY(write_text(exports::junit(report), options.junit));
  if (!status.ok()) return report_error(status.error());
  return stopped ? report_interrupted() : status_of_cells(report);
}

}  // namespace

void add_verify(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App& command = *app.add_subcommand("verify", "Compare every cell with the reference; no timing");
  options->request.verifies = true;
  add_matrix_options(command, options->request);
  add_answer_options(command, options->answer, "the verification");
  add_document(command, "--junit", options->junit, "Write JUnit XML, a test case for each cell");
  command.add_flag("--brief", options->brief, "A line per scenario; cell by cell only what is wrong");
  command.footer(
      "--json prints a report without times.\n"
      "Examples:\n"
      "  gdbench verify\n"
      "  gdbench verify --impl 'hand/*' --set dtype=f64\n"
      "  gdbench verify optimizers --brief");
  when_chosen(command, invocation, [options, &invocation] { return verify(*options, invocation); });
}

}  // namespace gdbench::app
