#include "harness/measure/goals.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/base/text.h"

namespace gdbench::measure {

namespace {

// Of an estimate: a budget that is named must do.
constexpr double kMargin = 1.1;

struct Duration {
  double number = 0;
  bool is_minutes = false;

  std::string words() const { return formatted(is_minutes ? "%.3g min" : "%.3g s", number); }
  std::string option() const { return formatted(is_minutes ? "%.3gm" : "%.3gs", number); }
};

// Rounded up to tens of seconds, from two minutes on to minutes.
Duration rounded_up(double seconds) {
  constexpr double kMinute = 60;
  if (seconds <= 2 * kMinute) return {10 * std::ceil(seconds / 10), false};
  return {std::ceil(seconds / kMinute), true};
}

// With the larger number of each cell's.
LaunchesOfCells together(LaunchesOfCells one, const LaunchesOfCells& other) {
  for (const auto& [cell, launches] : other) {
    const auto [place, is_new] = one.emplace(cell, launches);
    if (!is_new) place->second = std::max(place->second, launches);
  }
  return one;
}

}  // namespace

Goals::Goals(const RunOptions& options, const report::Report& report, const TimeNeeded& time)
    : options_(options), report_(report), time_(time) {}

bool Goals::is_open(std::size_t cell) const {
  const report::CellState state = report_.cells[cell].status.state;
  return state == report::CellState::ok || state == report::CellState::pending;
}

LaunchesOfCells Goals::missing(const Goal& goal) const {
  std::map<std::string, int> least;  // by scenario, whose cells are launched side by side
  for (const std::size_t cell : goal.cells) {
    if (!is_open(cell)) continue;
    const auto count = static_cast<int>(report_.cells[cell].launches.size());
    const auto [place, is_new] = least.emplace(report_.cells[cell].scenario, count);
    if (!is_new) place->second = std::min(place->second, count);
  }
  const int needed = goal.launches > 0 ? goal.launches : options_.decisive_launches;
  LaunchesOfCells missing;
  for (const std::size_t cell : goal.cells) {
    if (!is_open(cell)) continue;
    missing[cell] = std::max(0, needed - least.at(report_.cells[cell].scenario));
  }
  return missing;
}

bool Goals::choose() {
  if (has_none()) return false;
  const double reserved = options_.reserved_seconds;
  const double left = options_.budget_seconds - reserved - options_.elapsed();
  std::vector<const Goal*> open;
  for (const Goal& goal : options_.goals) open.push_back(&goal);
  std::set<std::size_t> wanted;
  LaunchesOfCells chosen;
  is_too_much_ = false;
  while (!open.empty()) {
    double least = std::numeric_limits<double>::infinity();
    auto cheapest = open.end();
    for (auto goal = open.begin(); goal != open.end(); ++goal) {
      if (cheapest != open.end() && (*goal)->is_beside && !(*cheapest)->is_beside) continue;
      const double seconds = time_.of(together(chosen, missing(**goal)));
      const bool is_nearer = cheapest != open.end() && (*cheapest)->is_beside && !(*goal)->is_beside;
      if (seconds >= least && !is_nearer) continue;
      least = seconds;
      cheapest = goal;
    }
    const Goal& goal = **cheapest;
    open.erase(cheapest);
    const bool fits = least <= left;
    if (!fits) say(goal, !wanted.empty(), kMargin * (options_.elapsed() + least + reserved));
    if (!fits && !wanted.empty()) continue;
    is_too_much_ = is_too_much_ || !fits;
    if (fits && needs_.erase(goal.name) > 0 && !goal.is_beside) options_.warn(goal.name + " fits after all");
    chosen = together(std::move(chosen), missing(goal));
    wanted.insert(goal.cells.begin(), goal.cells.end());
  }
  wanted_ = std::move(wanted);
  std::set<std::size_t> launched;
  for (const auto& [cell, launches] : chosen) {
    if (launches > 0) launched.insert(cell);
  }
  if (launched.empty()) launched = wanted_;
  return std::exchange(launched_, launched) != launched;
}

void Goals::say(const Goal& goal, bool comes_after_others, double seconds) {
  const Duration budget = rounded_up(seconds);
  const std::string need = cat(goal.name, comes_after_others ? ", after what is cheaper," : "", " needs about ",
                               budget.words(), ": --budget ", budget.option());
  const bool is_new = needs_.insert_or_assign(goal.name, need).second;
  if (!is_new || goal.is_beside) return;
  const bool is_minutes = std::fmod(options_.budget_seconds, 60) == 0;
  const Duration found{options_.budget_seconds / (is_minutes ? 60 : 1), is_minutes};
  options_.warn(cat(need, "; found ", found.words()));
}

std::string Goals::reason_without(std::size_t cell) const {
  std::string reason = "the budget left no time for it";
  for (const Goal& goal : options_.goals) {
    const auto need = needs_.find(goal.name);
    if (need == needs_.end() || std::ranges::find(goal.cells, cell) == goal.cells.end()) continue;
    return reason + "; " + need->second;
  }
  return reason;
}

}  // namespace gdbench::measure
