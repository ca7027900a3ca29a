// Why one cell is faster or slower than another, as data: what was measured, and nothing that was not. Put into words
// by reports/render/explanation.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/result/report.h"

namespace gdbench::result {

// Two cells of one scenario, their samples paired by launch and round.
struct PairedDifference {
  std::string cell;
  std::string base;
  stats::Estimate difference_ns;  // of a step, cell - base; median of the pairs
  stats::Comparison comparison;   // of the cell's time to the base's
};

// What changing one axis does while the others stay.
struct AxisPart {
  std::string axis;  // strategy, backend, policy, options, threads, arm; of two frameworks framework and mode
  std::string value;
  std::string base_value;
  PairedDifference difference;
};

// From a to b, one axis at a time, over cells that the report holds.
struct AxisPath {
  std::vector<AxisPart> parts;  // the largest first
  double rest_ns = 0;           // whole - sum of the parts: medians do not add up exactly
};

// cause: beyond the limit, in the direction of the whole difference. opposed: beyond it in the other direction.
// unclear: not beyond it. An op is a cause only where its phase is one, opposed only where its phase is not unclear.
enum class Standing { cause, opposed, unclear };
const char* name_of(Standing standing);  // "cause", "opposed", "unclear"

struct PhasePart {
  std::string phase;  // as in profiles, or "unattributed"
  double a_ns = 0;
  double b_ns = 0;
  double difference_ns = 0;  // a - b
  double share = 0;          // of the difference of the two step times; all phases' shares add up to 1
  double limit_ns = 0;       // what is smaller has no standing; see ProfileDifference
  Standing standing = Standing::unclear;
};

// difference = by_calls + by_length: by_calls = (calls of a - calls of b) x mean time of a call, by_length = (time of a
// call of a - that of b) x mean number of calls, means of the two cells. An op that one cell lacks differs by calls.
struct OpPart {
  std::string phase;
  std::string op;
  double a_calls = 0;  // per step
  double b_calls = 0;
  double a_ns = 0;
  double b_ns = 0;
  double difference_ns = 0;
  double by_calls_ns = 0;
  double by_length_ns = 0;
  double share = 0;
  double limit_ns = 0;
  Standing standing = Standing::unclear;
};

// What a cell's profile rests on. Times of its phases and ops are multiplied by `scale`, so that with what nobody
// claims they add up to the measured unprofiled step.
struct ScaledProfile {
  double scale = 1;        // measured step time over the profiled one
  double overhead_ns = 0;  // |profiled - unprofiled| step of the profile's process, scaled: profiling itself
  double drift_ns = 0;     // |unprofiled step of the profile's process - measured step time|
};

// The limit of a phase or op: noise + for each cell, drift + its part of the overhead. Its part is the larger of its
// shares of the profile's calls and time: clock readings come with calls, and scaling takes them out by time. What
// nobody claims may hold all of them: its part is 1.
struct ProfileDifference {
  ScaledProfile a;
  ScaledProfile b;
  double noise_ns = 0;            // the farther end of the step's difference from its value
  double largest_limit_ns = 0;    // noise + overheads + drifts of both; infinite: nothing has a standing
  std::vector<PhasePart> phases;  // the largest first
  std::vector<OpPart> ops;        // the largest first
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

// What a cell's calls into its framework cost at least: dispatches per step x one call of the cheapest op, both of its
// profile.
struct DispatchCost {
  double dispatches = 0;
  std::vector<FloorPart> floor;  // the cheapest op first
  double least_ns = 0;           // of a step
  double share = 0;              // of the measured step
};

// The one change to the slower cell that would help it most: to have the faster one's value of an axis or its phase.
enum class Remedy { axis, phase };
const char* name_of(Remedy remedy);  // "axis", "phase"

struct Advice {
  Remedy remedy = Remedy::phase;
  std::string cell;     // the slower one
  std::string subject;  // the axis or phase
  std::string value;    // of an axis: the faster cell's
  double saving_ns = 0;
  double share = 0;  // of the slower cell's step
};

struct Explanation {
  std::string scenario;  // label
  std::string a;         // cell ids
  std::string b;
  stats::Estimate a_step_ns;
  stats::Estimate b_step_ns;
  PairedDifference whole;  // a beside b
  // The causes. All are absent where the verdict is neither faster nor slower.
  std::vector<AxisPath> paths;
  std::vector<std::string> unprofiled;  // cells without a usable profile, which is why `profiles` is absent
  std::optional<ProfileDifference> profiles;
  std::optional<DispatchCost> a_dispatches;  // absent where the profile counts none
  std::optional<DispatchCost> b_dispatches;
  std::optional<CeilingShare> a_ceiling;
  std::optional<CeilingShare> b_ceiling;
  std::optional<StartDifference> start;
  std::optional<Advice> advice;  // absent where nothing has the standing of a cause

  bool differs() const;
};

// `a` and `b` are different cells of one scenario in `report`, both with a summary; see summarise().
Explanation explain(const Report& report, const Cell& a, const Cell& b);

// The parts of explain() that read profiles. `whole` is a beside b. Both cells have a profile with
// has_usable_profile().
ProfileDifference profile_difference(const Cell& a, const Cell& b, const PairedDifference& whole);
bool has_usable_profile(const Cell& cell);

// Of a cell with a summary; nothing where its profile counts no dispatches or has no floor.
std::optional<DispatchCost> dispatch_cost(const Cell& cell);
// From what `explanation` holds already; nothing where no axis or phase is a cause.
std::optional<Advice> advice_for(const Explanation& explanation);

// {"schema": "gdbench-explanation", "schema_version": ..., "explanations": [...]}, durations in nanoseconds.
nlohmann::ordered_json to_ordered_json(const std::vector<Explanation>& explanations);

}  // namespace gdbench::result
