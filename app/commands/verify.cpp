#include <memory>
#include <nlohmann/json.hpp>

#include "app/answer.h"
#include "app/commands.h"
#include "app/measured_run.h"
#include "app/plan.h"
#include "harness/measure/verify_cell.h"
#include "reports/answers/documents.h"
#include "reports/exports/exports.h"

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
  measure::Plan planned = TRY(plan(options.request, report));
  measure::RunOptions run = run_options(options.request);
  run.budget_seconds = 0;  // none
  Run running = TRY(Run::open(invocation, run, options.request.output, std::move(report)));
  const Status status = measure::verify_all(planned, run, running.report());
  AnswerOptions answer = options.answer;
  answer.quiet = options.junit == "-";
  return running.close(status, [&](const report::Report& verified) -> Status {
    TRY(print_answer(answer, answers::verification(verified, options.brief), report::to_json(verified)));
    return options.junit.empty() ? Status() : write_text(exports::junit(verified), options.junit);
  });
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
