#include "harness/questions/crossover/crossover.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "harness/analysis/launch_costs.h"
#include "harness/analysis/pairing.h"
#include "harness/analysis/summarise.h"
#include "harness/stats/estimate.h"

namespace gdbench::crossover {

namespace {

constexpr int kLaunchesOfSteps = 20;    // at first
constexpr double kLargestMargin = 0.1;  // that is worth a proposal

class Search {
 public:
  Search(const CrossoverRequest& request, const measure::RunOptions& options, report::Crossover& crossover)
      : request_(request), options_(options), crossover_(crossover) {
    verdict_.margin = crossover.margin;
    verdict_.confidence = crossover.confidence;
    verdict_.looks = stats::Looks::every;  // each launch of a size may be its last
    verdict_.minimum_launches = stats::min_launches(crossover.confidence, verdict_.looks);
  }

  Status run() {
    crossover_.complete = false;
    while (!options_.cancelled()) {
      const std::optional<stats::SizeToMeasure> wanted = stats::next_size(compared_, request_.search);
      crossover_.complete = !wanted;
      if (!wanted || !fits(expected_seconds(*wanted))) return {};
      const bool measured = TRY(measure(*wanted));
      if (!measured) return {};
    }
    return {};
  }

  void finish(report::Report& report) {
    crossover_.answer = stats::find_crossover(compared_, crossover_.margin);
    crossover_.need = need();
    for (auto& [size, measured] : sizes_) {
      const report::Report& own = measured.group.report();
      if (const auto compared = compared_.find(size); compared != compared_.end()) {
        crossover_.points.push_back({size, analysis::step_time(own.cells[0], verdict_.confidence),
                                     analysis::step_time(own.cells[1], verdict_.confidence), compared->second});
      }
      report.scenarios.insert(report.scenarios.end(), own.scenarios.begin(), own.scenarios.end());
      report.cells.insert(report.cells.end(), own.cells.begin(), own.cells.end());
    }
  }

 private:
  struct Measured {
    measure::CellGroup group;
    double verify_seconds = 0;
    double launches_seconds = 0;  // of all of them

    double seconds_of(int launches) const { return verify_seconds + launches * seconds_of_a_launch(); }
    double seconds_of_a_launch() const { return group.launches() > 0 ? launches_seconds / group.launches() : 0; }
  };

  // Both ends are measured in any case: without them nothing can be said.
  bool fits(double seconds) const {
    return compared_.size() < 2 || options_.elapsed() + seconds <= options_.budget_seconds;
  }

  // Of a known size launches fit one by one; what a new one takes lies between its neighbours.
  double expected_seconds(const stats::SizeToMeasure& wanted) const {
    const auto above = sizes_.lower_bound(wanted.size);
    if (above == sizes_.end()) return 0;
    if (above->first == wanted.size) return above->second.seconds_of_a_launch();
    if (above == sizes_.begin()) return 0;
    const auto below = std::prev(above);
    const double low = below->second.seconds_of(wanted.launches);
    const double high = above->second.seconds_of(wanted.launches);
    const auto distance = static_cast<double>(wanted.size - below->first);
    return low + (high - low) * distance / static_cast<double>(above->first - below->first);
  }

  // False: a cell failed or it was cancelled.
  Result<bool> measure(const stats::SizeToMeasure& wanted) {
    auto found = sizes_.find(wanted.size);
    if (found == sizes_.end()) {
      measure::CellGroup planned = TRY(request_.plan(wanted.size));
      found = sizes_.emplace(wanted.size, Measured{std::move(planned)}).first;
      const double before = options_.elapsed();
      TRY(found->second.group.verify(options_));
      found->second.verify_seconds = options_.elapsed() - before;
    }
    measure::CellGroup& group = found->second.group;
    while (group.launches() < wanted.launches && group.failed_cell() == nullptr && !options_.cancelled()) {
      if (compare(group).verdict != stats::Verdict::inconclusive) break;
      if (!fits(found->second.seconds_of_a_launch()) && group.launches() >= options_.minimum_launches) break;
      show_progress(wanted, group);
      const double before = options_.elapsed();
      TRY(group.launch(options_));
      found->second.launches_seconds += options_.elapsed() - before;
    }
    group.release();
    if (group.failed_cell() != nullptr || options_.cancelled()) return false;
    compared_[wanted.size] = compare(group);
    return true;
  }

