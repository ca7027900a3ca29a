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

std::map<std::string, OpTotals> phases_of(const Profile& profile) {
  std::map<std::string, OpTotals> phases;
  for (const auto& [key, totals] : ops_of(profile)) {
    phases[key.first].calls += totals.calls;
    phases[key.first].time_ns += totals.time_ns;
  }
  phases[kUnattributed].time_ns = unattributed_ns(profile);
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

// One cell's profile: what its times are multiplied by, and how far off a part of it may be.
class Side {
 public:
  explicit Side(const Cell& cell)
      : scaled_(scaled(cell)), profiled_step_ns_(cell.profile->profiled_step_ns), ops_(ops_of(*cell.profile)) {
    for (const auto& [key, totals] : ops_) calls_ += totals.calls;
  }

  const ScaledProfile& profile() const { return scaled_; }
  const Ops& ops() const { return ops_; }
  // Zeros where it has no such op.
  OpTotals totals_of(const Ops::key_type& op) const {
    const auto entry = ops_.find(op);
    return entry == ops_.end() ? OpTotals{} : entry->second;
  }
  double time_of(const OpTotals& totals) const { return totals.time_ns * scaled_.scale; }
  double largest_limit_ns() const { return scaled_.overhead_ns + scaled_.drift_ns; }
  double limit_of(const OpTotals& totals) const {
    const double by_calls = calls_ > 0 ? totals.calls / calls_ : 1;
    const double part = std::clamp(std::max(by_calls, totals.time_ns / profiled_step_ns_), 0.0, 1.0);
    return scaled_.drift_ns + part * scaled_.overhead_ns;
  }

 private:
  ScaledProfile scaled_;
  double profiled_step_ns_;
  Ops ops_;
  double calls_ = 0;
};

// What turns a difference into a share of the whole and a standing.
struct Scales {
  const Side& a;
  const Side& b;
  double total_ns = 0;
  double noise_ns = 0;  // infinite: nothing has a standing

  Standing standing_of(double difference_ns, double limit_ns) const {
    if (!(std::abs(difference_ns) > limit_ns)) return Standing::unclear;
    return difference_ns * total_ns > 0 ? Standing::cause : Standing::opposed;
  }
};

std::vector<PhasePart> phase_parts(const Cell& a, const Cell& b, const Scales& scales) {
  std::map<std::string, PhasePart> parts;
  std::map<std::string, OpTotals> of_a = phases_of(*a.profile);
  std::map<std::string, OpTotals> of_b = phases_of(*b.profile);
  for (const auto* phases : {&of_a, &of_b}) {
    for (const auto& [phase, totals] : *phases) parts[phase].limit_ns = 0;
  }
  for (auto& [phase, part] : parts) {
    part.a_ns = scales.a.time_of(of_a[phase]);
    part.b_ns = scales.b.time_of(of_b[phase]);
    part.limit_ns = phase == kUnattributed ? scales.a.largest_limit_ns() + scales.b.largest_limit_ns()
                                           : scales.a.limit_of(of_a[phase]) + scales.b.limit_of(of_b[phase]);
  }
  std::vector<PhasePart> sorted;
  for (auto& [phase, part] : parts) {
    part.phase = phase;
    part.difference_ns = part.a_ns - part.b_ns;
    part.share = part.difference_ns / scales.total_ns;
    part.limit_ns += scales.noise_ns;
    part.standing = scales.standing_of(part.difference_ns, part.limit_ns);
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
  const Standing standing = scales.standing_of(op.difference_ns, op.limit_ns);
  const auto phase =
      std::find_if(phases.begin(), phases.end(), [&](const PhasePart& part) { return part.phase == op.phase; });
  if (phase->standing == Standing::unclear) return Standing::unclear;
  return standing == Standing::cause && phase->standing != Standing::cause ? Standing::unclear : standing;
}

std::vector<OpPart> op_parts(const std::vector<PhasePart>& phases, const Scales& scales) {
  std::map<std::pair<std::string, std::string>, OpPart> parts;
  for (const Side* side : {&scales.a, &scales.b}) {
    for (const auto& [key, totals] : side->ops()) parts[key].op = key.second;
  }
  std::vector<OpPart> sorted;
  for (auto& [key, part] : parts) {
    const OpTotals of_a = scales.a.totals_of(key);
    const OpTotals of_b = scales.b.totals_of(key);
    part.phase = key.first;
    part.a_calls = of_a.calls;
    part.b_calls = of_b.calls;
    part.a_ns = scales.a.time_of(of_a);
    part.b_ns = scales.b.time_of(of_b);
    part.difference_ns = part.a_ns - part.b_ns;
    part.share = part.difference_ns / scales.total_ns;
    part.limit_ns = scales.noise_ns + scales.a.limit_of(of_a) + scales.b.limit_of(of_b);
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
  const Side side_a(a);
  const Side side_b(b);
  result.a = side_a.profile();
  result.b = side_b.profile();
  result.noise_ns = farther_end(whole.difference_ns);
  const double total_ns = a.summary->step_ns.value - b.summary->step_ns.value;
  // The medians of the cells may contradict that of the pairs; then the phases explain nothing.
  const bool contradicted = !(total_ns * whole.difference_ns.value > 0);
  const double noise_ns = contradicted ? std::numeric_limits<double>::infinity() : result.noise_ns;
  result.largest_limit_ns = noise_ns + side_a.largest_limit_ns() + side_b.largest_limit_ns();
  const Scales scales{side_a, side_b, total_ns, noise_ns};
  result.phases = phase_parts(a, b, scales);
  result.ops = op_parts(result.phases, scales);
  sort_by_size(result.phases);
  sort_by_size(result.ops);
  return result;
}

}  // namespace gdbench::result
