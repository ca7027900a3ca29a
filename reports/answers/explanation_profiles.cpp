#include <algorithm>
#include <cmath>

#include "harness/base/text.h"
#include "reports/answers/explanation_sentences.h"
#include "reports/answers/format.h"
#include "reports/answers/profile.h"

namespace gdbench::answers {

namespace {

using report::Explanation;
using report::Lack;
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
    return "undecided";
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
void add_op(const report::OpPart& op, const Names& names, Sentences& sentences) {
  std::string text = std::string(name_of(op.phase)) + ", " + op.op + layer_words(op.layers) + ": " +
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
  add_sentence(sentences, text + ".",
               names.a + " " + format_duration_ns(op.contribution.a_ns) + ", " + names.b + " " +
                   format_duration_ns(op.contribution.b_ns));
}

// What the shares rest on.
std::string basis_words(const std::string& cell, const report::ProfileBasis& basis, double step_ns) {
  if (basis.profiles == 0) return cell + " no profile";
  return cell + " " + counted(basis.profiles, "profile") + ", clock readings " +
         format_percent(basis.overhead_ns / step_ns) + " of it";
}

void add_dispatches(const std::string& cell, const std::optional<report::DispatchCost>& cost, Sentences& sentences) {
  if (!cost) return;
  std::string floor;
  for (const report::FloorPart& part : cost->floor) {
    join(floor, part.op + " " + format_duration_ns(part.time_ns));
  }
  const std::string calls = cost->dispatches == 1 ? " call" : " calls";
  add_sentence(sentences,
               cell + " makes " + format_number(cost->dispatches) + calls + " into its framework per step; at the " +
                   format_duration_ns(cost->floor.front().time_ns) + " of its cheapest that is at least " +
                   format_duration_ns(cost->least_ns) + ", " + format_percent(cost->share) + " of the step.",
               cell + ": " + floor);
}

void add_largest(const std::string& cell, const std::optional<report::LargestOps>& largest, Sentences& sentences) {
  if (!largest) return;
  std::string ops;
  for (const report::OpShare& op : largest->ops) {
    ops += (ops.empty() ? "" : "; ") + std::string(name_of(op.phase)) + ", " + op.op + layer_words(op.layers) + ": " +
           format_percent(op.share);
  }
  add_sentence(sentences,
               cell + " under " + largest->profiler + ", " + format_number(largest->slowdown) +
                   " times the step without: " + ops + ".",
               cell);
}

std::string lack_words(const report::MissingEvidence& missing, const std::string& cell) {
  const std::string measures = missing.command.empty() ? "." : "; this measures it:";
  switch (missing.lack) {
    case Lack::launches:
      return "More launches, of these two alone, may decide" + measures;
    case Lack::profile:
      return "The report has no profile of " + cell + measures;
    case Lack::no_profile:
      return cell + " offers no profile: its step cannot be divided.";
    case Lack::one_piece:
      return cell + " does its step in one piece, which no profile divides" +
             (missing.command.empty() ? "." : "; this measures what a call into its framework takes at least:");
    case Lack::clock:
      return "Reading the clock takes more than half of the difference in the profile of " + cell +
             ": its phases are too short to be timed one by one, however often.";
    case Lack::repeats:
      return "These profiles are off by more than any phase differs; profiles of more processes narrow that:";
  }
  return "";
}

bool is_unclear(const PhasePart& phase) { return phase.contribution.standing == Standing::unclear; }

}  // namespace

Sentences largest_op_sentences(const Explanation& explanation, const Names& names) {
  Sentences sentences;
  add_largest(names.a, explanation.a_ops, sentences);
  add_largest(names.b, explanation.b_ops, sentences);
  return sentences;
}

Sentences call_sentences(const Explanation& explanation, const Names& names) {
  Sentences sentences;
  if (explanation.calls) {
    const report::CallsShare& calls = *explanation.calls;
    const stats::Interval rest{1 - calls.interval.high, 1 - calls.interval.low};
    add_sentence(sentences,
                 "Calls into frameworks, each at the price of its cheapest, are " +
                     share_words(calls.share, calls.interval) +
                     " of the difference: " + instead_words(calls.a_calls, calls.b_calls) +
                     ". What they do beyond an empty call is " + share_words(1 - calls.share, rest) + ".",
                 names.both());
  }
  add_dispatches(names.a, explanation.a_dispatches, sentences);
  add_dispatches(names.b, explanation.b_dispatches, sentences);
  return sentences;
}

bool says_phases(const Explanation& explanation) {
  if (!explanation.profiles) return false;
  const std::vector<PhasePart>& phases = explanation.profiles->phases;
  return !(std::ranges::all_of(phases, is_unclear) && phases.front().only_bounded);
}

std::string largest_phases(const Explanation& explanation, const Names& names) {
  constexpr int kMost = 3;
  std::string parts;
  if (!says_phases(explanation)) return parts;
  int count = 0;
  for (const PhasePart& phase : explanation.profiles->phases) {
    if (phase.contribution.standing != Standing::cause || count == kMost) continue;
    join(parts, cat(phase.name(), count == 0 ? " is " : " ", share_of(phase)));
    ++count;
  }
  return parts.empty() ? parts : cat("Of the difference between ", names.a, " and ", names.b, ", ", parts, ".");
}

Columns phases_table(const Explanation& explanation, const Names& names) {
  const report::ProfileDifference& profiles = *explanation.profiles;
  Columns table = {left("phase"), right(names.a, 1), right(names.b, 1), left("share")};
  for (const PhasePart& phase : profiles.phases) {
    const report::Contribution& times = phase.contribution;
    const auto time = [&](double time_ns, const report::ProfileBasis& basis) {
      return phase.only_bounded && basis.one_piece && time_ns == 0 ? std::string("?") : format_duration_ns(time_ns);
    };
    add_row(table, {phase.name(), time(times.a_ns, profiles.a), time(times.b_ns, profiles.b), share_of(phase)});
  }
  return table;
}

Sentences phase_sentences(const Explanation& explanation, const Names& names) {
  Sentences sentences;
  const report::ProfileDifference& profiles = *explanation.profiles;
  if (!says_phases(explanation)) {
    add_sentence(sentences, "No phase stands out.", names.both());
  } else {
    const bool unclear = std::ranges::any_of(profiles.phases, is_unclear);
    add_sentence(sentences, unclear ? "A share whose interval holds 0 may be none." : "Shares rest on profiles.",
                 basis_words(names.a, profiles.a, explanation.a_step_ns.value) + "; " +
                     basis_words(names.b, profiles.b, explanation.b_step_ns.value));
  }
  if (profiles.a.one_piece || profiles.b.one_piece) {
    const std::string& cell = profiles.a.one_piece ? names.a : names.b;
    const bool unprofiled = (profiles.a.one_piece ? profiles.a : profiles.b).profiles == 0;
    add_sentence(sentences,
                 cell + (unprofiled ? " has no profile" : " does its step in one piece") +
                     ": its time may belong to any phase, so that a share is only bounded.",
                 names.both());
  }
  return sentences;
}

// An op that is called as its phase is says nothing more.
Sentences op_sentences(const Explanation& explanation, const Names& names) {
  Sentences sentences;
  if (!says_phases(explanation)) return sentences;
  for (const report::OpPart& op : explanation.profiles->ops) {
    if (op.contribution.standing != Standing::cause || op.op == name_of(op.phase)) continue;
    if (sentences.size() < kMaxOps) add_op(op, names, sentences);
  }
  return sentences;
}

std::string missing_sentence(const Explanation& explanation, const Names& names,
                             const report::MissingEvidence& missing) {
  return lack_words(missing, missing.cell.empty() ? "" : names.of(explanation, missing.cell));
}

}  // namespace gdbench::answers
