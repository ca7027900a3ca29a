#include "app/answer.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/claim_runs.h"
#include "app/command_line.h"
#include "app/commands.h"
#include "app/explained_cells.h"
#include "harness/base/text.h"
#include "harness/questions/fairness/comparison.h"
#include "harness/questions/fairness/description.h"
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

Result<std::optional<fairness::Comparison>> posted_codes(const claims::Claim& claim) {
  if (claim.posted.empty()) return std::optional<fairness::Comparison>();
  const fairness::Description a = TRY(fairness::read_description(claim.posted.front()));
  const fairness::Description b = TRY(fairness::read_description(claim.posted.back()));
  return std::optional(fairness::compare(a, b));
}

// The cells at the point that decides, or at the first one that can be explained.
std::optional<CellPair> explained_pair(const report::ClaimJudgement& judgement, const report::Report& report) {
  const auto pair_at = [&](const report::JudgedPoint& point) -> std::optional<CellPair> {
    const CellPair pair{report.find_cell(point.a), report.find_cell(point.b)};
    if (pair.a == nullptr || pair.b == nullptr || pair.a == pair.b) return std::nullopt;
    const bool is_timed = is_comparable(*pair.a) && is_comparable(*pair.b);
    const bool is_alike = report.find_scenario(pair.a->scenario)->name == report.find_scenario(pair.b->scenario)->name;
    return is_timed && is_alike ? std::optional(pair) : std::nullopt;
  };
  if (judgement.deciding >= judgement.relations.size()) return std::nullopt;
  const report::JudgedRelation& relation = judgement.deciding_relation();
  if (relation.deciding) {
    if (const auto pair = pair_at(relation.points[*relation.deciding])) return pair;
  }
  for (const report::JudgedPoint& point : relation.points) {
    if (const auto pair = pair_at(point)) return pair;
  }
  return std::nullopt;
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
  const std::optional<fairness::Comparison> posted = TRY(posted_codes(claims.front()));
  const PrintClaims print = [&](const std::vector<report::ClaimJudgement>& judgements,
                                const report::Report& report) -> Status {
    answers::AnsweredClaim answered{judgements.front(), posted, {}, "gdbench answer " + options.id};
    if (const auto pair = explained_pair(answered.judgement, report)) {
      answered.explanation = explanations_of(report, {*pair}).front();
    }
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
  options->run.profiles = true;
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
