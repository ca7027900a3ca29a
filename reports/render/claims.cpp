#include "reports/render/claims.h"

#include <algorithm>
#include <string_view>

#include "reports/render/claim_words.h"
#include "reports/render/format.h"
#include "reports/render/markdown.h"

namespace gdbench::render {

namespace {

using report::ClaimJudgement;
using report::JudgedRelation;

std::string paragraph(const std::string& text, int width) { return wrapped(text + "\n", width); }

// Words behind a first column, broken so that they stay behind it.
std::string hanging(const std::string& first, const std::string& text, int width) {
  constexpr int kNarrowest = 30;
  const int rest = width == 0 ? 0 : std::max(width - static_cast<int>(first.size()), kNarrowest);
  std::string out = first;
  const std::string lines = paragraph(text, rest);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out += lines[i];
    if (lines[i] == '\n' && i + 1 < lines.size()) out += std::string(first.size(), ' ');
  }
  return out;
}

std::string summary_of(const std::vector<ClaimJudgement>& judgements, int width) {
  std::size_t ids = 0;
  std::size_t verdicts = 0;
  for (const ClaimJudgement& judgement : judgements) {
    ids = std::max(ids, judgement.id.size());
    verdicts = std::max(verdicts, std::string_view(name_of(judgement.verdict)).size());
  }
  std::string text;
  for (const ClaimJudgement& judgement : judgements) {
    const std::string first =
        "  " + padded(judgement.id, ids, false) + "  " + padded(name_of(judgement.verdict), verdicts, false) + "  ";
    text += hanging(first, verdict_words(judgement), width);
  }
  return text;
}

std::string details_of(const ClaimJudgement& judgement, int width) {
  std::string text = judgement.id + ": " + name_of(judgement.verdict) + "\n";
  text += paragraph("  \"" + judgement.sentence + "\"", width);
  text += paragraph("  from: " + judgement.source, width);
  for (const JudgedRelation& relation : judgement.relations) {
    text += paragraph("  " + relation_words(relation.relation) + ": " + name_of(relation.verdict), width);
    if (was_run(relation)) text += text_table(point_table(relation));
    for (const std::string& sentence : sentences_about(relation)) text += paragraph("  " + sentence, width);
  }
  return text;
}

std::string markdown_details(const ClaimJudgement& judgement) {
  std::string text = "## " + markdown_escaped(judgement.id) + ": " + name_of(judgement.verdict) + "\n\n" +
                     markdown_escaped(judgement.sentence) + " (" + markdown_escaped(judgement.source) + ")\n\n";
  for (const JudgedRelation& relation : judgement.relations) {
    text += markdown_escaped(relation_words(relation.relation)) + ": **" + name_of(relation.verdict) + "**\n\n";
    if (was_run(relation)) {
      text += markdown_table(point_table(relation));
    }
    const std::vector<std::string> sentences = sentences_about(relation);
    for (const std::string& sentence : sentences) text += "- " + markdown_escaped(sentence) + "\n";
    if (!sentences.empty()) text += "\n";
  }
  return text;
}

}  // namespace

std::string claim_list(const std::vector<ListedClaim>& claims, int width) {
  std::size_t ids = 0;
  for (const ListedClaim& claim : claims) ids = std::max(ids, claim.id.size());
  std::string text;
  for (const ListedClaim& claim : claims) {
    text += hanging(padded(claim.id, ids, false) + "  ", claim.sentence, width);
    text += hanging(std::string(ids + 2, ' '), "from: " + claim.source, width);
  }
  return text;
}

std::string claims_console(const std::vector<ClaimJudgement>& judgements, int width) {
  std::string text;
  for (const ClaimJudgement& judgement : judgements) {
    if (has_figures(judgement)) text += details_of(judgement, width) + "\n";
  }
  text += claim_counts_words(judgements) + "\n" + summary_of(judgements, width) + "\n";
  for (const std::string& sentence : claim_legend()) text += paragraph(sentence, width);
  return text;
}

std::string claims_markdown(const std::vector<ClaimJudgement>& judgements) {
  std::vector<std::vector<std::string>> rows;
  for (const ClaimJudgement& judgement : judgements) {
    rows.push_back(
        {judgement.id, judgement.sentence, name_of(judgement.verdict), verdict_words(judgement), judgement.source});
  }
  std::string text = "# Claims\n\n" + claim_counts_words(judgements) + "\n\n" +
                     markdown_table({{"claim"}, {"sentence"}, {"verdict"}, {"figure"}, {"source"}}, rows);
  for (const ClaimJudgement& judgement : judgements) {
    if (has_figures(judgement)) text += markdown_details(judgement);
  }
  for (const std::string& sentence : claim_legend()) text += "- " + sentence + "\n";
  return text;
}

}  // namespace gdbench::render
