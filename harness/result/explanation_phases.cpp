#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "harness/result/explanation.h"

namespace gdbench::result {

namespace {

constexpr const char* kUnattributed = "unattributed";

// Of one cell, per step of its profile, unscaled.
struct OpTotals {
  double calls = 0;
  double time_ns = 0;
};

// By phase and op; what happens once is left out.
using Ops = std::map<std::pair<std::string, std::string>, OpTotals>;

Ops ops_of(const Profile& profile) {
  Ops ops;
  for (const ProfileRecord& record : profile.records) {
    if (record.once()) continue;
    OpTotals& totals = ops[{record.phase, record.op}];
    totals.calls += record.calls;
    totals.time_ns += record.time_ns;
  }
  return ops;
}

std::map<std::string, double> phases_of(const Profile& profile) {
  std::map<std::string, double> phases;
  for (const auto& [key, totals] : ops_of(profile)) phases[key.first] += totals.time_ns;
  phases[kUnattributed] = unattributed_ns(profile);
  return phases;
}

ScaledProfile scaled(const Cell& cell) {
  const Profile& profile = *cell.profile;
  const double step_ns = cell.summary->step_ns.value;
  const double scale = step_ns / profile.profiled_step_ns;
  return {scale, scale * std::abs(profile.profiled_step_ns - profile.step_ns), std::abs(profile.step_ns - step_ns)};
}

double farther_end(const stats::Estimate& estimate) {
  return std::max(estimate.value - estimate.interval.low, estimate.interval.high - estimate.value);
}

// What turns a difference into a share of the whole and a standing.
struct Scales {
  double a = 1;
  double b = 1;
  double total_ns = 0;
  double limit_ns = 0;

  Standing standing_of(double difference_ns) const {
    if (!(std::abs(difference_ns) > limit_ns)) return Standing::unclear;
    return difference_ns * total_ns > 0 ? Standing::cause : Standing::opposed;
  }
};

std::vector<PhasePart> phase_parts(const Cell& a, const Cell& b, const Scales& scales) {
  std::map<std::string, PhasePart> parts;
  for (const auto& [phase, time_ns] : phases_of(*a.profile)) parts[phase].a_ns = time_ns * scales.a;
  for (const auto& [phase, time_ns] : phases_of(*b.profile)) parts[phase].b_ns = time_ns * scales.b;
  std::vector<PhasePart> sorted;
  for (auto& [phase, part] : parts) {
    part.phase = phase;
    part.difference_ns = part.a_ns - part.b_ns;
    part.share = part.difference_ns / scales.total_ns;
    part.standing = scales.standing_of(part.difference_ns);
    sorted.push_back(part);
  }
  return sorted;
}

// See OpPart. Without calls there is only length.
void split_by_calls(OpPart& part) {
  if (part.a_calls > 0 || part.b_calls > 0) {
    const double a_call_ns = part.a_calls > 0 ? part.a_ns / part.a_calls : part.b_ns / part.b_calls;
    const double b_call_ns = part.b_calls > 0 ? part.b_ns / part.b_calls : a_call_ns;
    part.by_calls_ns = (part.a_calls - part.b_calls) * (a_call_ns + b_call_ns) / 2;
  }
  part.by_length_ns = part.difference_ns - part.by_calls_ns;
}

Standing standing_of_op(const OpPart& op, const std::vector<PhasePart>& phases, const Scales& scales) {
  const Standing standing = scales.standing_of(op.difference_ns);
  const auto phase =
      std::find_if(phases.begin(), phases.end(), [&](const PhasePart& part) { return part.phase == op.phase; });
  if (phase->standing == Standing::unclear) return Standing::unclear;
  return standing == Standing::cause && phase->standing != Standing::cause ? Standing::unclear : standing;
}

std::vector<OpPart> op_parts(const Cell& a, const Cell& b, const std::vector<PhasePart>& phases, const Scales& scales) {
  std::map<std::pair<std::string, std::string>, OpPart> parts;
  for (const auto& [key, totals] : ops_of(*a.profile)) {
    parts[key].a_calls = totals.calls;
    parts[key].a_ns = totals.time_ns * scales.a;
  }
  for (const auto& [key, totals] : ops_of(*b.profile)) {
    parts[key].b_calls = totals.calls;
    parts[key].b_ns = totals.time_ns * scales.b;
  }
  std::vector<OpPart> sorted;
  for (auto& [key, part] : parts) {
    part.phase = key.first;
    part.op = key.second;
    part.difference_ns = part.a_ns - part.b_ns;
    part.share = part.difference_ns / scales.total_ns;
    part.standing = standing_of_op(part, phases, scales);
    split_by_calls(part);
    sorted.push_back(part);
  }
  return sorted;
}

template <class Part>
void sort_by_size(std::vector<Part>& parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& x, const Part& y) { return std::abs(x.difference_ns) > std::abs(y.difference_ns); });
}

}  // namespace

const char* name_of(Standing standing) {
  switch (standing) {
    case Standing::cause:
      return "cause";
    case Standing::opposed:
      return "opposed";
    case Standing::unclear:
      return "unclear";
  }
  return "unclear";
}

bool has_usable_profile(const Cell& cell) {
  return cell.profile && std::isfinite(cell.profile->profiled_step_ns) && cell.profile->profiled_step_ns > 0 &&
         std::isfinite(cell.profile->step_ns) && cell.profile->step_ns > 0 && !cell.profile->records.empty();
}

ProfileDifference profile_difference(const Cell& a, const Cell& b, const PairedDifference& whole) {
  ProfileDifference result;
  result.a = scaled(a);
  result.b = scaled(b);
  result.noise_ns = farther_end(whole.difference_ns);
  result.limit_ns =
      result.noise_ns + result.a.overhead_ns + result.b.overhead_ns + result.a.drift_ns + result.b.drift_ns;
  const double total_ns = a.summary->step_ns.value - b.summary->step_ns.value;
  // The medians of the cells may contradict that of the pairs; then the phases explain nothing.
  if (!(total_ns * whole.difference_ns.value > 0)) result.limit_ns = std::numeric_limits<double>::infinity();
  const Scales scales{result.a.scale, result.b.scale, total_ns, result.limit_ns};
  result.phases = phase_parts(a, b, scales);
  result.ops = op_parts(a, b, result.phases, scales);
  sort_by_size(result.phases);
  sort_by_size(result.ops);
  return result;
}

}  // namespace gdbench::result
