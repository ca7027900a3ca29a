#include <utility>

#include "harness/base/text.h"
#include "reports/answers/claim_words.h"
#include "reports/answers/documents.h"
#include "reports/answers/explanation_sentences.h"

namespace gdbench::answers {

namespace {

using report::JudgedRelation;

// Where most of the difference is, by profiles or by cells between the two; empty where they do not differ.
std::string cause_words(const report::Explanation& explanation) {
  if (!explanation.differs()) return "";
  const Names names = names_of(explanation);
  const std::string phases = largest_phases(explanation, names);
  if (!phases.empty()) return phases;
  for (const report::AxisPath& path : explanation.paths) {
    const Sentences sentences = path_sentences(explanation, names, path);
    if (!sentences.empty()) return sentences.front();
  }
  return "";
}

Sentences advice_of(const report::ClaimJudgement& judgement) {
  Sentences sentences;
  for (const JudgedRelation& relation : judgement.relations) {
    if (!relation.relation.advice.empty()) sentences.push_back(advice_words(relation));
  }
  return sentences;
}

Blocks unequal(const fairness::Comparison& comparison) {
  Blocks blocks;
  for (const auto& harm : fairness::kHarms) blocks.heading(harm.heading).list(findings_of(comparison, harm.value));
  return blocks;
}

// Behind the verdict, what it rests on.
Blocks evidence_of(const report::Explanation& explanation, const Names& names) {
  Blocks blocks;
  blocks.list(verdict_sentences(explanation, names));
  for (document::Section& section : document_of(std::vector<report::Explanation>{explanation}).sections) {
    for (document::Block& block : section.blocks) blocks.add(std::move(block));
  }
  return blocks;
}

}  // namespace

Document document_of(const AnsweredClaim& answered) {
  const report::ClaimJudgement& judgement = answered.judgement;
  const bool is_asked = !judgement.question.empty();
  Document document{.title = is_asked ? judgement.question : cat(judgement.sentence, " True?"),
                    .answer = {{answer_words(judgement)}}};
  const std::string cause = answered.explanation ? cause_words(*answered.explanation) : "";
  if (!cause.empty()) document.answer.push_back({cause});
  const Sentences advice = advice_of(judgement);
  for (const std::string& sentence : advice) document.answer.push_back({sentence});

  Sentences question = {cat("The sentence that is judged: \"", judgement.sentence, "\""),
                        cat("Found in: ", judgement.source)};
  if (!judgement.setting.empty()) question.push_back(cat("What was compared there: ", judgement.setting));
  document.section("The question", Blocks().list(question));
  if (answered.posted) document.section("What is unequal in the codes that were posted", unequal(*answered.posted));
  document.section("What the verdict rests on", claim_evidence(judgement));
  if (answered.explanation) {
    const Names names = names_of(*answered.explanation);
    document.section(cat("Where the time goes: ", names.heading, ", ", names.a, " against ", names.b),
                     evidence_of(*answered.explanation, names));
  }
  document.section("To answer it again", Blocks().command(answered.command));
  return document;
}

}  // namespace gdbench::answers
