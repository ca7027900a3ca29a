#include "reports/render/ablation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "harness/base/text.h"
#include "reports/render/format.h"

namespace gdbench::render {

namespace {

using report::Ablation;
using report::AblationVariant;
using stats::Verdict;

std::string name_of(const AblationVariant& variant) {
  return variant.as_it_is() ? "as it is" : variant.everything_off ? "all off" : "without " + variant.without;
}

std::string signed_duration(double nanoseconds) {
  return (nanoseconds < 0 ? "-" : "+") + format_duration_ns(std::fabs(nanoseconds));
}

std::string difference_text(const stats::Estimate& difference) {
  return cat(signed_duration(difference.value), " [", signed_duration(difference.interval.low), ", ",
             signed_duration(difference.interval.high), "]");
}

std::vector<std::string> row_of(const AblationVariant& variant) {
  if (!variant.step_ns) return {name_of(variant), report::words_of(variant.status)};
  const bool compared = variant.comparison.has_value();
  return {name_of(variant),
          format_duration_ns(variant.step_ns->value),
          format_interval_ns(*variant.step_ns),
          compared             ? format_ratio(variant.comparison->ratio)
          : variant.as_it_is() ? "1"
                               : "-",
          variant.difference_ns ? difference_text(*variant.difference_ns) : "",
          compared ? stats::name_of(variant.comparison->verdict) : "",
          variant.fired ? format_number(*variant.fired) : ""};
}

// "Slower without: a, b."; empty where no part fits.
template <class Fits>
std::string parts_words(const Ablation& ablation, const std::string& words, const Fits& fits) {
  std::string parts;
  for (const AblationVariant& variant : ablation.variants) {
    if (!variant.without.empty() && fits(variant)) join(parts, variant.without);
  }
  return parts.empty() ? "" : words + ": " + parts + ".\n";
}

// What the measured parts do, a line each.
std::string descriptions(const Ablation& ablation) {
  std::string text;
  for (const AblationVariant& variant : ablation.variants) {
    if (variant.description.empty() || variant.had_no_effect()) continue;
    text += "  " + variant.without + ": " + variant.description + "\n";
  }
  return text.empty() ? "" : "What they do:\n" + text;
}

// Where launches are too few for any verdict but inconclusive.
std::string launches_words(const Ablation& ablation, int launches) {
  const int fewest = stats::min_launches(ablation.confidence);
  if (launches == 0 || launches >= fewest) return "";
  return "For verdicts on all of these at once there must be " + std::to_string(fewest) + " launches or more.\n";
}

}  // namespace

std::string ablation_table(const Ablation& ablation) {
  std::vector<std::vector<std::string>> rows;
  int launches = 0;
  for (const AblationVariant& variant : ablation.variants) {
    if (!variant.had_no_effect()) rows.push_back(row_of(variant));
    if (variant.step_ns) launches = std::max(launches, variant.step_ns->launches);
  }
  std::string text = ablation.scenario + "/" + ablation.implementation + ", impl." + ablation.option + "=" +
                     ablation.variants.front().value + "\n";
  text += text_table({{"variant", false},
                      {"time/step", true},
                      {"interval", true},
                      {"ratio", false},
                      {"difference", false},
                      {"verdict", false},
                      {"fired", true}},
                     rows);
  text += "\n";
  for (const auto& [verdict, words] :
       {std::pair(Verdict::slower, "Slower"), std::pair(Verdict::faster, "Faster"),
        std::pair(Verdict::equivalent, "No difference"), std::pair(Verdict::inconclusive, "Inconclusive")}) {
    text += parts_words(ablation, cat(words, " without"), [verdict = verdict](const AblationVariant& variant) {
      return variant.comparison && variant.comparison->verdict == verdict;
    });
  }
  text +=
      launches_words(ablation, launches) +
      parts_words(ablation, "No effect on this cell, so not measured", std::mem_fn(&AblationVariant::had_no_effect)) +
      descriptions(ablation);
  return text + "\nratio, difference: against the cell as it is, paired by round, median with " +
         format_number(100 * ablation.confidence) + "% interval (95% for all verdicts together) over " +
         counted(launches, "launch") + ". fired: how often the part had an effect, as the implementation says.\n";
}

}  // namespace gdbench::render
