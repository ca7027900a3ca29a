#include "reports/render/explanation.h"

#include <cmath>
#include <sstream>

#include "harness/base/text.h"
#include "reports/render/explanation_parts.h"
#include "reports/render/format.h"
#include "reports/render/ranking.h"
#include "reports/render/words.h"

namespace gdbench::render {

namespace {

using report::CellDifference;
using report::Explanation;

// Share of the whole that the parts may miss without a word.
constexpr double kSmallRest = 0.005;

// The overrides of a label that the other one does not have: "optimizer=adam"; the label where it has no others.
std::string own_overrides(const std::string& label, const std::string& other) {
  const std::string own = overrides_of(label);
  const std::string others = "," + overrides_of(other) + ",";
  std::vector<std::string> kept;
  std::istringstream list(own);
  for (std::string one; std::getline(list, one, ',');) {
    if (others.find("," + one + ",") == std::string::npos) kept.push_back(one);
  }
  return kept.empty() ? label : joined(kept, ",");
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

std::string verdict_line(const Explanation& explanation, const Names& names) {
  const stats::Comparison& comparison = explanation.whole.comparison;
  const std::string pairing = explanation.paired ? "paired by round" : "not measured side by side";
  const std::string rests_on = evidence(cat(names.a, " ", format_duration_ns(explanation.a_step_ns.value), ", ",
                                            names.b, " ", format_duration_ns(explanation.b_step_ns.value), "; ",
                                            counted(comparison.ratio.launches, "launch"), ", ", pairing));
  const std::string ratio = " takes " + format_ratio(comparison.ratio) + " the time of " + names.b;
  switch (comparison.verdict) {
    case stats::Verdict::faster:
    case stats::Verdict::slower:
      return "  " + names.a + " is " + stats::name_of(comparison.verdict) + ": it" + ratio + ", " +
             difference_words(explanation.whole.difference_ns, " per step") + "." + rests_on;
    case stats::Verdict::equivalent:
      return "  No difference: " + names.a + ratio + ", all of the interval within the margin." + rests_on;
    case stats::Verdict::inconclusive:
      break;
  }
  if (comparison.ratio.launches == 0) {
    return "  Not compared: " + comparison.remark + "." + evidence(names.a + ", " + names.b);
  }
  if (is_clear(comparison)) {
    return "  " + names.a + ratio + ", clear but not confirmed: " + comparison.remark + "." + rests_on;
  }
  return "  No difference can be told: " + names.a + ratio + "; " + comparison.remark + "." + rests_on;
}

std::string value_words(const std::string& value) { return value.empty() ? "none" : value; }

std::string without_quotes(const std::string& json) {
  return json.size() > 1 && json.front() == '"' ? json.substr(1, json.size() - 2) : json;
}

// The keys of two scenarios that differ.
std::string differing_words(const Explanation& explanation, const Names& names) {
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
  std::string text = "\n  The scenarios differ in " + (both.empty() ? "what only one of them has" : both);
  if (!only_a.empty()) text += "; " + names.a + " alone has " + only_a;
  if (!only_b.empty()) text += "; " + names.b + " alone has " + only_b;
  return text + "; all else is the same." + evidence(explanation.scenario + ", " + explanation.b_scenario);
}

// What a training did: "133 steps, 31.9 ms", "not within 5000 steps".
std::string run_words(const report::TargetRun& run, double step_ns) {
  if (run.state != report::TargetState::reached) {
    return "not within " + std::to_string(run.stopped_after) + " steps (" + report::name_of(run.state) + ")";
  }
  return std::to_string(run.steps) + " steps, " + format_duration_ns(static_cast<double>(run.steps) * step_ns);
}

std::string target_words(const Explanation& explanation, const Names& names) {
  if (!explanation.target) return "";
  const report::TargetDifference& target = *explanation.target;
  std::string text = "\n  From being ready to a loss of " + format_number(target.a.target_loss) + ": " + names.a + " " +
                     run_words(target.a, explanation.a_step_ns.value) + "; " + names.b + " " +
                     run_words(target.b, explanation.b_step_ns.value);
  if (target.a.target_loss != target.b.target_loss) {
    text += " to its own of " + format_number(target.b.target_loss);
  }
  if (!target.time) return text + "." + evidence(names.a + ", " + names.b);
  const stats::Comparison& comparison = target.time->comparison;
  const bool told = comparison.verdict == stats::Verdict::faster || comparison.verdict == stats::Verdict::slower;
  text += ". " + names.a + (told ? std::string(" is ") + stats::name_of(comparison.verdict) + " there: it" : "") +
          " takes " + format_ratio(comparison.ratio) + " the time of " + names.b;
  if (told) text += ", " + difference_words(target.time->difference_ns, "");
  if (comparison.verdict == stats::Verdict::equivalent) text += ": no difference";
  if (!comparison.remark.empty()) text += "; " + comparison.remark;
  return text + "." + evidence("steps x time of a step; another learning rate may change the steps");
}

// A part beyond the whole, which another one makes up for, is no share of it.
std::string share_words(double share) {
  return std::abs(share) <= 1 ? format_percent(share) + " of the difference, " : "";
}

std::string part_line(const Explanation& explanation, const Names& names, const report::AxisPart& part) {
  const CellDifference& difference = part.difference;
  std::string text =
      "    " + part.axis + " (" + value_words(part.value) + " instead of " + value_words(part.base_value) + "): ";
  switch (difference.comparison.verdict) {
    case stats::Verdict::faster:
    case stats::Verdict::slower:
      text += share_words(difference.difference_ns.value / explanation.whole.difference_ns.value) +
              difference_words(difference.difference_ns, "");
      break;
    case stats::Verdict::equivalent:
      text += "no difference, " + format_ratio(difference.comparison.ratio);
      break;
    case stats::Verdict::inconclusive:
      text += "not told, " + difference.comparison.remark;
      break;
  }
  return text + "." + evidence(names.of(explanation, difference.cell) + " - " + names.of(explanation, difference.base));
}

std::string axes_words(const Explanation& explanation, const Names& names) {
  std::string text;
  for (const report::AxisPath& path : explanation.paths) {
    if (path.parts.size() == 1) {
      const report::AxisPart& part = path.parts.front();
      return "\n  They differ in the " + part.axis + " alone: " + value_words(part.value) + " instead of " +
             value_words(part.base_value) + "." + evidence(names.a + ", " + names.b);
    }
    const bool over_a_row = path.parts.front().axis == report::kWholeImplementation;
    text += over_a_row ? "\n  No profile divides it; a row between the two does:\n" : "\n  One axis after the other:\n";
    for (const report::AxisPart& part : path.parts) text += part_line(explanation, names, part);
    if (std::abs(path.rest_ns) < kSmallRest * std::abs(explanation.whole.difference_ns.value)) continue;
    text += "    The parts miss the whole by " + format_duration_ns(std::abs(path.rest_ns)) +
            ", as medians do not add up exactly." + evidence(names.a + " - " + names.b);
  }
  return text;
}

std::string advice_words(const Explanation& explanation, const Names& names) {
  if (!explanation.advice) return "";
  const report::Advice& advice = *explanation.advice;
  const std::string cell = names.of(explanation, advice.cell);
  const std::string& other = advice.cell == explanation.a ? names.b : names.a;
  const std::string change =
      advice.remedy == report::Remedy::axis
          ? "the " + advice.subject + " " + value_words(advice.value)
          : (advice.subject == "unattributed" ? "what no phase claims" : advice.subject) + " as in " + other;
  return "\n  What would help " + cell + " most: " + change + ", which saves about " +
         format_duration_ns(advice.saving_ns) + ", " + format_percent(advice.share) + " of its step." +
         evidence(cell + ", " + other);
}

std::string scripts_words(const Explanation& explanation, const Names& names) {
  const auto line = [](const std::optional<report::ScriptTime>& script, const std::string& cell) {
    if (!script) return std::string();
    std::string words = script_words(*script, cell);
    words.front() = 'I';
    return "\n  " + words + "." + evidence(cell);
  };
  return line(explanation.a_script, names.a) + line(explanation.b_script, names.b);
}

std::string shares_of_ceilings(const Explanation& explanation, const Names& names) {
  if (!explanation.a_ceiling || !explanation.b_ceiling) return "";
  const auto line = [](const std::string& cell, const report::CeilingShare& ceiling) {
    const bool bytes = ceiling.bound_by == report::BoundBy::bytes;
    return "    " + cell + " reaches " + format_percent(ceiling.share) + " of its ceiling, bound by " +
           report::name_of(ceiling.bound_by) + (bytes ? " from " + ceiling.level : std::string()) + " (floor " +
           format_duration_ns(ceiling.floor_ns) + ")" + (ceiling.failed ? ", so that ceiling is wrong" : "") + "." +
           evidence(cell);
  };
  return "\n  Beside the machine's ceilings:\n" + line(names.a, *explanation.a_ceiling) +
         line(names.b, *explanation.b_ceiling);
}

std::string break_even_words(const Explanation& explanation, const Names& names) {
  const report::BreakEvenRecord& record = explanation.start->break_even;
  const std::string cell = names.of(explanation, record.cell);
  const std::string other = names.of(explanation, record.other);
  const stats::BreakEven& result = record.result;
  const std::string rests_on = evidence(cell + ", " + other + "; " + counted(result.launches, "launch"));
  const auto whole = [](double steps) { return format_number(std::ceil(steps)); };
  switch (result.overtaking) {
    case stats::Overtaking::from_the_start:
      return "    " + cell + " is ahead from the first step on." + rests_on;
    case stats::Overtaking::after:
      return cat("    ", cell, " is ahead after ", whole(result.steps), " steps (95%: ", whole(result.interval.low),
                 " to ", whole(result.interval.high), ").", rests_on);
    case stats::Overtaking::never:
      return "    " + cell + " never gets ahead." + rests_on;
    case stats::Overtaking::at_latest:
      return cat("    ", cell, " is ahead after at most ", whole(result.interval.high),
                 " steps; which is ready sooner is not told.", rests_on);
    case stats::Overtaking::at_earliest:
      return cat("    ", cell, " is ahead after at least ", whole(result.interval.low),
                 " steps: its gain per step may be next to nothing.", rests_on);
    case stats::Overtaking::undecided:
      break;
  }
  return "    From how many steps on " + cell + " is ahead is not told by these launches." + rests_on;
}

std::string import_words(const std::string& cell, const std::optional<double>& import_ns) {
  if (!import_ns) return "";
  return "    Of preparing, " + cell + " spends " + format_duration_ns(*import_ns) + " on loading its framework." +
         evidence(cell);
}

std::string start_words(const Explanation& explanation, const Names& names) {
  if (!explanation.start) return "";
  const report::StartDifference& start = *explanation.start;
  const auto pair = [](const char* what, double a_ns, double b_ns) {
    return std::string(what) + " " + format_duration_ns(a_ns) + " beside " + format_duration_ns(b_ns);
  };
  return "\n  Before the steady steps:\n    " + pair("load", start.a_load_ns, start.b_load_ns) + ", " +
         pair("prepare", start.a_prepare_ns, start.b_prepare_ns) + ", " +
         pair("first step", start.a_first_step_ns, start.b_first_step_ns) + "." + evidence(names.a + ", " + names.b) +
         import_words(names.a, start.a_import_ns) + import_words(names.b, start.b_import_ns) +
         break_even_words(explanation, names);
}

std::string verdict_words(const Explanation& explanation, const Names& names) {
  return verdict_line(explanation, names) +
         (explanation.across_scenarios() ? differing_words(explanation, names) : "") + target_words(explanation, names);
}

// The lines of a text, without what they are indented by; empty ones are left out.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream list(text);
  for (std::string line; std::getline(list, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos) lines.push_back(line.substr(first));
  }
  return lines;
}

}  // namespace

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

std::string short_id(const std::string& label, const std::string& id) {
  const std::string prefix = label + "/";
  return id.starts_with(prefix) ? id.substr(prefix.size()) : id;
}

std::string overrides_of(const std::string& label) {
  const std::size_t bracket = label.rfind('[');
  return bracket == std::string::npos ? "" : label.substr(bracket + 1, label.size() - bracket - 2);
}

ExplanationParts explanation_parts(const Explanation& explanation) {
  const Names names = names_of(explanation);
  ExplanationParts parts;
  parts.verdict = lines_of(verdict_words(explanation, names));
  parts.scripts = lines_of(scripts_words(explanation, names));
  if (!explanation.differs()) return parts;
  parts.calls = lines_of(calls_words(explanation, names));
  parts.ops = lines_of(largest_ops_words(explanation, names));
  if (explanation.profiles) parts.phases = lines_of(phases_evidence(explanation, names));
  parts.axes = lines_of(axes_words(explanation, names));
  parts.ceilings = lines_of(shares_of_ceilings(explanation, names));
  parts.start = lines_of(start_words(explanation, names));
  parts.advice = lines_of(advice_words(explanation, names));
  return parts;
}

std::string explanation_words(const Explanation& explanation, int width) {
  const Names names = names_of(explanation);
  std::string text =
      wrapped(names.heading + ": " + names.a + " beside " + names.b + "\n" + verdict_words(explanation, names), width);
  if (explanation.differs()) {
    text += wrapped(calls_words(explanation, names), width) + phases_words(explanation, names, width) +
            wrapped(largest_ops_words(explanation, names) + axes_words(explanation, names) +
                        shares_of_ceilings(explanation, names) + start_words(explanation, names) +
                        advice_words(explanation, names),
                    width);
  }
  return text + wrapped(scripts_words(explanation, names), width) + missing_words(explanation, names, width);
}

}  // namespace gdbench::render
