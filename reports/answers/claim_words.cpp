#include "reports/answers/claim_words.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "harness/base/text.h"
#include "reports/answers/format.h"

namespace gdbench::answers {

namespace {

using report::ClaimJudgement;
using report::ClaimRelation;
using report::ClaimVerdict;
using report::JudgedPoint;
using report::JudgedRelation;
using report::PointState;
using report::Quantity;
using report::RelationKind;
using report::Settings;

std::string quantity_words(const ClaimRelation& relation) {
  const std::string which = relation.steps.size() == 1 ? "step " + std::to_string(relation.steps.front()) : "a step";
  return quantity_name(relation.quantity) + (relation.quantity == Quantity::time_for_steps ? which : "");
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

// "at least 6x", "from 10% to 20%"; empty where the relation has no limit.
std::string limits_words(const ClaimRelation& relation) {
  if (relation.at_least && relation.at_most) {
    return "from " + limit_text(relation, *relation.at_least) + " to " + limit_text(relation, *relation.at_most);
  }
  if (relation.at_least) return "at least " + limit_text(relation, *relation.at_least);
  return relation.at_most ? "at most " + limit_text(relation, *relation.at_most) : "";
}

// What a figure of the relation is: "time of a step of x/y over that of x/z".
std::string subject_words(const ClaimRelation& relation) {
  const std::string quantity = quantity_words(relation);
  const std::string a = side_words(relation.a);
  const std::string b = side_words(relation.b);
  switch (relation.kind) {
    case RelationKind::ratio:
    case RelationKind::crossover:
      break;
    case RelationKind::saving:
      return cat("what ", a, " saves of the ", quantity, " of ", b);
    case RelationKind::trend:
      return cat("what the ", quantity, " of ", a, " over that of ", b, " is multiplied by");
  }
  return cat(quantity, " of ", a, " over that of ", b);
}

std::string places_words(const ClaimRelation& relation) {
  std::string places;
  for (const auto& [key, values] : relation.at) join(places, cat(key, "=", joined(values, "|")));
  return cat(relation.rule == report::PointRule::all ? "everywhere" : "somewhere", places.empty() ? "" : " at ",
             places);
}

// Whole per cent, of any size; a share that rounds to nothing has no sign.
std::string percent_text(double share) { return formatted("%.0f", std::round(share * 100) + 0.0); }

// "2.10x"; a saving "40%".
std::string value_words(const ClaimRelation& relation, double ratio) {
  return relation.kind == RelationKind::saving ? percent_text(1 - ratio) + "%" : format_factor(ratio);
}

std::string state_words(const ClaimRelation& relation, const JudgedPoint& point) {
  if (point.state == PointState::undecided || point.state == PointState::not_run) {
    return std::string(name_of(point.state)) + (point.state == PointState::undecided ? ": " + point.remark : "");
  }
  std::string text = point.state == PointState::shown ? "" : name_of(point.state);
  if (relation.kind == RelationKind::crossover) {
    const std::string ahead = point.position == stats::Position::below   ? side_words(relation.a) + " is ahead"
                              : point.position == stats::Position::above ? side_words(relation.b) + " is ahead"
                                                                         : "the two are equal";
    text += (text.empty() ? "" : ": ") + ahead;
  } else if (relation.kind == RelationKind::trend && point.decides) {
    text += ": what the ratio is multiplied by";
  }
  return point.decides || text.empty() || point.state == PointState::shown ? text : "(" + text + ")";
}

std::string at_words(const Settings& at) { return at.empty() ? "" : " at " + place_words(at); }

std::string duration_words(double seconds) {
  constexpr double kMinute = 60;
  return seconds < 1.5 * kMinute ? format_number(std::ceil(seconds)) + " s"
                                 : format_number(std::ceil(seconds / kMinute)) + " min";
}

std::string need_words(const ClaimJudgement& judgement) {
  if (judgement.needed_launches == 0) return "no number of launches is likely to decide it";
  return cat("needs about ", counted(judgement.needed_launches, "launch"), ", ",
             duration_words(judgement.needed_seconds), " (--launches ", judgement.needed_launches, ")");
}

// The point at which the relation's a is least ahead, where it is everywhere, in three launches at least; else null.
const JudgedPoint* least_ahead(const JudgedRelation& relation) {
  const stats::VerdictOptions options;
  const JudgedPoint* least = nullptr;
  for (const JudgedPoint& point : relation.points) {
    const bool is_ahead = point.ratio && point.ratio->launches >= options.minimum_launches &&
                          point.ratio->interval.high * (1 + options.margin) < 1;
    if (!is_ahead) return nullptr;
    if (least == nullptr || point.ratio->value > least->ratio->value) least = &point;
  }
  return least;
}

// Of a claim that one side's step takes longer than another's, decided: what was measured as well and is faster than
// either side, first than b; empty where nothing is.
std::string alternative_words(const ClaimJudgement& judgement) {
  const ClaimRelation& decided = judgement.deciding_relation().relation;
  const bool is_known = judgement.verdict == ClaimVerdict::confirmed || judgement.verdict == ClaimVerdict::refuted;
  if (!is_known || decided.kind != RelationKind::ratio || decided.quantity != Quantity::step) return "";
  for (const Settings* side : {&decided.b, &decided.a}) {
    for (const JudgedRelation& other : judgement.relations) {
      const ClaimRelation& relation = other.relation;
      const bool is_alike = !relation.decides && relation.kind == decided.kind && relation.quantity == decided.quantity;
      if (!is_alike || relation.b != *side || relation.a == decided.a || relation.a == decided.b) continue;
      if (const JudgedPoint* point = least_ahead(other)) {
        return cat("; faster: ", side_words(relation.a), ", which takes ", figure_words(relation, *point), " of ",
                   side_words(relation.b), at_words(point->at));
      }
    }
  }
  return "";
}

}  // namespace

bool was_run(const JudgedRelation& relation) {
  return std::ranges::any_of(relation.points,
                             [](const JudgedPoint& point) { return point.state != PointState::not_run; });
}

std::string place_words(const Settings& at) {
  std::string text;
  for (const auto& [key, value] : at) join(text, cat(key, "=", value));
  return text;
}

std::string claim_counts_words(const std::vector<ClaimJudgement>& judgements) {
  return counts_by_kind(counted(judgements.size(), "claim"), kVerdictsInOrder, [&](ClaimVerdict verdict) {
    return std::ranges::count(judgements, verdict, &ClaimJudgement::verdict);
  });
}

bool was_run(const ClaimJudgement& judgement) {
  return std::ranges::any_of(judgement.relations, [](const JudgedRelation& relation) { return was_run(relation); });
}

std::string figure_words(const ClaimRelation& relation, const JudgedPoint& point) {
  if (!point.ratio || point.ratio->launches == 0) return "";
  const stats::Estimate& ratio = *point.ratio;
  if (relation.kind == RelationKind::saving) {
    const std::string saved = percent_text(1 - ratio.value) + "%";
    if (is_counted(relation.quantity)) return saved;
    return saved + " [" + percent_text(1 - ratio.interval.high) + ", " + percent_text(1 - ratio.interval.low) + "]";
  }
  return is_counted(relation.quantity) ? format_number(ratio.value) + "x" : format_ratio(ratio);
}

std::vector<double> measured_ratios(const JudgedRelation& relation) {
  const bool is_trend = relation.relation.kind == RelationKind::trend;
  std::vector<double> ratios;
  for (const JudgedPoint& point : relation.points) {
    // A trend's deciding points have no ratio of their own.
    if (point.ratio && point.ratio->launches > 0 && !(is_trend && point.decides)) ratios.push_back(point.ratio->value);
  }
  return ratios;
}

std::string measured_words(const JudgedRelation& relation) {
  const std::vector<double> ratios = measured_ratios(relation);
  if (ratios.empty()) return "";
  const auto words = [&](double ratio) { return value_words(relation.relation, ratio); };
  return range_words(ratios, std::identity(), words) + " at " + counted(ratios.size(), "measured point");
}

std::string relation_words(const ClaimRelation& relation) {
  if (!relation.decides) {
    ClaimRelation plain = relation;
    plain.decides = true;
    return "also measured: " + relation_words(plain);
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
      return cat(quantity, ", what ", a, " saves compared with ", b, ": ", limits, end);
    case RelationKind::trend:
      return cat(quantity, ", ", a, " over ", b, ": multiplied by ", limits, " along ", relation.along, end);
    case RelationKind::crossover:
      return cat(quantity, ": ", a, " is ahead of ", b, " at the first ", relation.along, " and behind at the last",
                 end);
  }
  return "";
}

std::string verdict_words(const ClaimJudgement& judgement) {
  if (judgement.deciding >= judgement.relations.size()) return "";
  const JudgedRelation& relation = judgement.deciding_relation();
  if (!relation.deciding) return "";
  const JudgedPoint& point = relation.points[*relation.deciding];
  if (judgement.verdict == ClaimVerdict::not_run) {
    const std::string measured = measured_words(relation);
    return point.remark + (measured.empty() ? "" : "; " + measured);
  }
  std::string text = figure_words(relation.relation, point) + at_words(point.at);
  const std::string limits = limits_words(relation.relation);
  if (!limits.empty()) text += " (claimed: " + limits + ")";
  if (judgement.verdict == ClaimVerdict::inconclusive) text += "; " + point.remark + "; " + need_words(judgement);
  for (const report::Flip& flip : relation.flips) {
    text += cat("; flips between ", flip.axis, "=", flip.from, " and ", flip.to, at_words(flip.at));
  }
  return text + alternative_words(judgement);
}

std::string answer_words(const ClaimJudgement& judgement) {
  const std::string words = verdict_words(judgement);
  if (judgement.verdict == ClaimVerdict::not_run) return cat("Not measured here: ", words, ".");
  const char* const lead = judgement.verdict == ClaimVerdict::confirmed ? "True here: "
                           : judgement.verdict == ClaimVerdict::refuted ? "Not true here: "
                                                                        : "Not decided here: ";
  return cat(lead, subject_words(judgement.deciding_relation().relation), " is ", words, ".");
}

std::string advice_words(const JudgedRelation& relation) {
  std::string figures;
  for (const JudgedPoint& point : relation.points) {
    const std::string figure = figure_words(relation.relation, point);
    if (!figure.empty()) join(figures, figure + at_words(point.at));
  }
  const std::string worth = figures.empty() ? ": what it brings was not measured"
                                            : cat(": ", subject_words(relation.relation), " is ", figures);
  return relation.relation.advice + worth + ".";
}

document::Columns point_table(const JudgedRelation& relation) {
  std::vector<std::string> axes;
  for (const JudgedPoint& point : relation.points) {
    for (const auto& [axis, value] : point.at) {
      if (std::ranges::find(axes, axis) == axes.end()) axes.push_back(axis);
    }
  }
  document::Columns table;
  for (const std::string& axis : axes) table.push_back(left(axis));
  const char* figure = relation.relation.kind == RelationKind::saving ? "saved" : "ratio";
  table.insert(table.end(), {left(figure), right("launches"), left("says")});
  for (const JudgedPoint& point : relation.points) {
    std::vector<std::string> row;
    for (const std::string& axis : axes) {
      const auto found = std::ranges::find(point.at, axis, &Settings::value_type::first);
      row.push_back(found == point.at.end() ? "-" : found->second);
    }
    const std::string words = figure_words(relation.relation, point);
    row.push_back(words.empty() ? "-" : words);
    row.push_back(point.ratio ? std::to_string(point.ratio->launches) : "-");
    row.push_back(state_words(relation.relation, point));
    add_row(table, row);
  }
  return table;
}

std::vector<std::string> sentences_about(const JudgedRelation& relation) {
  std::vector<std::string> sentences;
  const bool winners = relation.relation.kind == RelationKind::crossover;
  const std::string a = side_words(relation.relation.a);
  const std::string truth = winners ? a + " is ahead" : "it holds";
  const std::string untruth = winners ? a + " is behind" : "it does not";
  for (const report::Flip& flip : relation.flips) {
    sentences.push_back(cat("Flips", at_words(flip.at), " between ", flip.axis, "=", flip.from, ", where ",
                            flip.holds_at_from ? truth : untruth, ", and ", flip.axis, "=", flip.to, ", where ",
                            flip.holds_at_from ? untruth : truth, "."));
  }
  std::vector<std::pair<std::string, std::size_t>> reasons;
  for (const JudgedPoint& point : relation.points) {
    if (point.state == PointState::not_run) ++entry_of(reasons, point.remark);
  }
  for (const auto& [reason, count] : reasons) {
    sentences.push_back(cat("Not run: ", reason, count > 1 ? " (" + counted(count, "point") + ")" : "", "."));
  }
  return sentences;
}

std::vector<std::string> claim_legend() {
  return {
      "ratio: median with an interval over launches; the intervals of a claim hold at 95% together.",
      "confirmed and refuted: the whole interval lies on one side of the limit, at every point that the claim needs.",
      "in brackets: a point that is shown and does not decide.",
  };
}

}  // namespace gdbench::answers