  stats::Comparison compare(const measure::CellGroup& group) const {
    const auto& cells = group.report().cells;
    return stats::compare(analysis::pairs_of(cells[1], cells[0]), verdict_);
  }

  std::optional<report::CrossoverNeed> need() const {
    report::CrossoverNeed need;
    need.sizes = stats::open_sizes(compared_);
    if (need.sizes.empty()) return std::nullopt;
    const stats::Interval range = stats::margin_range(crossover_.margin);
    bool worth_a_try = true;
    bool enough_for_margin = true;
    need.budget_seconds = options_.elapsed();
    for (const std::int64_t size : need.sizes) {
      const stats::Estimate& ratio = compared_.at(size).ratio;
      const int launches = stats::needed_launches(ratio, range, verdict_.minimum_launches);
      const int more = std::max(launches - ratio.launches, 0);
      worth_a_try = worth_a_try && launches > 0;
      enough_for_margin = enough_for_margin && ratio.launches >= verdict_.minimum_launches;
      need.launches += more;
      need.budget_seconds += more * sizes_.at(size).seconds_of_a_launch();
      need.margin = std::max({need.margin, ratio.interval.high - 1, 1 / ratio.interval.low - 1});
    }
    if (!worth_a_try) need.launches = 0;
    if (!enough_for_margin || need.margin > kLargestMargin) need.margin = 0;
    return need;
  }

  void show_progress(const stats::SizeToMeasure& wanted, const measure::CellGroup& group) const {
    options_.progress({"measure " + crossover_.axis + "=" + std::to_string(wanted.size) + ", launch " +
                           std::to_string(group.launches() + 1) + " of " + std::to_string(wanted.launches),
                       std::min(1.0, options_.elapsed() / options_.budget_seconds), -1});
  }

  const CrossoverRequest& request_;
  const measure::RunOptions& options_;
  report::Crossover& crossover_;
  stats::VerdictOptions verdict_;
  std::map<std::int64_t, Measured> sizes_;
  stats::ComparedSizes compared_;
};

// Without a name; of a cell without a time nothing.
report::StartCost start_cost(const report::Cell& cell) {
  if (!cell.summary) return {};
  const report::Summary& summary = *cell.summary;
  return {{},
          summary.load_seconds,
          summary.prepare_seconds,
          summary.first_step_ns,
          summary.ready_ns.value_or(0),
          summary.step_ns};
}

report::StepsCrossover steps_crossover(const measure::CellGroup& group, double margin) {
  report::Report report = group.report();
  analysis::summarise(report);
  const std::vector<report::Cell>& cells = report.cells;
  report::StepsCrossover crossover;
  crossover.scenario = report.scenarios.front().label;
  crossover.sides = {start_cost(cells[0]), start_cost(cells[1])};
  crossover.faster = crossover.sides[1].step_ns.value < crossover.sides[0].step_ns.value ? 1 : 0;
  crossover.answer = stats::break_even(analysis::launch_costs(cells[crossover.faster]),
                                       analysis::launch_costs(cells[1 - crossover.faster]), margin);
  return crossover;
}

}  // namespace

Status measure_crossover(const CrossoverRequest& request, const measure::RunOptions& options,
                         report::Crossover& crossover, report::Report& report) {
  Search search(request, options, crossover);
  const Status status = search.run();
  search.finish(report);
  return status;
}

Result<report::StepsCrossover> measure_break_even(measure::CellGroup& group, const measure::RunOptions& options,
                                                  double margin) {
  TRY(group.verify(options));
  const auto stopped = [&] { return group.failed_cell() != nullptr || options.cancelled(); };
  const int first = options.launches > 0 ? options.launches : kLaunchesOfSteps;
  const int most = options.launches > 0 ? options.launches : stats::kMaxLaunchesWorthATry;
  for (int wanted = first;; wanted = std::min(2 * wanted, most)) {
    const auto spent = [&] { return group.launches() >= first && options.elapsed() > options.budget_seconds; };
    while (group.launches() < wanted && !stopped() && !spent()) {
      options.progress(
          {"launch " + std::to_string(group.launches() + 1), static_cast<double>(group.launches()) / wanted, -1});
      TRY(group.launch(options));
    }
    report::StepsCrossover crossover = steps_crossover(group, margin);
    if (wanted == most || stopped() || spent() || crossover.is_decided()) return crossover;
  }
}

}  // namespace gdbench::crossover
