#include "harness/questions/claims/judge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include "harness/analysis/verdicts.h"
#include "harness/questions/claims/figures.h"
#include "harness/stats/estimate.h"

namespace gdbench::claims {

namespace {

using report::ClaimJudgement;
using report::ClaimRelation;
using report::ClaimVerdict;
using report::JudgedPoint;
using report::PointRule;
using report::PointState;
using report::RelationKind;
using stats::Position;

// What a point rests on.
struct Measured {
  analysis::Compared compared;  // base is b
  std::string unfit;            // why they decide nothing, however clear they are; empty where they may
};

// One relation of a claim in a report, whose `comparer` it is: its points, what they say together and where it flips.
// Where a control forbids verdicts about a scenario, times of its cells decide nothing.
class RelationJudge {
 public:
  RelationJudge(const ExpandedRelation& expanded, CellFinder& finder, const analysis::Comparer& comparer,
                const stats::VerdictOptions& options)
      : expanded_(expanded),
        relation_(*expanded.relation),
        finder_(finder),
        comparer_(comparer),
        options_(options),
        range_(range_of(relation_)),
        entries_(expanded.entries) {
    if (is_counted(relation_.quantity)) options_.minimum_launches = 1;
  }

  // Errors: a scenario that cannot be read.
  Result<report::JudgedRelation> run() {
    for (const Entry& entry : entries_) {
      TRY(measure(entry));
    }
    result_.relation = relation_;
    if (relation_.kind == RelationKind::trend) {
      judge_trend();
    } else if (relation_.kind == RelationKind::crossover) {
      judge_crossover();
    } else {
      judge_points();
    }
    result_.verdict = report::verdict_of(result_.points, relation_.rule);
    result_.deciding = deciding_point();
    return std::move(result_);
  }

 private:
  // Finds the cells of a point and their values; without them it is a point that was not run.
  Status measure(const Entry& entry) {
    JudgedPoint point;
    point.at = entry.at;
    point.decides = entry.decides;
    const report::Cell* cells[2] = {nullptr, nullptr};
    for (const int side : {0, 1}) {
      const CellFinder::Found found = TRY(finder_.find(side == 0 ? entry.a : entry.b));
      const report::Cell* cell = cells[side] = found.cell;
      if (cell != nullptr) (side == 0 ? point.a : point.b) = cell->id;
      std::string reason = found.reason;
      if (reason.empty()) reason = reason_without(relation_.quantity, *cell);
      if (reason.empty() || !point.remark.empty()) continue;
      point.remark = cell == nullptr ? reason : cell->id + ": " + reason;
    }
    measured_.emplace_back();
    if (point.remark.empty()) {
      measured_.back().compared = analysis::compared(relation_.quantity, entry.steps, *cells[1], *cells[0],
                                                     comparer_.are_side_by_side(*cells[1], *cells[0]));
      if (is_time(relation_.quantity)) measured_.back().unfit = comparer_.options(*cells[1], *cells[0]).unfit;
    }
    result_.points.push_back(std::move(point));
    return {};
  }

  bool was_run(std::size_t i) const { return result_.points[i].remark.empty(); }

  // Fills a point's figures; its state is the caller's. False: it cannot be decided, which the point then says.
  bool place(const stats::Estimate& ratio, const std::string& unfit, JudgedPoint& point) const {
    stats::VerdictOptions options = options_;
    options.unfit = unfit;
    stats::Placement placement = stats::place(ratio, range_, options);
    if (is_counted(relation_.quantity)) placement.ratio.within_one_process = false;
    point.ratio = placement.ratio;
    point.position = placement.position;
    point.remark = std::move(placement.remark);
    if (point.remark.empty() && placement.position == Position::across)
      point.remark = "the interval reaches across the limit";
    if (point.remark.empty()) return true;
    point.state = PointState::undecided;
    point.needed_launches = stats::needed_launches(*point.ratio, range_, options_.minimum_launches);
    const bool again = !unfit.empty() && point.needed_launches > 0;
    if (again) point.needed_launches = std::max(point.needed_launches, point.ratio->launches);
    return false;
  }

  bool place(std::size_t i, JudgedPoint& point) const {
    return place(measured_[i].compared.ratio(options_.confidence, options_.looks), measured_[i].unfit, point);
  }

  // What becomes of the ratio from one entry to another, which were not measured side by side.
  bool place_change(std::size_t first, std::size_t last, JudgedPoint& point) const {
    const double each = stats::confidence_of_each(options_.confidence);
    const std::string& unfit = measured_[first].unfit.empty() ? measured_[last].unfit : measured_[first].unfit;
    const stats::Estimate ratio = stats::unpaired_ratio(measured_[first].compared.ratio(each, options_.looks),
                                                        measured_[last].compared.ratio(each, options_.looks));
    return place(ratio, unfit, point);
  }

