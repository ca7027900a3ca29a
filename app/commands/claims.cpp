#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/answer.h"
#include "app/claim_runs.h"
#include "app/command_line.h"
#include "app/commands.h"
#include "harness/base/json.h"
#include "reports/answers/documents.h"

namespace gdbench::app {

namespace {

constexpr const char* kIdsHelp = "Claims by id, claims of your own by file, or all";

struct ClaimsOptions {
  std::string report;  // to judge; empty: list
  std::vector<std::string> ids;
  AnswerOptions answer;
  ClaimRunOptions run;
};

Result<int> list(const ClaimsOptions& options) {
  OrderedJson entries = OrderedJson::array();
  std::vector<answers::ListedClaim> listed;
  for (const claims::Claim& claim : TRY(read_claims())) {
    entries.push_back(
        {{"id", claim.id}, {"sentence", claim.sentence}, {"source", claim.source}, {"purpose", claim.purpose}});
    listed.push_back({claim.id, claim.sentence, claim.source});
  }
  TRY(print_answer(options.answer, answers::document_of(listed), {{"claims", std::move(entries)}}));
  return kFine;
}

PrintClaims printer(const AnswerOptions& options) {
  return [&options](const std::vector<report::ClaimJudgement>& judgements, const report::Report& report) {
    return print_answer(options, answers::document_of(judgements, report.notes), report::to_json(judgements));
  };
}

Result<int> judge(const ClaimsOptions& options) {
  const std::vector<std::string> ids = options.ids.empty() ? std::vector<std::string>{kAllClaims} : options.ids;
  const std::vector<claims::Claim> claims = TRY(choose_claims(ids));
  TRY(judge_stored(claims, options.report, printer(options.answer)));
  return kFine;
}

Result<int> run(const ClaimsOptions& options, const Invocation& invocation) {
  install_signal_handlers();
  return measure_claims(TRY(choose_claims(options.ids)), options.run, invocation, printer(options.answer));
}

void add_claims_run(CLI::App& parent, const std::shared_ptr<ClaimsOptions>& options, Invocation& invocation) {
  CLI::App& command = *parent.add_subcommand("run", "Measure what claims need, each cell once, and judge them");
  options->run.request.budget_seconds = 2700;
  options->run.request.output.path = "claims-report.json";
  add_value(command, "ids", "ID|FILE...", options->ids, kIdsHelp)->required();
  add_claim_run_options(command, options->run, "45m");
  add_answer_options(command, options->answer, "the verdicts");
  command.footer(
      "Examples:\n"
      "  gdbench claims run all\n"
      "  gdbench claims run autodiff-overhead-fades sparse-40 --budget 2m\n"
      "Exit status: 0 decided or not; 3 a cell is wrong, untrusted, crashed or timed out.");
  when_chosen(command, invocation, [options, &invocation] { return run(*options, invocation); });
}

}  // namespace

void add_claims(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<ClaimsOptions>();
  CLI::App& command = *app.add_subcommand("claims", "Sentences about speed, put to the test");
  add_value(command, "report", "FILE", options->report, "Judge claims by this report; without it: list them");
  add_value(command, "ids", "ID|FILE...", options->ids, kIdsHelp)->default_str(kAllClaims);
  add_answer_options(command, options->answer, "the verdicts, or the claims,");
  command.footer(
      "Examples:\n"
      "  gdbench claims                           what can be judged, and who said it\n"
      "  gdbench claims claims-report.json        verdicts from a report\n"
      "  gdbench claims claims-report.json --html claims.html\n"
      "  gdbench claims run ./mine.json           a claim of your own\n"
      "  gdbench claims run all --budget 45m      measure, then judge");
  add_claims_run(command, options, invocation);
  when_chosen(command, invocation, [&command, options, &invocation]() -> Result<int> {
    if (!command.get_subcommands().empty()) return invocation.status;
    return options->report.empty() ? list(*options) : judge(*options);
  });
}

}  // namespace gdbench::app
