#include "harness/questions/history/history.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "app/answer.h"
#include "app/commands.h"
#include "reports/answers/documents.h"

namespace gdbench::app {

namespace {

struct HistoryCommand {
  std::vector<std::string> reports;
  double margin = compare::kMarginOfReports;
  AnswerOptions answer;
};

Result<int> history(const HistoryCommand& options) {
  const report::History found =
      history::history_of(TRY(history::read_reports(options.reports)), {.margin = options.margin});
  TRY(print_answer(options.answer, answers::document_of(found), report::to_json(found)));
  return found.is_slower() ? kRegressed : kFine;
}

}  // namespace

void add_history(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<HistoryCommand>();
  CLI::App& command =
      *app.add_subcommand("history", "When did cells become slower? Over the reports of many revisions");
  add_value(command, "reports", "FOLDER|FILE...", options->reports, "Reports, or folders with some")->required();
  add_value(command, "--margin", "SHARE", options->margin,
            "What does not matter: a level changed where it is another by more")
      ->transform(as_share())
      ->default_str("3%");
  add_answer_options(command, options->answer, "the history");
  command.footer(
      "The machine with most reports is the history; reports of others are named. Levels change between reports, so\n"
      "a change takes about a dozen reports to be found; the newest revision is judged by itself.\n"
      "Exit status: 0 the newest revision is not known to be slower; 1 it is, in some cell; 2 usage.\n"
      "Examples:\n"
      "  gdbench history reports/                     every report in a folder\n"
      "  gdbench history reports/ --html history.html every time over the revisions, drawn\n"
      "  gdbench history v1.json v2.json v3.json --margin 5% --json");
  when_chosen(command, invocation, [options] { return history(*options); });
}

}  // namespace gdbench::app
