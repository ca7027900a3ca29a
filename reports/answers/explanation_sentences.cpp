#include "reports/answers/explanation_sentences.h"

#include <algorithm>
#include <cmath>

#include "harness/base/text.h"
#include "reports/answers/attribution.h"
#include "reports/answers/format.h"
#include "reports/answers/labels.h"
#include "reports/answers/ranking.h"
#include "reports/answers/words.h"

namespace gdbench::answers {

namespace {

using report::Explanation;

// Share of the whole that the parts may miss without a word.
constexpr double kSmallRest = 0.005;

// The overrides of a label that the other one does not have: "optimizer=adam"; the label where it has no others.
std::string own_overrides(const std::string& label, const std::string& other) {
  std::vector<std::string> own = overrides_of(label);
  const std::vector<std::string> others = overrides_of(other);
  std::erase_if(own, [&](const std::string& one) { return std::ranges::find(others, one) != others.end(); });
  return own.empty() ? label : joined(own, ",");
}

// "12 ns [11, 13] more per step".
std::string difference_words(stats::Estimate difference_ns, const std::string& what) {
  const bool less = difference_ns.value < 0;
  if (less) {
    difference_ns.value = -difference_ns.value;
    difference_ns.interval = {-difference_ns.interval.high, -difference_ns.interval.low};
  }
  return format_estimate_ns(difference_ns) + (less ? " less" : " more") + what;
}

void add_verdict(const Explanation& explanation, const Names& names, Sentences& sentences) {
  const stats::Comparison& comparison = explanation.whole.comparison;
  const std::string evidence =
      cat(names.a, " ", format_duration_ns(explanation.a_step_ns.value), ", ", names.b, " ",
          format_duration_ns(explanation.b_step_ns.value), "; ", counted(comparison.ratio.launches, "launch"), ", ",
          explanation.paired ? "paired by round" : "not measured side by side");
  const std::string ratio = " takes " + format_ratio(comparison.ratio) + " the time of " + names.b;
  switch (comparison.verdict) {
    case stats::Verdict::faster:
    case stats::Verdict::slower:
      return add_sentence(sentences,
                          cat(names.a, " is ", stats::name_of(comparison.verdict), ": it", ratio, ", ",
                              difference_words(explanation.whole.difference_ns, " per step"), "."),
                          evidence);
    case stats::Verdict::equivalent:
      return add_sentence(sentences, "No difference: " + names.a + ratio + ", all of the interval within the margin.",
                          evidence);
    case stats::Verdict::inconclusive:
      break;
  }
  if (comparison.ratio.launches == 0) {
    return add_sentence(sentences, "Not compared: " + comparison.remark + ".", names.both());
  }
  if (is_clear(comparison)) {
    return add_sentence(sentences, names.a + ratio + ", clear but not confirmed: " + comparison.remark + ".", evidence);
  }
  add_sentence(sentences, "No difference is proven: " + names.a + ratio + "; " + comparison.remark + ".", evidence);
}

std::string value_words(const std::string& value) { return value.empty() ? "none" : value; }

std::string without_quotes(const std::string& json) {
  return json.size() > 1 && json.front() == '"' ? json.substr(1, json.size() - 2) : json;
}

// The keys of two scenarios that differ.
void add_differing(const Explanation& explanation, const Names& names, Sentences& sentences) {
  std::string both;
  std::string only_a;
  std::string only_b;
  for (const report::KeyDifference& key : explanation.differing) {
    if (!key.a.empty() && !key.b.empty()) {
      join(both, key.key + " (" + without_quotes(key.a) + " instead of " + without_quotes(key.b) + ")");
    } else {
      join(key.b.empty() ? only_a : only_b, key.key + "=" + without_quotes(key.a + key.b));
    }
  }
  std::string text = "The scenarios differ in " + (both.empty() ? "what only one of them has" : both);
  if (!only_a.empty()) text += "; " + names.a + " alone has " + only_a;
  if (!only_b.empty()) text += "; " + names.b + " alone has " + only_b;
  add_sentence(sentences, text + "; all else is the same.", explanation.scenario + ", " + explanation.b_scenario);
}

// What a training did: "133 steps, 31.9 ms", "not within 5000 steps".
std::string run_words(const report::TargetRun& run, double step_ns) {
  if (run.state != report::TargetState::reached) {
    return "not within " + std::to_string(run.stopped_after) + " steps (" + report::name_of(run.state) + ")";
  }
  return std::to_string(run.steps) + " steps, " + format_duration_ns(static_cast<double>(run.steps) * step_ns);
}

void add_target(const Explanation& explanation, const Names& names, Sentences& sentences) {
  if (!explanation.target) return;
  const report::TargetDifference& target = *explanation.target;
  std::string text = "From being ready to a loss of " + format_number(target.a.target_loss) + ": " + names.a + " " +
                     run_words(target.a, explanation.a_step_ns.value) + "; " + names.b + " " +
                     run_words(target.b, explanation.b_step_ns.value);
  if (target.a.target_loss != target.b.target_loss) {
    text += " to its own of " + format_number(target.b.target_loss);
  }
  if (!target.time) return add_sentence(sentences, text + ".", names.both());
  const stats::Comparison& comparison = target.time->comparison;
  const bool decided = comparison.verdict == stats::Verdict::faster || comparison.verdict == stats::Verdict::slower;
  text += ". " + names.a + (decided ? std::string(" is ") + stats::name_of(comparison.verdict) + " there: it" : "") +
          " takes " + format_ratio(comparison.ratio) + " the time of " + names.b;
  if (decided) text += ", " + difference_words(target.time->difference_ns, "");
  if (comparison.verdict == stats::Verdict::equivalent) text += ": no difference";
  if (!comparison.remark.empty()) text += "; " + comparison.remark;
  add_sentence(sentences, text + ".", "steps x time of a step; another learning rate may change the steps");
}

// A part beyond the whole, which another one makes up for, is no share of it.
std::string share_words(double share) {
  return std::abs(share) <= 1 ? format_percent(share) + " of the difference, " : "";
}

std::string part_words(const Explanation& explanation, const report::AxisPart& part) {
  const report::CellDifference& difference = part.difference;
  const std::string text =
      part.axis + " (" + value_words(part.value) + " instead of " + value_words(part.base_value) + "): ";
  switch (difference.comparison.verdict) {
    case stats::Verdict::faster:
    case stats::Verdict::slower:
      return text + share_words(difference.difference_ns.value / explanation.whole.difference_ns.value) +
             difference_words(difference.difference_ns, "") + ".";
    case stats::Verdict::equivalent:
      return text + "no difference, " + format_ratio(difference.comparison.ratio) + ".";
    case stats::Verdict::inconclusive:
      break;
  }
  return text + "undecided, " + difference.comparison.remark + ".";
}

}  // namespace

void add_sentence(Sentences& sentences, const std::string& words, const std::string& evidence) {
  if (!words.empty()) sentences.push_back(words + " [" + evidence + "]");
}

std::string Names::of(const Explanation& explanation, const std::string& id) const {
  if (id == explanation.a) return a;
  if (id == explanation.b) return b;
  return short_id(explanation.scenario, id);
}

Names names_of(const Explanation& explanation) {
  const std::string a = short_id(explanation.scenario, explanation.a);
  const std::string b = short_id(explanation.b_scenario, explanation.b);
  if (!explanation.across_scenarios()) return {explanation.scenario, a, b};
  const std::string of_a = own_overrides(explanation.scenario, explanation.b_scenario);
  const std::string of_b = own_overrides(explanation.b_scenario, explanation.scenario);
  const std::string scenario = explanation.scenario.substr(0, explanation.scenario.find('['));
  if (a == b) return {scenario + "/" + a, of_a, of_b};
  return {scenario, of_a + "/" + a, of_b + "/" + b};
}

Sentences verdict_sentences(const Explanation& explanation, const Names& names) {
  Sentences sentences;
  add_verdict(explanation, names, sentences);
  if (explanation.across_scenarios()) add_differing(explanation, names, sentences);
  add_target(explanation, names, sentences);
  return sentences;
}

Sentences path_sentences(const Explanation& explanation, const Names& names, const report::AxisPath& path) {
  Sentences sentences;
  for (const report::AxisPart& part : path.parts) {
    const report::CellDifference& difference = part.difference;
    if (path.parts.size() == 1) {
      add_sentence(sentences,
                   "The " + part.axis + " alone: " + value_words(part.value) + " instead of " +
                       value_words(part.base_value) + ".",
                   names.both());
      return sentences;
    }
    add_sentence(sentences, part_words(explanation, part),
                 names.of(explanation, difference.cell) + " - " + names.of(explanation, difference.base));
  }
  if (std::abs(path.rest_ns) >= kSmallRest * std::abs(explanation.whole.difference_ns.value)) {
    add_sentence(sentences,
                 "The parts miss the whole by " + format_duration_ns(std::abs(path.rest_ns)) +
                     ", as medians do not add up exactly.",
                 names.a + " - " + names.b);
  }
  return sentences;
}

Sentences ceiling_sentences(const Explanation& explanation, const Names& names) {
  Sentences sentences;
  if (!explanation.a_ceiling || !explanation.b_ceiling) return sentences;
  const auto add = [&](const std::string& cell, const report::CeilingShare& ceiling) {
    const bool bytes = ceiling.bound_by == report::BoundBy::bytes;
    add_sentence(sentences,
                 cell + " reaches " + format_percent(ceiling.share) + " of its ceiling, bound by " +
                     report::name_of(ceiling.bound_by) + (bytes ? " from " + ceiling.level : std::string()) +
                     " (floor " + format_duration_ns(ceiling.floor_ns) + ")" +
                     (ceiling.failed ? ", so that ceiling is wrong" : "") + ".",
                 cell);
  };
  add(names.a, *explanation.a_ceiling);
  add(names.b, *explanation.b_ceiling);
  return sentences;
}

Sentences start_sentences(const Explanation& explanation, const Names& names) {
  Sentences sentences;
  if (!explanation.start) return sentences;
  const report::StartDifference& start = *explanation.start;
  const auto pair = [](const char* what, double a_ns, double b_ns) {
    return std::string(what) + " " + format_duration_ns(a_ns) + " against " + format_duration_ns(b_ns);
  };
  std::string once = pair("load", start.a_load_ns, start.b_load_ns) + ", " +
                     pair("prepare", start.a_prepare_ns, start.b_prepare_ns) + ", " +
                     pair("first step", start.a_first_step_ns, start.b_first_step_ns) + ".";
  once.front() = 'L';
  add_sentence(sentences, once, names.both());
  const auto add_import = [&](const std::string& cell, const std::optional<double>& import_ns) {
    if (!import_ns) return;
    add_sentence(sentences,
                 "Of preparing, " + cell + " spends " + format_duration_ns(*import_ns) + " on loading its framework.",
                 cell);
  };
  add_import(names.a, start.a_import_ns);
  add_import(names.b, start.b_import_ns);
  const report::BreakEvenRecord& record = start.break_even;
  const std::string cell = names.of(explanation, record.cell);
  const std::string other = names.of(explanation, record.other);
  add_sentence(sentences, break_even_words(record.result, cell, other) + ".",
               cell + ", " + other + "; " + counted(record.result.launches, "launch"));
  return sentences;
}

Sentences advice_sentences(const Explanation& explanation, const Names& names) {
  Sentences sentences;
  if (!explanation.advice) return sentences;
  const report::Advice& advice = *explanation.advice;
  const std::string cell = names.of(explanation, advice.cell);
  const std::string& other = advice.cell == explanation.a ? names.b : names.a;
  const std::string change =
      advice.remedy == report::Remedy::axis
          ? "the " + advice.subject + " " + value_words(advice.value)
          : (advice.subject == "unattributed" ? "what no phase claims" : advice.subject) + " as in " + other;
  add_sentence(sentences,
               cell + ": " + change + ", which saves about " + format_duration_ns(advice.saving_ns) + ", " +
                   format_percent(advice.share) + " of its step.",
               cell + ", " + other);
  return sentences;
}

Sentences script_sentences(const Explanation& explanation, const Names& names) {
  Sentences sentences;
  const auto add = [&](const std::optional<report::ScriptTime>& script, const std::string& cell) {
    if (!script) return;
    std::string words = script_words(*script, cell);
    words.front() = 'I';
    add_sentence(sentences, words + ".", cell);
  };
  add(explanation.a_script, names.a);
  add(explanation.b_script, names.b);
  return sentences;
}

}  // namespace gdbench::answers