  void judge_points() {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      JudgedPoint& point = result_.points[i];
      if (!was_run(i) || !place(i, point)) continue;
      point.state = point.position == Position::within ? PointState::holds : PointState::fails;
    }
    const std::string axis = expanded_.flip_axis();
    if (!axis.empty()) add_flips(axis, [](const JudgedPoint& point) { return point.state; });
  }

  void judge_crossover() {
    for (const std::vector<std::size_t>& group : expanded_.groups_along(relation_.along)) {
      for (const std::size_t i : group) {
        JudgedPoint& point = result_.points[i];
        const bool first = i == group.front();
        const bool last = i == group.back();
        if (!was_run(i) || !place(i, point)) continue;
        const bool as_claimed = point.position == (first ? Position::below : Position::above);
        point.state = !first && !last ? PointState::shown : as_claimed ? PointState::holds : PointState::fails;
      }
    }
    add_flips(relation_.along, [](const JudgedPoint& point) {  // where a stops being ahead, or begins to be
      return point.position == Position::below   ? PointState::holds
             : point.position == Position::above ? PointState::fails
                                                 : PointState::undecided;
    });
  }

  void judge_trend() {
    std::vector<JudgedPoint> points;
    for (const std::vector<std::size_t>& group : expanded_.groups_along(relation_.along)) {
      const std::size_t first = group.front();
      const std::size_t last = group.back();
      JudgedPoint change;
      change.at = without(entries_[first].at, relation_.along);
      change.decides = result_.points[first].decides;
      change.at.emplace_back(relation_.along, *value_of(entries_[first].at, relation_.along) + " to " +
                                                  *value_of(entries_[last].at, relation_.along));
      change.a = result_.points[last].a;
      change.b = result_.points[last].b;
      if (!was_run(first) || !was_run(last)) {
        change.remark = result_.points[was_run(first) ? last : first].remark;
      } else if (place_change(first, last, change)) {
        change.state = change.position == Position::within ? PointState::holds : PointState::fails;
      }
      for (const std::size_t i : group) points.push_back(shown(i));
      points.push_back(std::move(change));
    }
    result_.points = std::move(points);
  }

  // A point on a trend's way: its ratio without a judgement.
  JudgedPoint shown(std::size_t i) const {
    JudgedPoint point = result_.points[i];
    point.decides = false;
    if (!was_run(i)) return point;
    point.ratio = measured_[i].compared.ratio(options_.confidence, options_.looks);
    if (is_counted(relation_.quantity)) point.ratio->within_one_process = false;
    point.state = PointState::shown;
    return point;
  }

  // Where a point whose state is to hold comes next to one whose state is to fail.
  template <class StateOf>
  void add_flips(const std::string& axis, const StateOf& state_of) {
    for (const std::vector<std::size_t>& group : expanded_.groups_along(axis)) {
      const JudgedPoint* before = nullptr;
      for (const std::size_t i : group) {
        const JudgedPoint& point = result_.points[i];
        const PointState state = state_of(point);
        if (state != PointState::holds && state != PointState::fails) continue;
        if (before != nullptr && state_of(*before) != state) {
          result_.flips.push_back({without(point.at, axis), axis, *value_of(before->at, axis),
                                   *value_of(point.at, axis), state == PointState::fails});
        }
        before = &point;
      }
    }
  }

  // How far a ratio is from the nearest limit.
  double depth(const JudgedPoint& point) const {
    double depth = std::numeric_limits<double>::infinity();
    for (const double limit : {range_.low, range_.high}) {
      if (limit > 0 && std::isfinite(limit)) depth = std::min(depth, std::abs(std::log(point.ratio->value / limit)));
    }
    return depth;
  }

  // The weakest of the points that must all agree, the strongest of those of which one is enough.
  std::optional<std::size_t> deciding_point() const {
    const ClaimVerdict verdict = result_.verdict;
    const bool judged = verdict == ClaimVerdict::confirmed || verdict == ClaimVerdict::refuted;
    const PointState wanted = verdict == ClaimVerdict::confirmed ? PointState::holds
                              : verdict == ClaimVerdict::refuted ? PointState::fails
                              : verdict == ClaimVerdict::not_run ? PointState::not_run
                                                                 : PointState::undecided;
    const bool weakest = (verdict == ClaimVerdict::confirmed) == (relation_.rule == PointRule::all);
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < result_.points.size(); ++i) {
      const JudgedPoint& point = result_.points[i];
      if (!point.decides || point.state != wanted) continue;
      if (!best) {
        best = i;
      } else if (judged && (depth(point) < depth(result_.points[*best])) == weakest) {
        best = i;
      }
    }
    return best;
  }

  const ExpandedRelation& expanded_;
  const ClaimRelation& relation_;
  CellFinder& finder_;
  const analysis::Comparer& comparer_;
  stats::VerdictOptions options_;
  stats::Interval range_;
  const std::vector<Entry>& entries_;
  std::vector<Measured> measured_;  // of the entries
  report::JudgedRelation result_;
};

