#include "app/answer.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/answered_claims.h"
#include "app/claim_runs.h"
#include "app/command_line.h"
#include "app/commands.h"
#include "harness/base/text.h"
#include "harness/questions/fairness/comparison.h"
#include "harness/report/explanation.h"
#include "reports/answers/documents.h"

namespace gdbench::app {

namespace {

struct QuestionOptions {
  std::string id;      // empty: list
  std::string report;  // to answer from; empty: measure
  AnswerOptions answer;
  ClaimRunOptions run;
};

// The claims that answer a question that somebody asked.
Result<int> list_questions(const AnswerOptions& options) {
  OrderedJson entries = OrderedJson::array();
  std::vector<std::pair<std::string, std::string>> listed;
  for (const claims::Claim& claim : TRY(read_claims())) {
    if (claim.question.empty()) continue;
    entries.push_back({{"id", claim.id}, {"question", claim.question}, {"source", claim.source}});
    listed.emplace_back(claim.id, claim.question);
  }
  TRY(print_answer(options, answers::questions(listed), {{"questions", std::move(entries)}}));
  return kFine;
}

// {"schema": "gdbench-answer", "schema_version": ..., "claims": [one], "explanations": [...], "posted": {...}}
OrderedJson to_json(const answers::AnsweredClaim& answered) {
  OrderedJson record = {{"schema", "gdbench-answer"}, {"schema_version", {{"major", 1}, {"minor", 0}}}};
  record["claims"] = report::to_json(std::vector<report::ClaimJudgement>{answered.judgement})["claims"];
  if (answered.explanation) {
    record["explanations"] = report::to_json(std::vector<report::Explanation>{*answered.explanation})["explanations"];
  }
  if (answered.posted) record["posted"] = fairness::to_json(*answered.posted);
  return record;
}

Result<int> answer(const QuestionOptions& options, const Invocation& invocation) {
  if (options.id.empty()) return list_questions(options.answer);
  const std::vector<claims::Claim> claims = TRY(choose_claims({options.id}));
  if (claims.size() != 1) return usage_error("found all, expected the id of a claim or its file");
  const PrintClaims print = [&](const std::vector<report::ClaimJudgement>& judgements,
                                const report::Report& report) -> Status {
    const answers::AnsweredClaim answered =
        TRY(answered_claim(claims.front(), judgements.front(), report, "gdbench answer " + options.id));
    return print_answer(options.answer, answers::document_of(answered), to_json(answered));
  };
  if (options.report.empty()) {
    install_signal_handlers();
    return measure_claims(claims, options.run, invocation, print);
  }
  TRY(judge_stored(claims, options.report, print));
  return kFine;
}

}  // namespace

void add_answer(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<QuestionOptions>();
  CLI::App& command = *app.add_subcommand("answer", "A question that people ask: yes or no here, why, and what to do");
  add_value(command, "id", "ID|FILE", options->id, "The claim behind the question; without it: list the questions");
  add_value(command, "report", "FILE", options->report, "Answer from this report; without it: measure");
  options->run.request.budget_seconds = 600;
  options->run.request.output.path = "answer-report.json";
  add_claim_run_options(command, options->run, "10m");
  add_answer_options(command, options->answer);
  command.footer(
      "Examples:\n"
      "  gdbench answer                               the questions\n"
      "  gdbench answer tf-6x-pytorch                 measure what decides it, and answer\n"
      "  gdbench answer tf-6x-pytorch claims-report.json --html answer.html");
  when_chosen(command, invocation, [options, &invocation] { return answer(*options, invocation); });
}

}  // namespace gdbench::app
