#include <memory>
#include <nlohmann/json.hpp>

#include "app/answer.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/explained_cells.h"
#include "app/output_file.h"
#include "app/own_files.h"
#include "harness/base/scratch_folder.h"
#include "harness/base/text.h"
#include "harness/questions/fairness/comparison.h"
#include "harness/questions/fairness/description.h"
#include "harness/report/explanation.h"
#include "reports/answers/documents.h"

namespace gdbench::app {

namespace {

struct ExplainOptions {
  CellRequest cells;
  std::vector<std::string> descriptions;  // of --check-comparison, else none
  AnswerOptions answer;
};

// Of a file in JSON, or of a script that describes itself.
Result<fairness::Description> description_of(const std::string& file) {
  if (std::filesystem::path(file).extension() != ".py") return fairness::read_description(file);
  const ScratchFolder folder = TRY(ScratchFolder::make("gdbench-description"));
  const std::filesystem::path written = folder.path() / "description.json";
  TRY(describe_script(file, written));
  return fairness::read_description(written);
}

// Judges two descriptions (harness/questions/fairness/DESCRIPTION.md) and prints what is unequal.
Result<int> check_comparison(const std::string& file_a, const std::string& file_b, const AnswerOptions& answer) {
  const fairness::Description a = TRY(description_of(file_a));
  const fairness::Description b = TRY(description_of(file_b));
  if (a.name == b.name) {
    return usage_error(cat(one_line(file_b), ": /name: found ", in_quotes(b.name), ", which ", one_line(file_a),
                           " has too, expected another name"));
  }
  const fairness::Comparison comparison = fairness::compare(a, b);
  TRY(print_answer(answer, answers::document_of(comparison), fairness::to_json(comparison)));
  return kFine;
}

Result<int> explain(const ExplainOptions& options) {
  if (!options.descriptions.empty()) {
    return check_comparison(options.descriptions[0], options.descriptions[1], options.answer);
  }
  if (options.cells.report.empty()) {
    return usage_error("found no report, expected a report or --check-comparison A.json B.json");
  }
  const report::Report report = TRY(stored_report(options.cells.report));
  const std::vector<report::Explanation> explanations =
      explanations_of(report, TRY(explained_cells(report, options.cells)));
  TRY(print_answer(options.answer, answers::document_of(explanations), report::to_json(explanations)));
  return kFine;
}

}  // namespace

void add_explain(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App& command = *app.add_subcommand("explain", "Why a cell is faster or slower than another, with the evidence");
  CLI::Option* report = add_value(command, "report", "FILE", options->cells.report, "report.json or a journal");
  command.add_option("scenario", options->cells.scenario, "Only this scenario of the report");
  CLI::Option* a = add_value(command, "--a", "ID", options->cells.a,
                             "Cell of the report: implementation, id, or KEY=VALUE[/implementation]");
  CLI::Option* b = add_value(command, "--b", "ID", options->cells.b, "Cell that it is compared with");
  a->needs(b);
  b->needs(a);
  add_value(command, "--check-comparison", "A B", options->descriptions,
            "Instead: what is unequal between two timed trainings, each described in JSON, or a script "
            "that calls gdbench.describe")
      ->type_size(2)
      ->expected(1)
      ->excludes(report)
      ->excludes(a)
      ->excludes(b);
  add_answer_options(command, options->answer);
  command.footer(
      "Without --a and --b: in each scenario the fastest against the runner-up, the best framework and the baseline;\n"
      "in a report of one implementation, its cells under other overrides.\n"
      "Examples:\n"
      "  gdbench explain report.json\n"
      "  gdbench explain report.json mlp-10-50-1 --a tape/eigen --b hand/eigen --html why.html\n"
      "  gdbench explain report.json --a optimizer=adam --b optimizer=sgd    the same under other overrides\n"
      "  gdbench explain report.json --a optimizer=adam/hand/eigen --b optimizer=sgd/loop/plain\n"
      "  gdbench explain --check-comparison loop.json tape.json    keys: harness/questions/fairness/DESCRIPTION.md");
  when_chosen(command, invocation, [options] { return explain(*options); });
}

}  // namespace gdbench::app
