#include "reports/render/ablation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "harness/base/text.h"
#include "reports/render/format.h"

namespace gdbench::render {

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

std::vector<std::string> row_of(const AblationVariant& variant) {
  if (!variant.step_ns) return {variant_name(variant), report::words_of(variant.status)};
  const bool compared = variant.comparison.has_value();
  return {variant_name(variant),
          format_duration_ns(variant.step_ns->value),
          format_interval_ns(*variant.step_ns),
          compared             ? format_ratio(variant.comparison->ratio)
          : variant.as_it_is() ? "1"
                               : "-",
          variant.difference_ns ? difference_text(*variant.difference_ns) : "",
          compared ? stats::name_of(variant.comparison->verdict) : "",
          variant.fired ? format_number(*variant.fired) : ""};
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

}  // namespace

std::string ablation_subject(const Ablation& ablation) {
  return cat(ablation.scenario, "/", ablation.implementation, ", impl.", ablation.option, "=",
             ablation.variants.front().value);
}

std::string variant_name(const AblationVariant& variant) {
  return variant.as_it_is() ? "as it is" : variant.everything_off ? "all off" : "without " + variant.without;
}

PlainTable variants_table(const Ablation& ablation) {
  PlainTable table{.columns = {{"variant"},
                               {"time/step", true},
                               {"interval", true},
                               {"ratio"},
                               {"difference"},
                               {"verdict"},
                               {"fired", true}},
                   .rows = {}};
  for (const AblationVariant& variant : ablation.variants) {
    if (!variant.had_no_effect()) table.rows.push_back(row_of(variant));
  }
  return table;
}

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

std::vector<std::string> part_descriptions(const Ablation& ablation) {
  std::vector<std::string> descriptions;
  for (const AblationVariant& variant : ablation.variants) {
    if (variant.description.empty() || variant.had_no_effect()) continue;
    descriptions.push_back(variant.without + ": " + variant.description);
  }
  return descriptions;
}

std::string ablation_legend(const Ablation& ablation) {
  return cat("ratio, difference: against the cell as it is, paired by round, median with ",
             format_number(100 * ablation.confidence), "% interval (95% for all verdicts together) over ",
             counted(launches_of(ablation), "launch"),
             ". fired: how often the part had an effect, as the implementation says.");
}

std::string ablation_table(const Ablation& ablation) {
  std::string text = ablation_subject(ablation) + "\n" + text_table(variants_table(ablation)) + "\n";
  for (const std::string& sentence : ablation_sentences(ablation)) text += sentence + "\n";
  const std::vector<std::string> descriptions = part_descriptions(ablation);
  if (!descriptions.empty()) text += "What they do:\n";
  for (const std::string& description : descriptions) text += "  " + description + "\n";
  return text + "\n" + ablation_legend(ablation) + "\n";
}

}  // namespace gdbench::render
