#include <algorithm>
#include <utility>

#include "harness/base/text.h"
#include "reports/answers/claim_words.h"
#include "reports/answers/documents.h"
#include "reports/answers/forest.h"
#include "reports/answers/format.h"

namespace gdbench::answers {

namespace {

using report::ClaimJudgement;
using report::ClaimVerdict;
using report::JudgedRelation;
using report::PointState;
using report::RelationKind;
using Judgements = std::vector<ClaimJudgement>;

constexpr const char* kWantedWords = "Behind a row is what the sentence demands, with a stroke at its limit.";
constexpr const char* kSavingWords = " A saving of 25% is a ratio of 0.75.";

document::Look look_of(ClaimVerdict verdict) {
  return verdict == ClaimVerdict::confirmed      ? kPassed
         : verdict == ClaimVerdict::refuted      ? kFailed
         : verdict == ClaimVerdict::inconclusive ? kOpen
                                                 : kAlike;
}

document::Look look_of(PointState state) {
  return state == PointState::holds       ? kPassed
         : state == PointState::fails     ? kFailed
         : state == PointState::undecided ? kOpen
                                          : kAlike;
}

// With what the relation demands there. No relation demands a ratio of a point that is only on the way of a trend, and
// a crossover demands a side of 1.
document::BarRow row_of(const report::ClaimRelation& relation, const report::JudgedPoint& point) {
  document::BarRow row;
  row.figure = figure_words(relation, point);
  if (point.ratio) row.measures = {{.value = point.ratio->value, .interval = point.ratio->interval}};
  if (relation.kind == RelationKind::crossover) return row;
  if (relation.kind != RelationKind::trend || point.decides) row.wanted = report::range_of(relation);
  return row;
}

// The point that speaks for the claim's verdict; where that was not run, a dot for each that was.
document::BarRow row_of(const ClaimJudgement& judgement) {
  document::BarRow row;
  if (judgement.deciding < judgement.relations.size() && judgement.deciding_relation().deciding) {
    const JudgedRelation& relation = judgement.deciding_relation();
    row = row_of(relation.relation, relation.points[*relation.deciding]);
    if (row.measures.empty()) {
      row.dots = measured_ratios(relation);
      row.figure = measured_words(relation);
    }
  }
  row.label = judgement.id;
  row.look = look_of(judgement.verdict);
  row.word = name_of(judgement.verdict);
  return row;
}

Figure points_figure(const JudgedRelation& relation) {
  const bool demands = relation.relation.kind != RelationKind::crossover;
  document::Rows rows = forest_of("ratio");
  if (!demands) {
    rows.band = report::range_of(relation.relation);
    rows.band_name = "the two are equal";
  }
  for (const report::JudgedPoint& point : relation.points) {
    if (point.state == PointState::not_run) continue;
    document::BarRow row = row_of(relation.relation, point);
    row.label = place_words(point.at);
    row.look = look_of(point.state);
    row.word = name_of(point.state);
    if (!point.decides && point.state != PointState::shown) row.word = "(" + row.word + ")";
    rows.rows.push_back(std::move(row));
  }
  const bool saves = relation.relation.kind == RelationKind::saving;
  return {.title = "Ratio at each point",
          .sentence = cat(demands ? kWantedWords : "Grey is where the two are equal.", saves ? kSavingWords : ""),
          .chart = std::move(rows)};
}

void add_evidence(const ClaimJudgement& judgement, Blocks& blocks) {
  blocks.paragraph("\"" + judgement.sentence + "\"");
  blocks.paragraph("from: " + judgement.source, Style::dim);
  blocks.append(claim_evidence(judgement));
}

Blocks verdicts_of(const Judgements& judgements) {
  document::Rows rows = forest_of("ratio");
  Columns table = {left("claim"), left("verdict"), left("what it rests on")};
  Blocks others;
  for (const ClaimJudgement& judgement : judgements) {
    rows.rows.push_back(row_of(judgement));
    add_row(table, {judgement.id, name_of(judgement.verdict), verdict_words(judgement)});
    if (was_run(judgement)) continue;
    others.heading(judgement.id);
    add_evidence(judgement, others);
  }
  Blocks blocks;
  if (std::ranges::any_of(judgements, [](const ClaimJudgement& judgement) { return was_run(judgement); })) {
    blocks.figure({.title = "What each verdict rests on",
                   .sentence = cat(kForestWords, " ", kWantedWords, kSavingWords,
                                   " Dots are the measured points of a claim of which others were not run."),
                   .chart = std::move(rows)});
  }
  blocks.table("", std::move(table));
  return blocks.fold("Claims of which nothing was measured", std::move(others));
}

}  // namespace

Blocks claim_evidence(const ClaimJudgement& judgement) {
  Blocks blocks;
  for (const JudgedRelation& relation : judgement.relations) {
    blocks.paragraph(relation_words(relation.relation) + ": " + name_of(relation.verdict));
    if (was_run(relation)) {
      blocks.figure(points_figure(relation));
      blocks.table("", point_table(relation));
    }
    blocks.list(sentences_about(relation));
  }
  return blocks;
}

Document document_of(const std::vector<ListedClaim>& claims) {
  std::vector<std::string> sentences;
  for (const ListedClaim& claim : claims) {
    sentences.push_back(cat(claim.id, ": ", claim.sentence, " (", claim.source, ")"));
  }
  Document document{.title = "gdbench claims: " + counted(claims.size(), "sentence") + " that can be judged"};
  document.section("", Blocks().list(sentences));
  return document;
}

Document questions(const std::vector<std::pair<std::string, std::string>>& questions) {
  std::vector<std::string> sentences;
  for (const auto& [id, question] : questions) sentences.push_back(cat(id, ": ", question));
  Document document{.title = "gdbench answer: " + counted(questions.size(), "question") + " that people ask"};
  document.section("", Blocks().list(sentences));
  return document;
}

Document document_of(const Judgements& judgements, const std::vector<std::string>& notes) {
  Document document{.title = "gdbench claims", .answer = {{claim_counts_words(judgements)}}};
  for (const ClaimVerdict verdict : kVerdictsInOrder) {
    std::string ids;
    for (const ClaimJudgement& judgement : judgements) {
      if (judgement.verdict == verdict) join(ids, judgement.id);
    }
    if (!ids.empty()) document.answer.push_back({cat(name_of(verdict), ": ", ids)});
  }
  if (!judgements.empty()) document.section("Verdicts", verdicts_of(judgements));
  for (const ClaimJudgement& judgement : judgements) {
    Blocks evidence;
    if (was_run(judgement)) add_evidence(judgement, evidence);
    document.section(judgement.id + ": " + name_of(judgement.verdict), std::move(evidence));
  }
  document.section("What figures and verdicts mean", Blocks().list(claim_legend()));
  document.section("Notes", Blocks().list(notes));
  return document;
}

}  // namespace gdbench::answers
