#include "harness/questions/explain/phases.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "harness/questions/explain/calls.h"

namespace gdbench::explain {

namespace {

// Of what is not divided: a step, or all steps, in one piece.
constexpr report::Phase kOnePiece = report::Phase::other;
// From so many on profiles tell themselves how they scatter.
constexpr std::size_t kEnoughProfiles = 3;

// Of one cell, per step of a profile, unscaled.
struct OpTotals {
  double calls = 0;
  double time_ns = 0;

  void add(const OpTotals& other) {
    calls += other.calls;
    time_ns += other.time_ns;
  }
};

using Layers = std::vector<std::int64_t>;  // empty: none, or not known

struct OpName {
  report::Phase phase = report::Phase::other;
  std::string op;
  Layers layers;

  auto operator<=>(const OpName&) const = default;
};

// What happens once is left out.
using Ops = std::map<OpName, OpTotals>;

Ops ops_of(const report::Profile& profile) {
  Ops ops;
  for (const report::ProfileRecord& record : profile.records) {
    if (!record.once())
      ops[{record.phase, record.op, record.layers.value_or(Layers())}].add({record.calls, record.time_ns});
  }
  return ops;
}

// A part of a cell's step: its time and what that may be.
struct PartTime {
  double calls = 0;
  double time_ns = 0;
  stats::Interval interval;
};

// One process's profile, its times scaled to the measured step.
struct ScaledProfile {
  Ops ops;
  double scale = 1;
  double profiled_step_ns = 0;
  double overhead_ns = 0;
  double calls = 0;
  double rest_ns = 0;  // what no op claims
};

// One cell's profiles. `step_ns`: its measured step, which is taken as exact; the ratio has the steps' uncertainty.
class Side {
 public:
  Side(const report::Cell& cell, double step_ns) : step_ns_(step_ns) {
    std::vector<double> overheads;
    std::vector<double> drifts;
    for (const report::Profile* profile : usable_profiles(cell)) {
      ScaledProfile scaled;
      scaled.ops = ops_of(*profile);
      scaled.profiled_step_ns = profile->profiled_step_ns;
      scaled.scale = step_ns / profile->profiled_step_ns;
      scaled.overhead_ns = scaled.scale * std::abs(profile->profiled_step_ns - profile->step_ns);
      for (const auto& [name, totals] : scaled.ops) scaled.calls += totals.calls;
      scaled.rest_ns = scaled.scale * unattributed_ns(*profile);
      overheads.push_back(scaled.overhead_ns);
      drifts.push_back(std::abs(profile->step_ns - cell.summary->step_ns.value));
      profiles_.push_back(std::move(scaled));
      for (const report::ProfileRecord& record : profile->records) basis_.compiled = basis_.compiled || record.once();
    }
    basis_.profiles = static_cast<int>(profiles_.size());
    basis_.overhead_ns = stats::median(overheads);
    basis_.drift_ns = stats::median(drifts);
    basis_.one_piece = !is_divided();
  }

  const report::ProfileBasis& basis() const { return basis_; }

  std::set<OpName> op_names() const {
    std::set<OpName> names;
    for (const ScaledProfile& profile : profiles_) {
      for (const auto& [name, totals] : profile.ops) names.insert(name);
    }
    return names;
  }

  // Of the ops that `wanted` accepts.
  template <class Wanted>
  PartTime part(const Wanted& wanted) const {
    std::vector<OpTotals> totals(profiles_.size());
    std::vector<double> overheads;
    for (std::size_t i = 0; i < profiles_.size(); ++i) {
      const ScaledProfile& profile = profiles_[i];
      for (const auto& [name, op] : profile.ops) {
        if (wanted(name)) totals[i].add(op);
      }
      const double by_calls = profile.calls > 0 ? totals[i].calls / profile.calls : 1;
      const double share = std::max(by_calls, totals[i].time_ns / profile.profiled_step_ns);
      overheads.push_back(std::clamp(share, 0.0, 1.0) * profile.overhead_ns);
      totals[i].time_ns *= profile.scale;
    }
    return over_profiles(totals, stats::median(overheads));
  }
  // Of what no phase claims where there is no phase. Of a step in one piece, but for its data, only what the phase may
  // take at most is known: that piece, or all of the step where there is no profile.
  PartTime phase(std::optional<report::Phase> phase) const {
    const bool known = !basis_.one_piece || (phase == report::Phase::data && !profiles_.empty());
    if (!known) return {0, 0, {0, profiles_.empty() ? step_ns_ : one_piece().interval.high}};
    if (phase) return part([&](const OpName& name) { return name.phase == phase; });
    std::vector<OpTotals> totals;
    for (const ScaledProfile& profile : profiles_) totals.push_back({0, profile.rest_ns});
    return over_profiles(totals, basis_.overhead_ns);
  }