// How many points of the relation decide.
std::size_t deciding_points(const ExpandedRelation& expanded) {
  const ClaimRelation& relation = *expanded.relation;
  if (relation.kind != RelationKind::trend) {
    return static_cast<std::size_t>(std::ranges::count(expanded.entries, true, &Entry::decides));
  }
  const auto groups = expanded.groups_along(relation.along);  // of which each is one point
  return static_cast<std::size_t>(std::ranges::count_if(
      groups, [&](const std::vector<std::size_t>& group) { return expanded.entries[group.front()].decides; }));
}

stats::VerdictOptions options_for(const ExpandedClaim& claim, stats::Looks looks) {
  std::size_t points = 0;
  for (const ExpandedRelation& relation : claim.relations) {
    if (relation.relation->decides) points += deciding_points(relation);
  }
  stats::VerdictOptions options;
  options.confidence = 1 - (1 - options.confidence) / static_cast<double>(std::max<std::size_t>(points, 1));
  options.looks = looks;
  // A ratio of ratios has intervals that are surer.
  if (looks == stats::Looks::every)
    options.minimum_launches = stats::min_launches(stats::confidence_of_each(options.confidence), looks);
  return options;
}

// What a launch of all the claim's cells takes: those that are launched together run side by side, groups one after the
// other.
double seconds_of_a_launch(const ClaimJudgement& judgement, const report::Report& report) {
  std::set<std::string> ids;
  for (const report::JudgedRelation& relation : judgement.relations) {
    for (const JudgedPoint& point : relation.points) ids.insert({point.a, point.b});
  }
  std::unordered_map<std::string, double> groups;  // by the first scenario of each
  for (const report::Cell& cell : report.cells) {
    if (!ids.contains(cell.id) || !cell.summary) continue;
    const report::ScenarioRecord* scenario = report.find_scenario(cell.scenario);
    const bool is_grouped = scenario != nullptr && scenario->side_by_side;
    double& seconds = groups[is_grouped ? scenario->side_by_side->first : cell.scenario];
    seconds = std::max(seconds, cell.summary->launch_seconds);
  }
  double sum = 0;
  for (const auto& [first, seconds] : groups) sum += seconds;
  return sum;
}

// All undecided points of a relation are to be decided, or one of them where one is enough; 0 where that is hopeless.
int needed_launches_of(const report::JudgedRelation& relation) {
  std::vector<int> needed;
  for (const JudgedPoint& point : relation.points) {
    if (point.decides && point.state == PointState::undecided) needed.push_back(point.needed_launches);
  }
  if (relation.relation.rule == report::PointRule::any) {
    std::erase(needed, 0);
    return needed.empty() ? 0 : *std::min_element(needed.begin(), needed.end());
  }
  const bool hopeless = needed.empty() || std::find(needed.begin(), needed.end(), 0) != needed.end();
  return hopeless ? 0 : *std::max_element(needed.begin(), needed.end());
}

void add_need(const report::Report& report, ClaimJudgement& judgement) {
  for (const report::JudgedRelation& relation : judgement.relations) {
    if (!relation.relation.decides || relation.verdict != ClaimVerdict::inconclusive) continue;
    const int launches = needed_launches_of(relation);
    if (launches == 0) {
      judgement.needed_launches = 0;
      return;
    }
    judgement.needed_launches = std::max(judgement.needed_launches, launches);
  }
  constexpr int kVerification = 1;  // which takes about as long as a launch
  judgement.needed_seconds = (judgement.needed_launches + kVerification) * seconds_of_a_launch(judgement, report);
}

}  // namespace

int fewest_launches(const ExpandedClaim& claim, stats::Looks looks) {
  return options_for(claim, looks).minimum_launches;
}

Result<ClaimJudgement> judge(const ExpandedClaim& claim, const report::Report& report) {
  ClaimJudgement judgement;
  judgement.id = claim.claim->id;
  judgement.sentence = claim.claim->sentence;
  judgement.source = claim.claim->source;
  judgement.question = claim.claim->question;
  judgement.setting = claim.claim->setting;
  CellFinder finder(report);
  const analysis::Comparer comparer(report);
  const stats::VerdictOptions options = options_for(claim, comparer.looks());
  std::vector<ClaimVerdict> verdicts;
  for (const ExpandedRelation& expanded : claim.relations) {
    report::JudgedRelation relation = TRY(RelationJudge(expanded, finder, comparer, options).run());
    if (expanded.relation->decides) verdicts.push_back(relation.verdict);
    judgement.relations.push_back(std::move(relation));
  }
  judgement.verdict = report::verdict_of(verdicts);
  const auto deciding =
      std::find_if(judgement.relations.begin(), judgement.relations.end(), [&](const report::JudgedRelation& relation) {
        return relation.relation.decides && relation.verdict == judgement.verdict;
      });
  judgement.deciding = static_cast<std::size_t>(deciding - judgement.relations.begin());
  if (judgement.verdict == ClaimVerdict::inconclusive) add_need(report, judgement);
  return judgement;
}

}  // namespace gdbench::claims
