#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "harness/base/text.h"
#include "reports/answers/documents.h"
#include "reports/answers/forest.h"
#include "reports/answers/format.h"

namespace gdbench::answers {

namespace {

using report::Ablation;
using report::AblationVariant;
using stats::Verdict;

std::string signed_duration(double nanoseconds) {
  return (nanoseconds < 0 ? "-" : "+") + format_duration_ns(std::fabs(nanoseconds));
}

std::string difference_text(const stats::Estimate& difference) {
  return cat(signed_duration(difference.value), " [", signed_duration(difference.interval.low), ", ",
             signed_duration(difference.interval.high), "]");
}

// "as it is", "without fusion", "all off".
std::string variant_name(const AblationVariant& variant) {
  return variant.as_it_is() ? "as it is" : variant.everything_off ? "all off" : "without " + variant.without;
}

// A row per variant, but for those that had nothing to lose. What has no time has its reason instead of a verdict.
Columns variants_table(const Ablation& ablation) {
  Columns table = {left("variant"),       right("time/step"), right("interval"), left("ratio"),
                   left("difference", 1), right("fired", 2),  left("verdict")};
  for (const AblationVariant& variant : ablation.variants) {
    if (variant.had_no_effect()) continue;
    const bool timed = variant.step_ns.has_value();
    const bool compared = variant.comparison.has_value();
    add_row(table, {variant_name(variant), timed ? format_duration_ns(variant.step_ns->value) : "-",
                    timed ? format_interval_ns(*variant.step_ns) : "-",
                    compared                      ? format_ratio(variant.comparison->ratio)
                    : timed && variant.as_it_is() ? "1"
                                                  : "-",
                    variant.difference_ns ? difference_text(*variant.difference_ns) : "-",
                    variant.fired ? format_number(*variant.fired) : "-",
                    !timed     ? report::words_of(variant.status)
                    : compared ? stats::name_of(variant.comparison->verdict)
                               : ""});
  }
  return table;
}

document::Look look_of(const AblationVariant& variant) {
  if (!variant.comparison) return variant.step_ns ? kOpen : kFailed;
  const Verdict verdict = variant.comparison->verdict;
  return verdict == Verdict::slower       ? kWorse
         : verdict == Verdict::faster     ? kBetter
         : verdict == Verdict::equivalent ? kAlike
                                          : kOpen;
}

document::BarRow bar_of(const AblationVariant& variant) {
  document::BarRow row{.label = variant_name(variant), .look = look_of(variant)};
  if (variant.comparison) {
    const stats::Estimate& ratio = variant.comparison->ratio;
    row.measures = {{.value = ratio.value, .interval = ratio.interval}};
    row.word = stats::name_of(variant.comparison->verdict);
    row.figure = format_ratio(ratio);
  } else {
    row.word = variant.step_ns ? "not compared" : report::name_of(variant.status.state);
  }
  return row;
}

void add_ratios(const Ablation& ablation, Blocks& blocks) {
  document::Rows rows = forest_of("times the cell as it is", stats::VerdictOptions{}.margin);
  for (const AblationVariant& variant : ablation.variants) {
    if (!variant.as_it_is() && !variant.had_no_effect()) rows.rows.push_back(bar_of(variant));
  }
  if (rows.rows.empty()) return;
  blocks.figure({.title = "Time per step without a part over that of the cell as it is",
                 .sentence = cat(kForestWords,
                                 " Where a step is slower without a part, that is what the part is worth. Grey is the "
                                 "margin, within which it does not matter."),
                 .chart = std::move(rows)});
}

int launches_of(const Ablation& ablation) {
  int launches = 0;
  for (const AblationVariant& variant : ablation.variants) {
    if (!variant.had_no_effect() && variant.step_ns) launches = std::max(launches, variant.step_ns->launches);
  }
  return launches;
}

// "Slower without: a, b.", unless no part fits.
template <class Fits>
void add_parts(const Ablation& ablation, const std::string& words, const Fits& fits,
               std::vector<std::string>& sentences) {
  std::string parts;
  for (const AblationVariant& variant : ablation.variants) {
    if (!variant.without.empty() && fits(variant)) join(parts, variant.without);
  }
  if (!parts.empty()) sentences.push_back(words + ": " + parts + ".");
}

// What the verdicts add up to.
std::vector<std::string> ablation_sentences(const Ablation& ablation) {
  std::vector<std::string> sentences;
  for (const auto& [verdict, words] :
       {std::pair(Verdict::slower, "Slower"), std::pair(Verdict::faster, "Faster"),
        std::pair(Verdict::equivalent, "No difference"), std::pair(Verdict::inconclusive, "Inconclusive")}) {
    const auto fits = [verdict = verdict](const AblationVariant& variant) {
      return variant.comparison && variant.comparison->verdict == verdict;
    };
    add_parts(ablation, cat(words, " without"), fits, sentences);
  }
  // With too few launches for any verdict but inconclusive.
  const int launches = launches_of(ablation);
  const int fewest = stats::min_launches(ablation.confidence);
  if (launches > 0 && launches < fewest) {
    sentences.push_back(
        cat("For verdicts on all of these at once there must be ", std::to_string(fewest), " launches or more."));
  }
  add_parts(ablation, "No effect on this cell, so not measured", std::mem_fn(&AblationVariant::had_no_effect),
            sentences);
  return sentences;
}

// "fusion: what it does", of each part that was measured and says so.
std::vector<std::string> part_descriptions(const Ablation& ablation) {
  std::vector<std::string> descriptions;
  for (const AblationVariant& variant : ablation.variants) {
    if (variant.description.empty() || variant.had_no_effect()) continue;
    descriptions.push_back(variant.without + ": " + variant.description);
  }
  return descriptions;
}

}  // namespace

Document document_of(const Ablation& ablation) {
  Document document{.title = cat("gdbench ablate: ", ablation.scenario, "/", ablation.implementation, ", impl.",
                                 ablation.option, "=", ablation.variants.front().value)};
  for (const std::string& sentence : ablation_sentences(ablation)) document.answer.push_back({sentence});
  if (document.answer.empty())
    document.answer.push_back({"No part could be compared with the cell as it is.", Style::unsure});
  Blocks worth;
  add_ratios(ablation, worth);
  worth.table("", variants_table(ablation));
  worth.paragraph(cat("ratio, difference: against the cell as it is, paired by round, median with ",
                      format_number(100 * ablation.confidence), "% interval (95% for all verdicts together) over ",
                      counted(launches_of(ablation), "launch"),
                      ". fired: how often the part had an effect, as the implementation says."));
  document.section("What each part is worth", std::move(worth));
  document.section("What they do", Blocks().list(part_descriptions(ablation)));
  return document;
}

}  // namespace gdbench::answers