 private:
  // Whether any time is in a phase that says what is done.
  bool is_divided() const {
    const std::set<OpName> names = op_names();
    return std::any_of(names.begin(), names.end(),
                       [](const OpName& name) { return name.phase != kOnePiece && name.phase != report::Phase::data; });
  }

  PartTime one_piece() const {
    return part([](const OpName& name) { return name.phase == kOnePiece; });
  }

  PartTime over_profiles(const std::vector<OpTotals>& totals, double overhead_ns) const {
    std::vector<stats::Pair> times;
    PartTime part;
    double max_ns = 0;
    for (const OpTotals& total : totals) {
      times.push_back({static_cast<int>(times.size()), 0, total.time_ns});
      part.calls += total.calls / static_cast<double>(totals.size());
      max_ns = std::max(max_ns, total.time_ns);
    }
    if (max_ns <= 0) return part;  // what no profile has takes nothing, however they drift
    const stats::Estimate estimate = stats::paired_difference(times);
    part.time_ns = estimate.value;
    part.interval = estimate.interval;
    if (totals.size() < kEnoughProfiles) {
      part.interval = {part.time_ns - basis_.drift_ns, part.time_ns + basis_.drift_ns};
    }
    part.interval = {std::clamp(part.interval.low - overhead_ns, 0.0, step_ns_),
                     std::clamp(part.interval.high + overhead_ns, 0.0, step_ns_)};
    return part;
  }

  double step_ns_;
  report::ProfileBasis basis_;
  std::vector<ScaledProfile> profiles_;
};

// Two steps of r and 1 times b's step; a's parts are scaled to r = ratio.value.
class Whole {
 public:
  Whole(const stats::Estimate& ratio, double b_step_ns)
      : ratio_(ratio), total_ns_((ratio.value - 1) * b_step_ns), base_ns_(b_step_ns) {}

  double a_step_ns() const { return ratio_.value * base_ns_; }
  double b_step_ns() const { return base_ns_; }

  report::Contribution contribution(const PartTime& a, const PartTime& b) const {
    report::Contribution result{a.time_ns, b.time_ns, a.time_ns - b.time_ns, 0, {}, report::Standing::unclear};
    result.share = result.difference_ns / total_ns_;
    // The share is monotonous in either part and in the ratio: its extremes lie in the corners.
    std::vector<double> corners;
    for (const double ratio : {ratio_.interval.low, ratio_.interval.high}) {
      for (const double a_ns : {a.interval.low, a.interval.high}) {
        for (const double b_ns : {b.interval.low, b.interval.high}) {
          corners.push_back((ratio / ratio_.value * a_ns - b_ns) / ((ratio - 1) * base_ns_));
        }
      }
    }
    const auto [low, high] = std::minmax_element(corners.begin(), corners.end());
    result.share_interval = {*low, *high};
    if (*low > 0) result.standing = report::Standing::cause;
    if (*high < 0) result.standing = report::Standing::opposed;
    return result;
  }

