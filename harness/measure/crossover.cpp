#include "harness/measure/crossover.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <utility>

#include "harness/result/launch_costs.h"
#include "harness/result/pairing.h"
#include "harness/result/summarise.h"

namespace gdbench::measure {

namespace {

using Clock = std::chrono::steady_clock;

class Search {
 public:
  Search(const CrossoverRequest& request, const RunOptions& options, result::Crossover& crossover)
      : request_(request), options_(options), crossover_(crossover) {
    verdict_.margin = crossover.margin;
    verdict_.confidence = crossover.confidence;
    verdict_.minimum_launches = stats::fewest_launches(crossover.confidence);
  }

  Status run() {
    crossover_.complete = false;
    while (!options_.cancelled()) {
      const std::optional<stats::SizeToMeasure> wanted = stats::next_size(compared_, request_.search);
      crossover_.complete = !wanted;
      if (!wanted || budget_spent()) return {};
      const Result<bool> measured = measure(*wanted);
      if (!measured.ok()) return measured.error();
      if (!measured.value()) return {};
    }
    return {};
  }

  void finish(result::Report& report) {
    crossover_.answer = stats::find_crossover(compared_);
    for (auto& [size, group] : groups_) {
      const auto& cells = group.report().cells;
      if (const auto compared = compared_.find(size); compared != compared_.end()) {
        crossover_.points.push_back({size, result::step_time(cells[0], verdict_.confidence),
                                     result::step_time(cells[1], verdict_.confidence), compared->second});
      }
      report.scenarios.insert(report.scenarios.end(), group.report().scenarios.begin(), group.report().scenarios.end());
      report.cells.insert(report.cells.end(), cells.begin(), cells.end());
    }
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }

  // Both ends are measured in any case: without them nothing can be said.
  bool budget_spent() const { return compared_.size() >= 2 && elapsed() > options_.budget_seconds; }

  // False: a cell failed or it was cancelled.
  Result<bool> measure(const stats::SizeToMeasure& wanted) {
    auto found = groups_.find(wanted.size);
    if (found == groups_.end()) {
      Result<CellGroup> planned = request_.plan(wanted.size);
      if (!planned.ok()) return planned.error();
      found = groups_.emplace(wanted.size, std::move(planned).value()).first;
      if (Status status = found->second.verify(options_); !status.ok()) return status.error();
    }
    CellGroup& group = found->second;
    while (group.launches() < wanted.launches && group.failed_cell() == nullptr && !options_.cancelled()) {
      if (budget_spent() && group.launches() >= options_.minimum_launches) break;
      show_progress(wanted, group);
      if (Status status = group.launch(options_); !status.ok()) return status.error();
    }
    group.release();
    if (group.failed_cell() != nullptr || options_.cancelled()) return false;
    const auto& cells = group.report().cells;
    compared_[wanted.size] = stats::compare(result::pairs_of(cells[1], cells[0]), verdict_);
    return true;
  }

  void show_progress(const stats::SizeToMeasure& wanted, const CellGroup& group) const {
    options_.progress({"measure " + crossover_.axis + "=" + std::to_string(wanted.size) + ", launch " +
                           std::to_string(group.launches() + 1) + " of " + std::to_string(wanted.launches),
                       std::min(1.0, elapsed() / options_.budget_seconds), -1});
  }

  const CrossoverRequest& request_;
  const RunOptions& options_;
  result::Crossover& crossover_;
  stats::VerdictOptions verdict_;
  Clock::time_point started_ = Clock::now();
  std::map<std::int64_t, CellGroup> groups_;
  stats::ComparedSizes compared_;
};

double median_of(const std::vector<result::Launch>& launches, double result::Launch::*field) {
  std::vector<double> values;
  for (const result::Launch& launch : launches) values.push_back(launch.*field);
  return stats::median(std::move(values));
}

result::StartCost start_cost(const result::Cell& cell) {
  return {cell.implementation, median_of(cell.launches, &result::Launch::load_seconds),
          median_of(cell.launches, &result::Launch::prepare_seconds),
          median_of(cell.launches, &result::Launch::first_step_ns), result::step_time(cell)};
}

}  // namespace

Status measure_crossover(const CrossoverRequest& request, const RunOptions& options, result::Crossover& crossover,
                         result::Report& report) {
  Search search(request, options, crossover);
  const Status status = search.run();
  search.finish(report);
  return status;
}

Result<result::StepsCrossover> measure_break_even(CellGroup& group, const RunOptions& options) {
  if (Status status = group.verify(options); !status.ok()) return status.error();
  while (group.launches() < options.launches && group.failed_cell() == nullptr && !options.cancelled()) {
    const double share = static_cast<double>(group.launches()) / options.launches;
    options.progress({"launch " + std::to_string(group.launches() + 1), share, -1});
    if (Status status = group.launch(options); !status.ok()) return status.error();
  }
  stats::BootstrapOptions bootstrap;
  bootstrap.seed = options.seed;
  const auto& cells = group.report().cells;
  result::StepsCrossover crossover;
  crossover.scenario = group.report().scenarios.front().label;
  crossover.sides = {start_cost(cells[0]), start_cost(cells[1])};
  crossover.faster = crossover.sides[1].step_ns.value < crossover.sides[0].step_ns.value ? 1 : 0;
  crossover.answer =
      stats::break_even(result::launch_costs(cells[crossover.faster]),
                        result::launch_costs(cells[1 - crossover.faster]), stats::margin_of({}), bootstrap);
  return crossover;
}

}  // namespace gdbench::measure
