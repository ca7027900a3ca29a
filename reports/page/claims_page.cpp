#include "reports/page/claims_page.h"

#include "harness/base/text.h"
#include "reports/page/parts.h"
#include "reports/page/forest_figure.h"
#include "reports/render/claim_words.h"

namespace gdbench::page {

namespace {

using report::ClaimJudgement;
using report::ClaimRelation;
using report::ClaimVerdict;
using report::JudgedPoint;
using report::JudgedRelation;
using report::PointState;
using report::RelationKind;

constexpr const char* kWantedWords = " Behind a row is what the sentence demands, with a stroke at its limit.";
constexpr const char* kSavingWords = " A saving of 25% is a ratio of 0.75.";

Finding finding_of(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::confirmed:
      return Finding::passed;
    case ClaimVerdict::refuted:
      return Finding::failed;
    case ClaimVerdict::inconclusive:
      return Finding::open;
    case ClaimVerdict::not_run:
      break;
  }
  return Finding::alike;
}

Finding finding_of(PointState state) {
  switch (state) {
    case PointState::holds:
      return Finding::passed;
    case PointState::fails:
      return Finding::failed;
    case PointState::undecided:
      return Finding::open;
    case PointState::not_run:
    case PointState::shown:
      break;
  }
  return Finding::alike;
}

// With what the relation demands there. Nobody demands a ratio of a point that is only on the way of a trend, and a
// crossover demands a side of 1.
ForestRow row_of(const ClaimRelation& relation, const JudgedPoint& point) {
  ForestRow row{.figure = render::figure_words(relation, point), .ratio = point.ratio};
  if (relation.kind == RelationKind::crossover || point.state == PointState::shown) return row;
  if (relation.kind != RelationKind::trend || point.decides) row.wanted = report::range_of(relation);
  return row;
}

// The point that speaks for the claim's verdict.
ForestRow row_of(const ClaimJudgement& judgement) {
  ForestRow row;
  if (judgement.deciding < judgement.relations.size() && judgement.deciding_relation().deciding) {
    const JudgedRelation& relation = judgement.deciding_relation();
    row = row_of(relation.relation, relation.points[*relation.deciding]);
  }
  row.label = judgement.id;
  row.word = name_of(judgement.verdict);
  row.finding = finding_of(judgement.verdict);
  return row;
}

void verdicts(Markup& markup, const std::vector<ClaimJudgement>& judgements) {
  Forest forest{.figure = {.id = "forest",
                           .title = "What each verdict rests on",
                           .sentence = cat(kForestWords, kWantedWords, kSavingWords),
                           .data = {{.title = "claim", .texts = {}},
                                    {.title = "verdict", .texts = {}},
                                    {.title = "figure", .texts = {}}}},
                .axis = "ratio"};
  for (const ClaimJudgement& judgement : judgements) {
    forest.rows.push_back(row_of(judgement));
    add_row(forest.figure.data, {judgement.id, name_of(judgement.verdict), render::verdict_words(judgement)});
  }
  add_forest(markup, forest);
}

void add_points(Markup& markup, const JudgedRelation& relation, const std::string& id) {
  const bool saves = relation.relation.kind == RelationKind::saving;
  const bool demands = relation.relation.kind != RelationKind::crossover;
  Forest forest{.figure = {.id = id,
                           .title = render::relation_words(relation.relation) + ": " + name_of(relation.verdict),
                           .sentence = cat(kForestWords, demands ? kWantedWords : "", saves ? kSavingWords : ""),
                           .data = render::by_columns(render::point_table(relation))},
                .axis = "ratio"};
  if (!demands) {
    forest.band = report::range_of(relation.relation);
    forest.band_name = "nobody is ahead";
  }
  for (const JudgedPoint& point : relation.points) {
    if (point.state == PointState::not_run) continue;
    ForestRow row = row_of(relation.relation, point);
    row.label = render::place_words(point.at);
    row.word = name_of(point.state);
    if (!point.decides && point.state != PointState::shown) row.word = "(" + row.word + ")";
    row.finding = finding_of(point.state);
    forest.rows.push_back(row);
  }
  add_forest(markup, forest);
}

void evidence(Markup& markup, const ClaimJudgement& judgement, const std::string& id) {
  add_paragraph(markup, "\"" + judgement.sentence + "\"");
  add_paragraph(markup, "from: " + judgement.source, "muted");
  for (std::size_t i = 0; i < judgement.relations.size(); ++i) {
    const JudgedRelation& relation = judgement.relations[i];
    if (render::was_run(relation)) {
      add_points(markup, relation, id + "-" + std::to_string(i + 1));
    } else {
      add_paragraph(markup, render::relation_words(relation.relation) + ": " + name_of(relation.verdict));
    }
    add_list(markup, render::sentences_about(relation));
  }
}

}  // namespace

std::string claims_page(const std::vector<ClaimJudgement>& judgements) {
  std::vector<Section> sections = {{"verdicts", "Verdicts", [&](Markup& markup) { verdicts(markup, judgements); }}};
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    const ClaimJudgement& judgement = judgements[i];
    const std::string id = "c" + std::to_string(i + 1);
    sections.push_back({id, judgement.id + ": " + name_of(judgement.verdict),
                        [&judgement, id](Markup& markup) { evidence(markup, judgement, id); }});
  }
  sections.push_back(
      {"meaning", "What figures and verdicts mean", [](Markup& markup) { add_list(markup, render::claim_legend()); }});
  return page_of("gdbench claims", sections,
                  [&](Markup& markup) { add_paragraph(markup, render::claim_counts_words(judgements)); });
}

}  // namespace gdbench::page
