// Why one cell is faster or slower than another, as data: what was measured, and nothing that was not. Put into words
// by reports/answers/explanation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/report/named.h"
#include "harness/report/report.h"

namespace gdbench::report {

// Two cells: their samples paired by launch and round, or unpaired where their scenarios were measured apart.
struct CellDifference {
  std::string cell;
  std::string base;
  // Of a step, cell - base, estimated as the ratio is: from the differences of the launches or, unpaired, from both
  // medians. Nothing where no launch has times of both.
  stats::Estimate difference_ns;
  stats::Comparison comparison;  // of the cell's time to the base's
};

constexpr const char* kWholeImplementation = "implementation";

// What changing one axis does while the others stay.
struct AxisPart {
  std::string axis;   // strategy, backend, policy, options, threads, arm; of two frameworks framework and mode;
  std::string value;  // kWholeImplementation where several may change
  std::string base_value;
  CellDifference difference;
};

// From a to b, one axis at a time, over cells that the report holds.
struct AxisPath {
  std::vector<AxisPart> parts;  // the largest first
  double rest_ns = 0;           // whole - sum of the parts: medians do not add up exactly
};

// cause: part of the difference, surely. opposed: surely against it. unclear: neither. An op is a cause only where its
// phase is one, opposed only where its phase is not unclear.
enum class Standing { cause, opposed, unclear };
inline constexpr Named<Standing> kStandings[] = {
    {Standing::cause, "cause"}, {Standing::opposed, "opposed"}, {Standing::unclear, "unclear"}};
constexpr const auto& rows_of(Standing /*any*/) { return kStandings; }

// What a phase or op contributes. Its interval is that of the step times' ratio, of each cell's profiles and of what
// profiling itself takes, at their worst together.
struct Contribution {
  double a_ns = 0;  // of a step
  double b_ns = 0;
  double difference_ns = 0;  // a - b
  double share = 0;          // of the difference of the two step times
  stats::Interval share_interval;
  Standing standing = Standing::unclear;
};

struct PhasePart {
  std::optional<Phase> phase;  // none: what no phase claims
  Contribution contribution;
  // One of the cells does its step in one piece, whose time may belong to any phase of the other: the share is the
  // middle of what it may be, and all shares do not add up to 1.
  bool only_bounded = false;

