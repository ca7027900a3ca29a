#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/text.h"
#include "reports/answers/attribution.h"
#include "reports/answers/crossover_charts.h"
#include "reports/answers/documents.h"
#include "reports/answers/format.h"

namespace gdbench::answers {

namespace {

using report::Crossover;
using report::CrossoverPoint;
using report::StepsCrossover;
using stats::Verdict;

std::string winner(const Crossover& crossover, const CrossoverPoint& point) {
  const Verdict verdict = point.comparison.verdict;
  return verdict == Verdict::faster       ? crossover.a
         : verdict == Verdict::slower     ? crossover.b
         : verdict == Verdict::equivalent ? "equal"
                                          : "undecided";
}

std::string at(const Crossover& crossover, std::int64_t size) { return crossover.axis + "=" + std::to_string(size); }

const stats::Estimate& ratio_at(const Crossover& crossover, std::int64_t size) {
  const auto found =
      std::ranges::find_if(crossover.points, [size](const CrossoverPoint& point) { return point.size == size; });
  return found->comparison.ratio;
}

// The paired ratios at both ends of a zone, which are those of the table.
std::string ratio_words(const Crossover& crossover, const stats::Zone& zone) {
  const std::string first = format_ratio(ratio_at(crossover, zone.first));
  if (zone.has_winner() && zone.first == zone.last) return first;
  std::string text = first + " at " + std::to_string(zone.first);
  if (zone.first != zone.last) {
    text += ", " + format_ratio(ratio_at(crossover, zone.last)) + " at " + std::to_string(zone.last);
  }
  return text;
}

// A winner is one from a measured size to a measured size. Without one, it is open up to the next size that has one.
std::string place_words(const Crossover& crossover, std::size_t index) {
  const std::vector<stats::Zone>& zones = crossover.answer.zones;
  const stats::Zone& zone = zones[index];
  const bool is_first = index == 0;
  const bool is_last = index + 1 == zones.size();
  if (zone.has_winner() && zone.first == zone.last) return "At " + at(crossover, zone.first);
  if (zone.has_winner() && is_first && !is_last) return "Up to " + at(crossover, zone.last);
  if (zone.has_winner() && is_last && !is_first) return "From " + at(crossover, zone.first) + " on";
  if (zone.has_winner() || (is_first && is_last)) {
    return "From " + at(crossover, zone.first) + " to " + std::to_string(zone.last);
  }
  if (is_first) return "Below " + at(crossover, zones[index + 1].first);
  if (is_last) return "Above " + at(crossover, zones[index - 1].last);
  return "Between " + at(crossover, zones[index - 1].last) + " and " + std::to_string(zones[index + 1].first);
}

std::string level_words(const Crossover& crossover, const stats::Zone& zone) {
  const std::string margin = format_percent(crossover.margin);
  if (zone.verdict == Verdict::equivalent) return "the two are equal within " + margin;
  std::size_t sizes = 0;
  std::size_t equal = 0;
  for (const CrossoverPoint& point : crossover.points) {
    if (point.size < zone.first || point.size > zone.last) continue;
    ++sizes;
    if (point.comparison.verdict == Verdict::equivalent) ++equal;
  }
  return "the two cannot be distinguished" + (equal == 0 ? ""
                                                         : " (equal within " + margin + " at " + std::to_string(equal) +
                                                               " of " + counted(sizes, "size") + ")");
}

std::string zone_words(const Crossover& crossover, std::size_t index) {
  const std::vector<stats::Zone>& zones = crossover.answer.zones;
  const stats::Zone& zone = zones[index];
  const std::string says = zone.has_winner()
                               ? crossover.a + " is " + stats::name_of(zone.verdict) + " than " + crossover.b
                               : level_words(crossover, zone);
  return place_words(crossover, index) + ", " + says + ": " + ratio_words(crossover, zone) + ".";
}

// Where one winner follows another, and sizes lie between them.
std::string gap_words(const Crossover& crossover, std::size_t index) {
  const std::vector<stats::Zone>& zones = crossover.answer.zones;
  if (index + 1 == zones.size() || !zones[index].has_winner() || !zones[index + 1].has_winner()) return "";
  const std::int64_t last = zones[index].last;
  const std::int64_t next = zones[index + 1].first;
  return next - last > 1 ? "Between " + at(crossover, last) + " and " + std::to_string(next) + " nothing was measured."
                         : "";
}

// "; undecided below rows=9 and above rows=90": the ends of the range as far as it is open there who is faster.
std::string open_ends_words(const Crossover& crossover) {
  const std::vector<stats::Zone>& zones = crossover.answer.zones;
  std::vector<std::string> ends;
  for (const std::size_t index : std::set<std::size_t>{0, zones.size() - 1}) {
    if (zones[index].verdict != Verdict::inconclusive) continue;
    std::string place = place_words(crossover, index);
    place[0] = static_cast<char>(std::tolower(place[0]));
    ends.push_back(std::move(place));
  }
  return ends.empty() ? "" : "; undecided " + joined(ends, " and ");
}

std::string headline(const Crossover& crossover) {
  if (crossover.points.empty()) return "Undecided: nothing was measured.";
  const std::string open = open_ends_words(crossover) + ".";
  if (crossover.answer.outcome == stats::CrossoverOutcome::none) return "No crossing" + open;
  if (crossover.answer.outcome == stats::CrossoverOutcome::undecided) return "Undecided whether there is a crossing.";
  std::size_t changes = 0;
  Verdict before = Verdict::inconclusive;
  for (const stats::Zone& zone : crossover.answer.zones) {
    if (!zone.has_winner() || zone.verdict == before) continue;
    if (before != Verdict::inconclusive) ++changes;
    before = zone.verdict;
  }
  return (changes > 1 ? "The order is not monotone: the winner changes " + counted(changes, "time") : "One crossing") +
         open;
}

// Upwards to a tenth of a per cent, as --margin reads it.
std::string margin_text(double margin) { return format_number(std::ceil(margin * 1000) / 10) + "%"; }

// Upwards to ten seconds or to a minute, as --budget reads it.
std::string budget_text(double seconds) {
  const bool short_one = seconds <= 100;
  return std::to_string(std::lround(std::ceil(seconds / (short_one ? 10 : 60)) * (short_one ? 10 : 1))) +
         (short_one ? "s" : "m");
}

std::string need_words(const Crossover& crossover) {
  if (!crossover.need) {
    return crossover.complete ? "" : "The search ended before it was done: a larger --budget narrows it down.";
  }
  const report::CrossoverNeed& need = *crossover.need;
  const std::size_t count = need.sizes.size();
  const std::string first = at(crossover, need.sizes.front());
  const std::string last = std::to_string(need.sizes.back());
  std::string text = "Undecided at " + (count == 1   ? first
                                        : count == 2 ? first + " and " + last
                                                     : counted(count, "size") + " from " + first + " to " + last);
  text += need.launches == 0 ? ": no number of launches is likely to decide"
                             : ": about " + counted(need.launches, "more launch") + " would decide (--budget " +
                                   budget_text(need.budget_seconds) + ")";
  if (need.margin > 0) {
    text += "; within --margin " + margin_text(need.margin) + " the two are equal there";
  }
  return text + ".";
}

Columns sizes_table(const Crossover& crossover) {
  Columns table = {right(crossover.axis), right(crossover.a), right(crossover.b),
                   left("ratio"),         right("launches"),  left("faster")};
  for (const CrossoverPoint& point : crossover.points) {
    const stats::Comparison& comparison = point.comparison;
    add_row(table,
            {std::to_string(point.size), format_estimate_ns(point.a_step_ns), format_estimate_ns(point.b_step_ns),
             format_ratio(comparison.ratio), std::to_string(comparison.ratio.launches), winner(crossover, point)});
  }
  return table;
}

std::vector<std::string> sentences_of(const Crossover& crossover) {
  std::vector<std::string> sentences;
  const auto add = [&](std::string sentence) {
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
  };
  add(headline(crossover));
  for (std::size_t i = 0; i < crossover.answer.zones.size(); ++i) {
    add(zone_words(crossover, i));
    add(gap_words(crossover, i));
  }
  add(need_words(crossover));
  return sentences;
}

std::string method_of(const Crossover& crossover) {
  return cat("ratio: time of a step, ", crossover.a, " over ", crossover.b, ", paired by launch, median with ",
             format_number(100 * crossover.confidence),
             "% interval over launches at every look; faster: all of it is beyond ", format_percent(crossover.margin),
             ", equal: all of it is within (--margin).");
}

Columns sides_table(const StepsCrossover& crossover) {
  Columns table = {left("implementation"), right("load", 1),     right("prepare", 1), right("first step", 1),
                   right("ready"),         right("steady step"), right("95%")};
  for (const report::StartCost& side : crossover.sides) {
    add_row(table, {side.implementation, format_duration_ns(side.load_seconds * 1e9),
                    format_duration_ns(side.prepare_seconds * 1e9), format_duration_ns(side.first_step_ns),
                    format_duration_ns(side.ready_ns), format_duration_ns(side.step_ns.value),
                    format_interval_ns(side.step_ns)});
  }
  return table;
}

std::string sentence_of(const StepsCrossover& crossover) {
  const stats::BreakEven& answer = crossover.answer;
  const std::string words = break_even_words(answer, crossover.sides[crossover.faster].implementation,
                                             crossover.sides[1 - crossover.faster].implementation);
  using enum stats::Overtaking;
  if (answer.overtaking == from_the_start || answer.overtaking == after || answer.overtaking == never)
    return words + ".";
  const bool is_undecided = answer.overtaking == undecided;
  const std::string interval =
      cat(": the interval is [", format_steps(answer.interval.low), ", ", format_steps(answer.interval.high), "]");
  return words + (is_undecided ? interval : "") + "; a greater --budget or a smaller --margin may decide.";
}

std::string method_of(const StepsCrossover& crossover) {
  return cat("Medians over ", counted(crossover.answer.launches, "launch"),
             ". ready: load, prepare without imports, and what the first step takes beyond a steady one; so many steps "
             "are counted from there, without the start of the process. In brackets the 95% interval over launches.");
}

}  // namespace

Document document_of(const Crossover& crossover) {
  Document document{.title = cat("gdbench crossover ", crossover.scenario, ": ", crossover.a, " and ", crossover.b,
                                 " over ", crossover.axis)};
  for (std::string& sentence : sentences_of(crossover)) document.answer.push_back({std::move(sentence)});
  if (crossover.points.empty()) return document;
  Blocks sizes;
  add_charts(crossover, sizes);
  sizes.table("", sizes_table(crossover)).paragraph(method_of(crossover));
  document.section(cat("Where is ", crossover.a, " faster than ", crossover.b, "?"), std::move(sizes));
  return document;
}

Document document_of(const StepsCrossover& crossover) {
  const std::string& a = crossover.sides[0].implementation;
  const std::string& b = crossover.sides[1].implementation;
  Document document{
      .title = cat("gdbench crossover ", crossover.scenario, ": ", a, " and ", b, " over the number of steps"),
      .answer = {{sentence_of(crossover)}}};
  Blocks steps;
  add_charts(crossover, steps);
  steps.table("", sides_table(crossover)).paragraph(method_of(crossover));
  document.section(cat("From how many steps on is which of ", a, " and ", b, " ahead?"), std::move(steps));
  return document;
}

}  // namespace gdbench::answers
