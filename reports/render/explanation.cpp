#include "reports/render/explanation.h"

#include <algorithm>
#include <cmath>

#include "reports/render/format.h"
#include "reports/render/render.h"

namespace gdbench::render {

namespace {

using result::Explanation;
using result::OpPart;
using result::PairedDifference;
using result::PhasePart;
using result::Standing;

// Ops that are shown beneath a phase.
constexpr std::size_t kMostOps = 5;

// Share of the whole that the parts may miss without a word.
constexpr double kSmallRest = 0.005;

// A cell's id without the scenario, which is the heading.
std::string short_id(const Explanation& explanation, const std::string& id) {
  const std::string prefix = explanation.scenario + "/";
  return id.starts_with(prefix) ? id.substr(prefix.size()) : id;
}

std::string evidence(const std::string& text) { return " [" + text + "]\n"; }

// "12 ns more", "3 ns less".
std::string more_or_less(double difference_ns) {
  return format_duration_ns(std::abs(difference_ns)) + (difference_ns < 0 ? " less" : " more");
}

// "12 ns more (95%: 11 ns to 13 ns)"; limits of the other sign keep it.
std::string difference_words(const stats::Estimate& difference_ns) {
  const double sign = difference_ns.value < 0 ? -1 : 1;
  const double first = sign * difference_ns.interval.low;
  const double second = sign * difference_ns.interval.high;
  return more_or_less(difference_ns.value) + " per step (95%: " + format_duration_ns(std::min(first, second)) + " to " +
         format_duration_ns(std::max(first, second)) + ")";
}

std::string launches_words(int launches) {
  return std::to_string(launches) + (launches == 1 ? " launch" : " launches");
}

std::string verdict_line(const Explanation& explanation, const std::string& a, const std::string& b) {
  const stats::Comparison& comparison = explanation.whole.comparison;
  const std::string rests_on = evidence(a + " " + format_duration_ns(explanation.a_step_ns.value) + ", " + b + " " +
                                        format_duration_ns(explanation.b_step_ns.value) + "; " +
                                        launches_words(comparison.ratio.launches) + ", paired by round");
  const std::string ratio = " takes " + format_ratio(comparison.ratio) + " the time of " + b;
  switch (comparison.verdict) {
    case stats::Verdict::faster:
    case stats::Verdict::slower:
      return "  " + a + " is " + stats::name_of(comparison.verdict) + ": it" + ratio + ", " +
             difference_words(explanation.whole.difference_ns) + "." + rests_on;
    case stats::Verdict::equivalent:
      return "  No difference: " + a + ratio + ", all of the interval within the margin." + rests_on;
    case stats::Verdict::inconclusive:
      break;
  }
  if (comparison.ratio.launches == 0) return "  Not compared: " + comparison.remark + "." + evidence(a + ", " + b);
  return "  No difference can be told: " + a + ratio + "; " + comparison.remark + "." + rests_on;
}

std::string value_words(const std::string& value) { return value.empty() ? "none" : value; }

std::string part_line(const Explanation& explanation, const result::AxisPart& part) {
  const PairedDifference& difference = part.difference;
  std::string text =
      "    " + part.axis + " (" + value_words(part.value) + " instead of " + value_words(part.base_value) + "): ";
  switch (difference.comparison.verdict) {
    case stats::Verdict::faster:
    case stats::Verdict::slower:
      text += difference_words(difference.difference_ns);
      break;
    case stats::Verdict::equivalent:
      text += "no difference, " + format_ratio(difference.comparison.ratio);
      break;
    case stats::Verdict::inconclusive:
      text += "not told, " + difference.comparison.remark;
      break;
  }
  return text + "." + evidence(short_id(explanation, difference.cell) + " - " + short_id(explanation, difference.base));
}

std::string axes_words(const Explanation& explanation) {
  std::string text;
  for (const result::AxisPath& path : explanation.paths) {
    if (path.parts.size() == 1) {
      const result::AxisPart& part = path.parts.front();
      return "\n  They differ in the " + part.axis + " alone: " + value_words(part.value) + " instead of " +
             value_words(part.base_value) + "." +
             evidence(short_id(explanation, explanation.a) + ", " + short_id(explanation, explanation.b));
    }
    text += "\n  One axis after the other:\n";
    for (const result::AxisPart& part : path.parts) text += part_line(explanation, part);
    if (std::abs(path.rest_ns) < kSmallRest * std::abs(explanation.whole.difference_ns.value)) continue;
    text += "    The parts miss the whole by " + format_duration_ns(std::abs(path.rest_ns)) +
            ", as medians do not add up exactly." +
            evidence(short_id(explanation, explanation.a) + " - " + short_id(explanation, explanation.b));
  }
  return text;
}

std::string calls_words(double a_calls, double b_calls) {
  return format_number(a_calls) + " instead of " + format_number(b_calls) + " per step";
}

// Both parts of a difference, or the one there is.
std::string op_line(const OpPart& op, const std::string& a, const std::string& b) {
  std::string text = "       " + op.op + ": " + more_or_less(op.difference_ns);
  if (op.a_calls > 0 && op.b_calls > 0) {
    const bool same = std::abs(op.a_calls - op.b_calls) < 1e-9 * (op.a_calls + op.b_calls);
    const std::string length = op.by_length_ns < 0 ? "shorter calls" : "longer calls";
    if (same) {
      text += ", by " + length + " (" + format_number(op.a_calls) + " per step)";
    } else {
      text += ": " + more_or_less(op.by_calls_ns) + " by the number of calls (" + calls_words(op.a_calls, op.b_calls) +
              "), " + more_or_less(op.by_length_ns) + " by " + length;
    }
  } else if (op.a_calls > 0 || op.b_calls > 0) {
    text += ", only in " + (op.a_calls > 0 ? a : b) + " (" + calls_words(op.a_calls, op.b_calls) + ")";
  }
  return text + "." + evidence(a + " " + format_duration_ns(op.a_ns) + ", " + b + " " + format_duration_ns(op.b_ns));
}

std::string ops_of(const std::string& phase, const std::vector<OpPart>& ops, const std::string& a,
                   const std::string& b) {
  std::string text;
  std::size_t shown = 0;
  for (const OpPart& op : ops) {
    if (op.phase != phase || op.standing == Standing::unclear || shown == kMostOps) continue;
    text += op_line(op, a, b);
    ++shown;
  }
  return text;
}

std::string unclear_words(const std::vector<PhasePart>& phases) {
  std::string text;
  for (const PhasePart& phase : phases) {
    if (phase.standing != Standing::unclear) continue;
    text += (text.empty() ? "    Below their limits: " : ", ") + phase.phase + " " + more_or_less(phase.difference_ns) +
            " (limit " + format_duration_ns(phase.limit_ns) + ")";
  }
  return text;
}

// The rule in figures.
std::string limit_words(const result::ProfileDifference& profiles, const std::string& a, const std::string& b) {
  const std::string rests_on = evidence(a + ", " + b);
  if (!std::isfinite(profiles.largest_limit_ns)) {
    return "    No phase is named: the cells' medians contradict the paired difference." + rests_on;
  }
  return "    A phase or op is named where it differs by more than its limit: noise " +
         format_duration_ns(profiles.noise_ns) + ", profiled processes off the timed ones by " +
         format_duration_ns(profiles.a.drift_ns) + " and " + format_duration_ns(profiles.b.drift_ns) +
         ", its part (by calls or time) of what profiling itself takes, " + format_duration_ns(profiles.a.overhead_ns) +
         " and " + format_duration_ns(profiles.b.overhead_ns) + "." + rests_on;
}

std::string profile_words(const Explanation& explanation, const std::string& a, const std::string& b) {
  if (!explanation.profiles) {
    std::string cells;
    for (const std::string& id : explanation.unprofiled) {
      cells += (cells.empty() ? "" : ", ") + short_id(explanation, id);
    }
    return "\n  Phases and ops are not compared: the report has no profile of every cell." +
           evidence("lacking: " + cells);
  }
  const result::ProfileDifference& profiles = *explanation.profiles;
  std::string text = "\n  By phase, each profile scaled so that its phases add up to the measured step (x" +
                     format_number(profiles.a.scale) + " and x" + format_number(profiles.b.scale) + "):\n";
  int rank = 0;
  for (const PhasePart& phase : profiles.phases) {
    if (phase.standing == Standing::unclear) continue;
    text += "    " + std::to_string(++rank) + ". " + phase.phase + ": " + more_or_less(phase.difference_ns) + ", " +
            (phase.standing == Standing::cause ? format_percent(phase.share) + " of the difference"
                                               : "against the difference") +
            "." + evidence(a + " " + format_duration_ns(phase.a_ns) + ", " + b + " " + format_duration_ns(phase.b_ns)) +
            ops_of(phase.phase, profiles.ops, a, b);
  }
  if (rank == 0) text += "    No phase differs by more than its limit." + evidence(a + ", " + b);
  const std::string unclear = unclear_words(profiles.phases);
  if (!unclear.empty()) text += unclear + "." + evidence("profiles of " + a + ", " + b);
  return text + limit_words(profiles, a, b);
}

// How many calls at what price make up a step.
std::string dispatch_words(const std::string& cell, const std::optional<result::DispatchCost>& cost) {
  if (!cost) return "";
  std::string floor;
  for (const result::FloorPart& part : cost->floor) {
    floor += (floor.empty() ? "" : ", ") + part.op + " " + format_duration_ns(part.time_ns);
  }
  const std::string calls = cost->dispatches == 1 ? " call" : " calls";
  return "    " + cell + " makes " + format_number(cost->dispatches) + calls + " into its framework per step; at the " +
         format_duration_ns(cost->floor.front().time_ns) + " of its cheapest that is at least " +
         format_duration_ns(cost->least_ns) + ", " + format_percent(cost->share) + " of the step." +
         evidence(cell + ": " + floor);
}

std::string dispatches_words(const Explanation& explanation, const std::string& a, const std::string& b) {
  const std::string text = dispatch_words(a, explanation.a_dispatches) + dispatch_words(b, explanation.b_dispatches);
  return text.empty() ? text : "\n  Calls:\n" + text;
}

std::string advice_words(const Explanation& explanation) {
  if (!explanation.advice) return "";
  const result::Advice& advice = *explanation.advice;
  const std::string cell = short_id(explanation, advice.cell);
  const std::string other = short_id(explanation, advice.cell == explanation.a ? explanation.b : explanation.a);
  const std::string change =
      advice.remedy == result::Remedy::axis
          ? "the " + advice.subject + " " + value_words(advice.value)
          : (advice.subject == "unattributed" ? "what no phase claims" : advice.subject) + " as in " + other;
  return "\n  What would help " + cell + " most: " + change + ", which saves about " +
         format_duration_ns(advice.saving_ns) + ", " + format_percent(advice.share) + " of its step." +
         evidence(cell + ", " + other);
}

std::string ceiling_words(const Explanation& explanation, const std::string& a, const std::string& b) {
  if (!explanation.a_ceiling || !explanation.b_ceiling) return "";
  const auto line = [](const std::string& cell, const result::CeilingShare& ceiling) {
    const bool bytes = ceiling.bound_by == result::BoundBy::bytes;
    return "    " + cell + " reaches " + format_percent(ceiling.share) + " of its ceiling, bound by " +
           result::name_of(ceiling.bound_by) + (bytes ? " from " + ceiling.level : std::string()) + " (floor " +
           format_duration_ns(ceiling.floor_ns) + ")" + (ceiling.failed ? ", so that ceiling is wrong" : "") + "." +
           evidence(cell);
  };
  return "\n  Beside the machine's ceilings:\n" + line(a, *explanation.a_ceiling) + line(b, *explanation.b_ceiling);
}

std::string break_even_words(const Explanation& explanation, const result::BreakEvenRecord& record) {
  const std::string cell = short_id(explanation, record.cell);
  const std::string other = short_id(explanation, record.other);
  const stats::BreakEven& result = record.result;
  const std::string rests_on = evidence(cell + ", " + other + "; " + launches_words(result.launches));
  switch (result.overtaking) {
    case stats::Overtaking::from_the_start:
      return "    " + cell + " is ahead from the first step on." + rests_on;
    case stats::Overtaking::after:
      return "    " + cell + " is ahead after " + format_number(std::ceil(result.steps)) +
             " steps (95%: " + format_number(std::ceil(result.interval.low)) + " to " +
             format_number(std::ceil(result.interval.high)) + ")." + rests_on;
    case stats::Overtaking::never:
      return "    " + cell + " never gets ahead." + rests_on;
    case stats::Overtaking::at_latest:
      return "    " + cell + " is ahead after at most " + format_number(std::ceil(result.interval.high)) +
             " steps; which is ready sooner is not told." + rests_on;
    case stats::Overtaking::at_earliest:
      return "    " + cell + " is ahead after at least " + format_number(std::ceil(result.interval.low)) +
             " steps: its gain per step may be next to nothing." + rests_on;
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

std::string start_words(const Explanation& explanation, const std::string& a, const std::string& b) {
  if (!explanation.start) return "";
  const result::StartDifference& start = *explanation.start;
  const auto pair = [](const char* what, double a_ns, double b_ns) {
    return std::string(what) + " " + format_duration_ns(a_ns) + " beside " + format_duration_ns(b_ns);
  };
  return "\n  Before the steady steps:\n    " + pair("load", start.a_load_ns, start.b_load_ns) + ", " +
         pair("prepare", start.a_prepare_ns, start.b_prepare_ns) + ", " +
         pair("first step", start.a_first_step_ns, start.b_first_step_ns) + "." + evidence(a + ", " + b) +
         import_words(a, start.a_import_ns) + import_words(b, start.b_import_ns) +
         break_even_words(explanation, start.break_even);
}

}  // namespace

std::string explanation_words(const Explanation& explanation, int width) {
  const std::string a = short_id(explanation, explanation.a);
  const std::string b = short_id(explanation, explanation.b);
  std::string text = explanation.scenario + ": " + a + " beside " + b + "\n" + verdict_line(explanation, a, b);
  if (explanation.differs()) {
    text += axes_words(explanation) + profile_words(explanation, a, b) + dispatches_words(explanation, a, b) +
            ceiling_words(explanation, a, b) + start_words(explanation, a, b) + advice_words(explanation);
  }
  return wrapped(text, width);
}

}  // namespace gdbench::render
