#include "reports/render/explanation_parts.h"

#include <algorithm>
#include <cmath>

#include "harness/base/text.h"
#include "reports/render/explanation.h"
#include "reports/render/format.h"
#include "reports/render/profile.h"

namespace gdbench::render {

namespace {

using report::Explanation;
using report::Lack;
using report::OpPart;
using report::PhasePart;
using report::Standing;

// Ops that are shown of a phase.
constexpr std::size_t kMaxOps = 5;

// Of an op's difference: less has no words.
constexpr double kSmallPart = 0.01;

// A share that may be none and whose interval is wider says nothing.
constexpr double kMaxUnclear = 3;

// Whole per cent, no negative zero.
double per_cent(double share) { return std::round(100 * share) + 0.0; }

// "60% [55, 66]".
std::string share_words(double share, const stats::Interval& interval) {
  return formatted("%.0f%% [%.0f, %.0f]", per_cent(share), per_cent(interval.low), per_cent(interval.high));
}

std::string share_of(const PhasePart& phase) {
  const stats::Interval& interval = phase.contribution.share_interval;
  if (phase.contribution.standing == Standing::unclear && interval.high - interval.low > kMaxUnclear) {
    return "not told";
  }
  if (!phase.only_bounded) return share_words(phase.contribution.share, interval);
  return formatted("%.0f%% to %.0f%%", per_cent(interval.low), per_cent(interval.high));
}

// "12 ns more", "3 ns less".
std::string more_or_less(double difference_ns) {
  return format_duration_ns(std::abs(difference_ns)) + (difference_ns < 0 ? " less" : " more");
}

std::string instead_words(double a_calls, double b_calls) {
  return format_number(a_calls) + " instead of " + format_number(b_calls) + " per step";
}

// Both parts of a difference, or the one there is.
std::string op_line(const OpPart& op, const Names& names) {
  std::string text = std::string("    ") + name_of(op.phase) + ", " + op.op +
                     layer_words(op.layers.value_or(std::vector<std::int64_t>())) + ": " +
                     share_words(op.contribution.share, op.contribution.share_interval);
  if (op.a_calls > 0 && op.b_calls > 0) {
    const bool same = std::abs(op.a_calls - op.b_calls) < 1e-9 * (op.a_calls + op.b_calls);
    const std::string length = op.by_length_ns < 0 ? "shorter calls" : "longer calls";
    if (same) {
      text += ", by " + length + " (" + format_number(op.a_calls) + " per step)";
    } else {
      text += ": " + more_or_less(op.by_calls_ns) + " by the number of calls (" +
              instead_words(op.a_calls, op.b_calls) + ")";
      if (std::abs(op.by_length_ns) > kSmallPart * std::abs(op.by_calls_ns)) {
        text += ", " + more_or_less(op.by_length_ns) + " by " + length;
      }
    }
  } else if (op.a_calls > 0 || op.b_calls > 0) {
    text += ", only in " + (op.a_calls > 0 ? names.a : names.b) + " (" + instead_words(op.a_calls, op.b_calls) + ")";
  }
  return text + "." +
         evidence(names.a + " " + format_duration_ns(op.contribution.a_ns) + ", " + names.b + " " +
                  format_duration_ns(op.contribution.b_ns));
}

// An op that is called as its phase is says nothing more.
std::string ops_words(const std::vector<OpPart>& ops, const Names& names) {
  std::string text;
  std::size_t shown = 0;
  for (const OpPart& op : ops) {
    if (op.contribution.standing != Standing::cause || op.op == name_of(op.phase) || shown == kMaxOps) continue;
    text += op_line(op, names);
    ++shown;
  }
  return text.empty() ? text : "  Their ops:\n" + text;
}

// What the shares rest on.
std::string basis_words(const std::string& cell, const report::ProfileBasis& basis, double step_ns) {
  if (basis.profiles == 0) return cell + " no profile";
  return cell + " " + counted(basis.profiles, "profile") + ", clock readings " +
         format_percent(basis.overhead_ns / step_ns) + " of it";
}

// Without the times where they do not fit.
std::string phase_table(const Explanation& explanation, const Names& names, int width) {
  TextTable all = phases_table(explanation, names);
  all.front().title = "  " + all.front().title;
  for (std::string& phase : all.front().texts) phase.insert(0, "  ");
  const std::string table = plain_table(all);
  std::size_t widest = 0;
  for (std::size_t start = 0; start < table.size(); start = table.find('\n', start) + 1) {
    widest = std::max(widest, table.find('\n', start) - start);
  }
  const bool fits = width <= 0 || widest <= static_cast<std::size_t>(width);
  return fits ? table : plain_table({all.front(), all.back()});
}

std::string one_piece_words(const report::ProfileDifference& profiles, const Names& names) {
  if (!profiles.a.one_piece && !profiles.b.one_piece) return "";
  const std::string& cell = profiles.a.one_piece ? names.a : names.b;
  const bool unprofiled = (profiles.a.one_piece ? profiles.a : profiles.b).profiles == 0;
  return "    " + cell + (unprofiled ? " has no profile" : " does its step in one piece") +
         ": its time may belong to any phase, so that a share is only bounded." + evidence(names.a + ", " + names.b);
}

std::string dispatch_words(const std::string& cell, const std::optional<report::DispatchCost>& cost) {
  if (!cost) return "";
  std::string floor;
  for (const report::FloorPart& part : cost->floor) {
    join(floor, part.op + " " + format_duration_ns(part.time_ns));
  }
  const std::string calls = cost->dispatches == 1 ? " call" : " calls";
  return "    " + cell + " makes " + format_number(cost->dispatches) + calls + " into its framework per step; at the " +
         format_duration_ns(cost->floor.front().time_ns) + " of its cheapest that is at least " +
         format_duration_ns(cost->least_ns) + ", " + format_percent(cost->share) + " of the step." +
         evidence(cell + ": " + floor);
}

std::string largest_ops_line(const std::string& cell, const std::optional<report::LargestOps>& largest) {
  if (!largest) return "";
  std::string ops;
  for (const report::OpShare& op : largest->ops) {
    ops += (ops.empty() ? "" : "; ") + std::string(name_of(op.phase)) + ", " + op.op +
           layer_words(op.layers.value_or(std::vector<std::int64_t>())) + ": " + format_percent(op.share);
  }
  return "    " + cell + " under " + largest->profiler + ", " + format_number(largest->slowdown) +
         " times the step without: " + ops + "." + evidence(cell);
}

std::string sentence_of(const report::MissingEvidence& missing, const std::string& cell) {
  const std::string measures = missing.command.empty() ? "." : "; this measures it:";
  switch (missing.lack) {
    case Lack::launches:
      return "More launches, of these two alone, may tell" + measures;
    case Lack::profile:
      return "The report has no profile of " + cell + measures;
    case Lack::no_profile:
      return cell + " offers no profile: its step cannot be divided.";
    case Lack::one_piece:
      return cell + " does its step in one piece, which no profile divides" +
             (missing.command.empty() ? "." : "; this tells what its parts are worth:");
    case Lack::clock:
      return "Reading the clock takes more than half of the difference in the profile of " + cell +
             ": its phases are too short to be timed one by one, however often.";
    case Lack::repeats:
      return "No phase stands out from what these profiles are off by; profiles of more processes narrow that:";
  }
  return "";
}

}  // namespace

std::string evidence(const std::string& text) { return " [" + text + "]\n"; }

std::string Names::of(const Explanation& explanation, const std::string& id) const {
  if (id == explanation.a) return a;
  if (id == explanation.b) return b;
  return short_id(explanation.scenario, id);
}

std::string largest_ops_words(const Explanation& explanation, const Names& names) {
  const std::string cells = largest_ops_line(names.a, explanation.a_ops) + largest_ops_line(names.b, explanation.b_ops);
  return cells.empty() ? cells : "\n  The largest ops, in shares of a step that the profiler slows:\n" + cells;
}

std::string calls_words(const Explanation& explanation, const Names& names) {
  const std::string cells =
      dispatch_words(names.a, explanation.a_dispatches) + dispatch_words(names.b, explanation.b_dispatches);
  if (!explanation.calls) return cells.empty() ? cells : "\n  Calls:\n" + cells;
  const report::CallsShare& calls = *explanation.calls;
  const stats::Interval rest{1 - calls.interval.high, 1 - calls.interval.low};
  return "\n  Calls into frameworks, each at the price of its cheapest, are " +
         share_words(calls.share, calls.interval) +
         " of the difference: " + instead_words(calls.a_calls, calls.b_calls) +
         ". What they do beyond an empty call is " + share_words(1 - calls.share, rest) + "." +
         evidence(names.a + ", " + names.b) + cells;
}

namespace {

bool is_unclear(const PhasePart& phase) { return phase.contribution.standing == Standing::unclear; }

}  // namespace

TextTable phases_table(const Explanation& explanation, const Names& names) {
  const report::ProfileDifference& profiles = *explanation.profiles;
  TextTable table = {{.title = "phase", .texts = {}},
                     {.title = names.a, .right_aligned = true, .texts = {}},
                     {.title = names.b, .right_aligned = true, .texts = {}},
                     {.title = "share", .texts = {}}};
  for (const PhasePart& phase : profiles.phases) {
    const report::Contribution& times = phase.contribution;
    const auto time = [&](double time_ns, const report::ProfileBasis& basis) {
      return phase.only_bounded && basis.one_piece && time_ns == 0 ? std::string("?") : format_duration_ns(time_ns);
    };
    add_row(table, {phase.name(), time(times.a_ns, profiles.a), time(times.b_ns, profiles.b), share_of(phase)});
  }
  return table;
}

std::string phases_heading(const Explanation& explanation) {
  if (!explanation.profiles) return "";
  const std::vector<PhasePart>& phases = explanation.profiles->phases;
  if (std::ranges::all_of(phases, is_unclear) && phases.front().only_bounded) return "";
  return "Where the difference per step is:";
}

std::string phases_evidence(const Explanation& explanation, const Names& names) {
  const report::ProfileDifference& profiles = *explanation.profiles;
  if (phases_heading(explanation).empty()) {
    return "\n  No phase is told." + evidence(names.a + ", " + names.b) + one_piece_words(profiles, names);
  }
  const bool unclear = std::ranges::any_of(profiles.phases, is_unclear);
  return (unclear ? "    A share whose interval holds 0 may be none." : "    Shares rest on profiles.") +
         evidence(basis_words(names.a, profiles.a, explanation.a_step_ns.value) + "; " +
                  basis_words(names.b, profiles.b, explanation.b_step_ns.value)) +
         one_piece_words(profiles, names) + ops_words(profiles.ops, names);
}

std::string phases_words(const Explanation& explanation, const Names& names, int width) {
  if (!explanation.profiles) return "";
  const std::string heading = phases_heading(explanation);
  const std::string table = heading.empty() ? "" : "\n  " + heading + "\n" + phase_table(explanation, names, width);
  return table + wrapped(phases_evidence(explanation, names), width);
}

std::string missing_sentence(const Explanation& explanation, const Names& names,
                             const report::MissingEvidence& missing) {
  return sentence_of(missing, missing.cell.empty() ? "" : names.of(explanation, missing.cell));
}

std::string missing_words(const Explanation& explanation, const Names& names, int width) {
  std::string text;
  for (const report::MissingEvidence& missing : explanation.missing) {
    text += (text.empty() ? "\n" : "") + wrapped("  " + missing_sentence(explanation, names, missing) + "\n", width);
    if (!missing.command.empty()) text += "    " + missing.command + "\n";
  }
  return text;
}

}  // namespace gdbench::render
