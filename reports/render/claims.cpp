#include "reports/render/claims.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/base/text.h"
#include "reports/render/format.h"
#include "reports/render/markdown.h"

namespace gdbench::render {

namespace {

using report::ClaimJudgement;
using report::ClaimRelation;
using report::ClaimVerdict;
using report::Flip;
using report::JudgedPoint;
using report::JudgedRelation;
using report::PointState;
using report::Quantity;
using report::RelationKind;
using report::Settings;

std::string quantity_words(const ClaimRelation& relation) {
  switch (relation.quantity) {
    case Quantity::step:
      return "time of a step";
    case Quantity::first_step:
      return "time of the first step";
    case Quantity::time_for_steps:
      return relation.steps.size() == 1 ? "time from loading to step " + std::to_string(relation.steps.front())
                                        : "time from loading to a step";
    case Quantity::peak_memory:
      return "peak memory";
    case Quantity::own_memory:
      return "own memory";
    case Quantity::time_to_target:
      return "time to the target loss";
    case Quantity::steps_to_target:
      return "steps to the target loss";
  }
  return "?";
}

// "x/y", "x/y batch=1", "batch=1".
std::string side_words(const Settings& side) {
  std::string text;
  for (const auto& [key, value] : side) {
    if (key == "implementation") text = value + (text.empty() ? "" : " " + text);
    if (key != "implementation") text += (text.empty() ? "" : " ") + key + "=" + value;
  }
  return text;
}

std::string limit_text(const ClaimRelation& relation, double limit) {
  return relation.kind == RelationKind::saving ? format_percent(limit) : format_number(limit) + "x";
}

std::string limits_words(const ClaimRelation& relation) {
  if (relation.at_least && relation.at_most) {
    return "from " + limit_text(relation, *relation.at_least) + " to " + limit_text(relation, *relation.at_most);
  }
  if (relation.at_least) return "at least " + limit_text(relation, *relation.at_least);
  return relation.at_most ? "at most " + limit_text(relation, *relation.at_most) : "";
}

std::string places_words(const ClaimRelation& relation) {
  std::string places;
  for (const auto& [key, values] : relation.at) join(places, cat(key, "=", joined(values, "|")));
  return cat(relation.rule == report::PointRule::all ? "everywhere" : "somewhere", places.empty() ? "" : " at ",
             places);
}

// Whole per cent, of any size; a share that rounds to nothing has no sign.
std::string percent_text(double share) { return formatted("%.0f", std::round(share * 100) + 0.0); }

std::string state_words(const ClaimRelation& relation, const JudgedPoint& point) {
  if (point.state == PointState::undecided || point.state == PointState::not_run) {
    return std::string(name_of(point.state)) + (point.state == PointState::undecided ? ": " + point.remark : "");
  }
  std::string text = point.state == PointState::shown ? "" : name_of(point.state);
  if (relation.kind == RelationKind::crossover) {
    const std::string ahead = point.position == stats::Position::below   ? side_words(relation.a) + " is ahead"
                              : point.position == stats::Position::above ? side_words(relation.b) + " is ahead"
                                                                         : "nobody is ahead";
    text += (text.empty() ? "" : ": ") + ahead;
  } else if (relation.kind == RelationKind::trend && point.decides) {
    text += ": what the ratio is multiplied by";
  }
  return point.decides || text.empty() || point.state == PointState::shown ? text : "(" + text + ")";
}

std::string at_words(const Settings& at) {
  std::string text;
  for (const auto& [key, value] : at) join(text, cat(key, "=", value));
  return at.empty() ? "" : " at " + text;
}

std::string duration_words(double seconds) {
  constexpr double kMinute = 60;
  return seconds < 1.5 * kMinute ? format_number(std::ceil(seconds)) + " s"
                                 : format_number(std::ceil(seconds / kMinute)) + " min";
}

std::string need_words(const ClaimJudgement& judgement) {
  if (judgement.needed_launches == 0) return "no number of launches is likely to decide it";
  return cat("needs about ", counted(judgement.needed_launches, "launch"), ", ",
             duration_words(judgement.needed_seconds));
}

bool was_run(const JudgedRelation& relation) {
  return std::ranges::any_of(relation.points,
                             [](const JudgedPoint& point) { return point.state != PointState::not_run; });
}

// "4 claims: 2 confirmed, 1 refuted, 1 not run".
std::string claim_counts_words(const std::vector<ClaimJudgement>& judgements) {
  constexpr std::array kVerdicts = {ClaimVerdict::confirmed, ClaimVerdict::refuted, ClaimVerdict::inconclusive,
                                    ClaimVerdict::not_run};
  return counts_by_kind(counted(judgements.size(), "claim"), kVerdicts, [&](ClaimVerdict verdict) {
    return std::ranges::count(judgements, verdict, &ClaimJudgement::verdict);
  });
}

// Whether anything of the claim was measured.
bool has_figures(const ClaimJudgement& judgement) { return std::ranges::any_of(judgement.relations, was_run); }

// "2.10x [1.90, 2.40]"; a saving "40% [38, 42]"; a count has no interval. Empty where a point was not run.
std::string figure_words(const ClaimRelation& relation, const JudgedPoint& point) {
  if (!point.ratio || point.ratio->launches == 0) return "";
  const stats::Estimate& ratio = *point.ratio;
  const bool is_counted = relation.quantity == Quantity::steps_to_target;
  if (relation.kind == RelationKind::saving) {
    const std::string saved = percent_text(1 - ratio.value) + "%";
    if (is_counted) return saved;
    return saved + " [" + percent_text(1 - ratio.interval.high) + ", " + percent_text(1 - ratio.interval.low) + "]";
  }
  return is_counted ? format_number(ratio.value) + "x" : format_ratio(ratio);
}

// "time of a step, x/y over x/z: at least 6x, everywhere".
std::string relation_words(const ClaimRelation& relation) {
  if (!relation.decides) {
    ClaimRelation plain = relation;
    plain.decides = true;
    return "beside it, " + relation_words(plain);
  }
  const std::string a = side_words(relation.a);
  const std::string b = side_words(relation.b);
  const std::string quantity = quantity_words(relation);
  const std::string limits = limits_words(relation);
  const std::string end = ", " + places_words(relation);
  switch (relation.kind) {
    case RelationKind::ratio:
      return cat(quantity, ", ", a, " over ", b, ": ", limits, end);
    case RelationKind::saving:
      return cat(quantity, ", what ", a, " saves beside ", b, ": ", limits, end);
    case RelationKind::trend:
      return cat(quantity, ", ", a, " over ", b, ": multiplied by ", limits, " along ", relation.along, end);
    case RelationKind::crossover:
      return cat(quantity, ": ", a, " is ahead of ", b, " at the first ", relation.along, " and behind at the last",
                 end);
  }
  return "";
}

// What the verdict rests on, in a line: a figure with its interval, where it was measured, and where it flips; or why
// there is none and what it would take.
std::string verdict_words(const ClaimJudgement& judgement) {
  if (judgement.deciding >= judgement.relations.size()) return "";
  const JudgedRelation& relation = judgement.deciding_relation();
  if (!relation.deciding) return "";
  const JudgedPoint& point = relation.points[*relation.deciding];
  if (judgement.verdict == ClaimVerdict::not_run) return point.remark;
  std::string text = figure_words(relation.relation, point) + at_words(point.at);
  const std::string limits = limits_words(relation.relation);
  if (!limits.empty()) text += " (claimed: " + limits + ")";
  if (judgement.verdict == ClaimVerdict::inconclusive) text += "; " + point.remark + "; " + need_words(judgement);
  for (const Flip& flip : relation.flips) {
    text += cat("; flips between ", flip.axis, "=", flip.from, " and ", flip.to, at_words(flip.at));
  }
  return text;
}

// The relation's points: the titles, and a row each. No titles where none of them was run.
struct PointTable {
  std::vector<std::string> titles;
  std::vector<std::vector<std::string>> rows;
};

PointTable point_table(const JudgedRelation& relation) {
  PointTable table;
  if (!was_run(relation)) return table;
  for (const JudgedPoint& point : relation.points) {
    for (const auto& [axis, value] : point.at) {
      if (std::ranges::find(table.titles, axis) == table.titles.end()) table.titles.push_back(axis);
    }
  }
  for (const JudgedPoint& point : relation.points) {
    std::vector<std::string>& row = table.rows.emplace_back();
    for (const std::string& axis : table.titles) {
      const auto found = std::ranges::find(point.at, axis, &Settings::value_type::first);
      row.push_back(found == point.at.end() ? "-" : found->second);
    }
    const std::string figure = figure_words(relation.relation, point);
    row.push_back(figure.empty() ? "-" : figure);
    row.push_back(point.ratio ? std::to_string(point.ratio->launches) : "-");
    row.push_back(state_words(relation.relation, point));
  }
  const char* figure = relation.relation.kind == RelationKind::saving ? "saved" : "ratio";
  table.titles.insert(table.titles.end(), {figure, "launches", "says"});
  return table;
}

// "Flips between batch=32, where it holds, and batch=256, where it does not."; then each reason why points were not
// run, once, with their number.
std::vector<std::string> sentences_about(const JudgedRelation& relation) {
  std::vector<std::string> sentences;
  const bool winners = relation.relation.kind == RelationKind::crossover;
  const std::string a = side_words(relation.relation.a);
  const std::string truth = winners ? a + " is ahead" : "it holds";
  const std::string untruth = winners ? a + " is behind" : "it does not";
  for (const Flip& flip : relation.flips) {
    sentences.push_back(cat("Flips", at_words(flip.at), " between ", flip.axis, "=", flip.from, ", where ",
                            flip.holds_at_from ? truth : untruth, ", and ", flip.axis, "=", flip.to, ", where ",
                            flip.holds_at_from ? untruth : truth, "."));
  }
  std::vector<std::pair<std::string, std::size_t>> reasons;
  for (const JudgedPoint& point : relation.points) {
    if (point.state != PointState::not_run) continue;
    const auto known = std::ranges::find(reasons, point.remark, [](const auto& reason) { return reason.first; });
    if (known == reasons.end()) {
      reasons.emplace_back(point.remark, 1);
    } else {
      ++known->second;
    }
  }
  for (const auto& [reason, count] : reasons) {
    sentences.push_back(cat("Not run: ", reason, count > 1 ? " (" + counted(count, "point") + ")" : "", "."));
  }
  return sentences;
}

// What figures and verdicts mean.
std::vector<std::string> claim_legend() {
  return {
      "ratio: median with an interval over launches; the intervals of a claim hold at 95% together.",
      "confirmed and refuted: the whole interval lies on one side of the limit, at every point that the claim needs.",
      "in brackets: a point that is shown beside those that decide.",
  };
}

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
    if (const PointTable table = point_table(relation); !table.titles.empty()) {
      std::vector<PlainColumn> columns;
      for (const std::string& title : table.titles) columns.push_back({title, title == "launches"});
      text += text_table(columns, table.rows);
    }
    for (const std::string& sentence : sentences_about(relation)) text += paragraph("  " + sentence, width);
  }
  return text;
}

std::string markdown_details(const ClaimJudgement& judgement) {
  std::string text = "## " + markdown_escaped(judgement.id) + ": " + name_of(judgement.verdict) + "\n\n" +
                     markdown_escaped(judgement.sentence) + " (" + markdown_escaped(judgement.source) + ")\n\n";
  for (const JudgedRelation& relation : judgement.relations) {
    text += markdown_escaped(relation_words(relation.relation)) + ": **" + name_of(relation.verdict) + "**\n\n";
    if (const PointTable table = point_table(relation); !table.titles.empty()) {
      std::vector<PlainColumn> columns;
      for (const std::string& title : table.titles) columns.push_back({markdown_escaped(title)});
      text += markdown_table(columns, table.rows);
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