  std::string name() const { return phase ? name_of(*phase) : "unattributed"; }
};

// difference = by_calls + by_length: by_calls = (calls of a - calls of b) x mean time of a call, by_length = (time of a
// call of a - that of b) x mean number of calls, means of the two cells. An op that one cell lacks differs by calls.
//
// Ops are paired by phase, op and layers. All layers together are one part where a profile does not say which, where
// the two group them in different ways (one update of all, an update of each), and where only together they have a
// standing.
struct OpPart {
  Phase phase = Phase::other;
  std::string op;
  std::optional<std::vector<std::int64_t>> layers;  // absent: all together, or none
  double a_calls = 0;                               // per step
  double b_calls = 0;
  double by_calls_ns = 0;
  double by_length_ns = 0;
  Contribution contribution;
};

// What a cell's profiles rest on; medians over them.
struct ProfileBasis {
  int profiles = 0;        // of a process each; 0: it has none, and its step is one piece
  double overhead_ns = 0;  // |profiled - unprofiled| step, scaled: profiling itself
  double drift_ns = 0;     // |unprofiled step of the profile's process - measured step time|
  bool one_piece = false;  // nothing of its step is divided into phases
  bool compiled = false;   // it reports what it did to compile its step
};

// Where the difference of two steps is. Of each profile the times are multiplied by measured step / profiled step, so
// that with the remainder they add up to the measured step; a's measured step is the ratio times b's. Of three and more
// profiles a part's time is their median with its interval; of fewer, it may be off by the drift. Added to that is the
// part's share, the larger of those by calls and by time, of what profiling takes; the remainder may hold all.
struct ProfileDifference {
  ProfileBasis a;
  ProfileBasis b;
  std::vector<PhasePart> phases;  // the largest first
  std::vector<OpPart> ops;        // the largest first; none where the phases are only bounded
};

// What happens once. Medians over launches.
struct StartDifference {
  double a_load_ns = 0;
  double b_load_ns = 0;
  double a_prepare_ns = 0;
  double b_prepare_ns = 0;
  double a_first_step_ns = 0;
  double b_first_step_ns = 0;
  std::optional<double> a_import_ns;  // of prepare
  std::optional<double> b_import_ns;
  BreakEvenRecord break_even;  // of the cell with the faster steps
};

// What a cell's calls into its framework cost at least: dispatches per step x a call of its profile's cheapest op.
struct DispatchCost {
  double dispatches = 0;
  std::vector<FloorPart> floor;  // the cheapest op first
  stats::Interval cheapest_ns;   // one call of the cheapest op, over the cell's profiles
  double least_ns = 0;           // of a step
  double share = 0;              // of the measured step
};

// The largest ops of a framework's step by its own profiler, in shares of the step that the profiler slows.
struct OpShare {
  Phase phase = Phase::other;
  std::string op;
  std::optional<std::vector<std::int64_t>> layers;
  double share = 0;
};
struct LargestOps {
  std::string profiler;
  double slowdown = 0;  // step with the profiler / step without
  std::vector<OpShare> ops;
};

// The part of the difference that the two cells' calls into frameworks are, each at the price of the cheapest. Its
// interval is that of the difference and of the price. The rest, 1 - share, is what those calls do beyond an empty one.
struct CallsShare {
  double a_calls = 0;  // 0 for a cell without a framework
  double b_calls = 0;
  double share = 0;
  stats::Interval interval;
};

// A key of the two scenarios that does not have the same value. JSON text; empty where a scenario has no such key.
struct KeyDifference {
  std::string key;  // "optimizer.kind"
  std::string a;
  std::string b;
};

// Two cells that trained to a target. `time` is that of a's steps over b's, each steps x time of a step: without what
// comes before, which a TimeToTarget has and which the two share as a rule. Absent unless both reached it, and where no
// launch has times of both.
struct TargetDifference {
  TargetRun a;
  TargetRun b;
  std::optional<CellDifference> time;
};

// The one change to the slower cell that would help it most: to have the faster one's value of an axis or its phase.
enum class Remedy { axis, phase };
inline constexpr Named<Remedy> kRemedies[] = {{Remedy::axis, "axis"}, {Remedy::phase, "phase"}};
constexpr const auto& rows_of(Remedy /*any*/) { return kRemedies; }

struct Advice {
  Remedy remedy = Remedy::phase;
  std::string cell;     // the slower one
  std::string subject;  // the axis or phase
  std::string value;    // of an axis: the faster cell's
  double saving_ns = 0;
  double share = 0;  // of the slower cell's step
};

// What was not measured and would say more.
enum class Lack {
  launches,    // too few for a verdict, or too few for one beyond its margin
  profile,     // the report has none of `cell`
  no_profile,  // `cell` offers none
  one_piece,   // `cell` does its step in one piece: switching parts of it off tells more than its profile
  clock,       // reading the clock in `cell`'s profile takes more than half of the difference
  repeats,     // profiles of more processes
};
inline constexpr Named<Lack> kLacks[] = {{Lack::launches, "launches"},     {Lack::profile, "profile"},
                                         {Lack::no_profile, "no profile"}, {Lack::one_piece, "one piece"},
                                         {Lack::clock, "clock"},           {Lack::repeats, "repeats"}};
constexpr const auto& rows_of(Lack /*any*/) { return kLacks; }

struct MissingEvidence {
  Lack lack = Lack::launches;
  std::string cell;     // empty: both
  std::string command;  // that measures it; empty: none can
};

struct Explanation {
  std::string scenario;    // label of a's
  std::string b_scenario;  // of b's; the same one but across overrides
  std::string a;           // cell ids
  std::string b;
  stats::Estimate a_step_ns;
  stats::Estimate b_step_ns;
  CellDifference whole;                  // a against b
  bool paired = true;                    // since 2.2: false of scenarios that were measured apart
  std::vector<KeyDifference> differing;  // empty: one scenario
  std::optional<TargetDifference> target;
  // The causes. All are absent where the verdict is neither faster nor slower.
  std::vector<AxisPath> paths;                // none across overrides
  std::optional<ProfileDifference> profiles;  // absent where neither step is divided into phases
  std::optional<DispatchCost> a_dispatches;   // absent where the profile counts none
  std::optional<DispatchCost> b_dispatches;
  std::optional<LargestOps> a_ops;  // since 2.1; absent where its profile has none
  std::optional<LargestOps> b_ops;
  std::optional<CallsShare> calls;  // absent where neither has a framework, or one does not count
  std::optional<CeilingShare> a_ceiling;
  std::optional<CeilingShare> b_ceiling;
  std::optional<StartDifference> start;  // absent across overrides
  std::optional<ScriptTime> a_script;    // of a framework's steps, where a script's take another time
  std::optional<ScriptTime> b_script;
  std::optional<Advice> advice;  // absent where nothing has the standing of a cause, and across overrides
  std::vector<MissingEvidence> missing;

  bool differs() const {
    return whole.comparison.verdict == stats::Verdict::faster || whole.comparison.verdict == stats::Verdict::slower;
  }
  bool across_scenarios() const { return !differing.empty(); }
};

// {"schema": "gdbench-explanation", "schema_version": ..., "explanations": [...]}, durations in nanoseconds.
OrderedJson to_json(const std::vector<Explanation>& explanations);

}  // namespace gdbench::report