 private:
  stats::Estimate ratio_;
  double total_ns_;
  double base_ns_;
};

// Those of either side that is divided, and none for what no phase claims. Where one side is not, what it does in one
// piece may belong to any of the other's phases.
std::vector<report::PhasePart> phase_parts(const Side& a, const Side& b, const Whole& whole) {
  const bool only_bounded = a.basis().one_piece || b.basis().one_piece;
  std::set<std::optional<report::Phase>> phases = {std::nullopt};
  for (const Side* side : {&a, &b}) {
    if (side->basis().one_piece) continue;
    for (const OpName& name : side->op_names()) phases.insert(name.phase);
  }
  std::vector<report::PhasePart> parts;
  for (const auto& phase : phases) {
    report::Contribution contribution = whole.contribution(a.phase(phase), b.phase(phase));
    const stats::Interval& interval = contribution.share_interval;
    if (only_bounded) contribution.share = (interval.low + interval.high) / 2;
    parts.push_back({phase, contribution, only_bounded});
  }
  return parts;
}

// See OpPart. Without calls there is only length.
void split_by_calls(report::OpPart& part) {
  const report::Contribution& times = part.contribution;
  if (part.a_calls > 0 || part.b_calls > 0) {
    const double a_call_ns = part.a_calls > 0 ? times.a_ns / part.a_calls : times.b_ns / part.b_calls;
    const double b_call_ns = part.b_calls > 0 ? times.b_ns / part.b_calls : a_call_ns;
    part.by_calls_ns = (part.a_calls - part.b_calls) * (a_call_ns + b_call_ns) / 2;
  }
  part.by_length_ns = times.difference_ns - part.by_calls_ns;
}

report::Standing standing_in_phase(report::Standing own, report::Phase phase,
                                   const std::vector<report::PhasePart>& phases) {
  const auto found =
      std::find_if(phases.begin(), phases.end(), [&](const report::PhasePart& part) { return part.phase == phase; });
  const report::Standing of_phase = found->contribution.standing;
  if (of_phase == report::Standing::unclear) return report::Standing::unclear;
  return own == report::Standing::cause && of_phase != report::Standing::cause ? report::Standing::unclear : own;
}

// What parts of ops are compared by.
struct Comparison {
  const Side& a;
  const Side& b;
  const std::vector<report::PhasePart>& phases;
  const Whole& whole;
};

// Of the layers that `wanted` accepts; `layers` names them, empty: all together.
template <class Wanted>
report::OpPart op_part(const Comparison& by, const OpName& name, const Layers& layers, const Wanted& wanted) {
  const auto is_this = [&](const OpName& other) {
    return other.phase == name.phase && other.op == name.op && wanted(other.layers);
  };
  const PartTime of_a = by.a.part(is_this);
  const PartTime of_b = by.b.part(is_this);
  report::OpPart part;
  part.phase = name.phase;
  part.op = name.op;
  if (!layers.empty()) part.layers = layers;
  part.a_calls = of_a.calls;
  part.b_calls = of_b.calls;
  part.contribution = by.whole.contribution(of_a, of_b);
  part.contribution.standing = standing_in_phase(part.contribution.standing, part.phase, by.phases);
  split_by_calls(part);
  return part;
}

// Whether each layer is in one group alone, and every group says which layers it has.
bool are_apart(const std::set<Layers>& groups) {
  std::set<std::int64_t> seen;
  for (const Layers& layers : groups) {
    if (layers.empty()) return false;
    for (const std::int64_t layer : layers) {
      if (!seen.insert(layer).second) return false;
    }
  }
  return true;
}

// See OpPart. `groups`: the layers of the op's records on both sides.
std::vector<report::OpPart> parts_of_op(const Comparison& by, const OpName& name, const std::set<Layers>& groups) {
  const Layers common = groups.size() == 1 ? *groups.begin() : Layers();
  const report::OpPart together = op_part(by, name, common, [](const Layers&) { return true; });
  if (groups.size() == 1 || !are_apart(groups)) return {together};
  std::vector<report::OpPart> parts;
  for (const Layers& layers : groups) {
    parts.push_back(op_part(by, name, layers, [&](const Layers& other) { return other == layers; }));
  }
  const auto is_told = [](const report::OpPart& part) {
    return part.contribution.standing != report::Standing::unclear;
  };
  return std::none_of(parts.begin(), parts.end(), is_told) && is_told(together) ? std::vector<report::OpPart>{together}
                                                                                : parts;
}

std::vector<report::OpPart> op_parts(const Comparison& by) {
  std::map<OpName, std::set<Layers>> groups;
  for (const Side* side : {&by.a, &by.b}) {
    for (const OpName& name : side->op_names()) groups[{name.phase, name.op, {}}].insert(name.layers);
  }
  std::vector<report::OpPart> all;
  for (const auto& [name, layers] : groups) {
    const std::vector<report::OpPart> parts = parts_of_op(by, name, layers);
    all.insert(all.end(), parts.begin(), parts.end());
  }
  return all;
}

template <class Part>
void sort_by_size(std::vector<Part>& parts) {
  std::stable_sort(parts.begin(), parts.end(), [](const Part& x, const Part& y) {
    return std::abs(x.contribution.share) > std::abs(y.contribution.share);
  });
}

}  // namespace

report::ProfileBasis profile_basis(const report::Cell& cell, double step_ns) { return Side(cell, step_ns).basis(); }

std::optional<report::ProfileDifference> profile_difference(const report::Cell& a, const report::Cell& b,
                                                            const stats::Estimate& ratio) {
  const Whole whole(ratio, b.summary->step_ns.value);
  const Side side_a(a, whole.a_step_ns());
  const Side side_b(b, whole.b_step_ns());
  report::ProfileDifference result;
  result.a = side_a.basis();
  result.b = side_b.basis();
  if (result.a.one_piece && result.b.one_piece) return std::nullopt;
  result.phases = phase_parts(side_a, side_b, whole);
  if (!result.a.one_piece && !result.b.one_piece) result.ops = op_parts({side_a, side_b, result.phases, whole});
  sort_by_size(result.phases);
  sort_by_size(result.ops);
  return result;
}

}  // namespace gdbench::explain
