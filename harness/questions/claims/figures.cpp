#include "harness/questions/claims/figures.h"

#include <cmath>
#include <map>

#include "harness/analysis/launch_costs.h"
#include "harness/analysis/pairing.h"

namespace gdbench::claims {

namespace {

using report::Cell;
using report::Launch;
using report::Quantity;
using stats::Pair;

// Launch -> value.
using ByLaunch = std::map<int, double>;

ByLaunch steps_by_launch(const Cell& cell) {
  ByLaunch values;
  for (auto& [launch, times] : analysis::times_by_launch(cell)) values[launch] = stats::median(times);
  return values;
}

ByLaunch of_launches(const Cell& cell, double (*value)(const Launch&)) {
  ByLaunch values;
  for (const Launch& launch : cell.launches) values[launch.launch] = value(launch);
  return values;
}

ByLaunch values_of(Quantity quantity, std::uint64_t steps, const Cell& cell) {
  switch (quantity) {
    case Quantity::step:
      return steps_by_launch(cell);
    case Quantity::time_to_target:
      return analysis::training_times(cell, cell.target->steps);
    case Quantity::time_for_steps:
      return analysis::training_times(cell, steps);
    case Quantity::first_step:
      return of_launches(cell, [](const Launch& launch) { return launch.first_step_ns; });
    case Quantity::peak_memory:
      return of_launches(cell, [](const Launch& launch) { return static_cast<double>(launch.peak_resident_bytes); });
    case Quantity::own_memory:
      return of_launches(
          cell, [](const Launch& launch) { return static_cast<double>(launch.peak_anonymous_bytes.value_or(0)); });
    case Quantity::steps_to_target:
      return {{0, static_cast<double>(cell.target->steps)}};
  }
  return {};
}

std::vector<Pair> paired(const ByLaunch& base, const ByLaunch& candidate) {
  std::vector<Pair> pairs;
  for (const auto& [launch, value] : candidate) {
    const auto found = base.find(launch);
    if (found != base.end()) pairs.push_back({launch, found->second, value});
  }
  return pairs;
}

// Per launch the logarithm of the ratio, the median over its pairs.
ByLaunch logarithms(const std::vector<Pair>& pairs) {
  std::map<int, std::vector<double>> values;
  for (const Pair& pair : pairs) values[pair.launch].push_back(std::log(pair.candidate / pair.base));
  ByLaunch medians;
  for (auto& [launch, list] : values) medians[launch] = stats::median(std::move(list));
  return medians;
}

}  // namespace

std::vector<Pair> pairs_of(Quantity quantity, std::uint64_t steps, const Cell& base, const Cell& candidate) {
  if (quantity == Quantity::step && analysis::group_of(base) == analysis::group_of(candidate)) {
    return analysis::pairs_of(base, candidate);
  }
  return paired(values_of(quantity, steps, base), values_of(quantity, steps, candidate));
}

std::string reason_without(Quantity quantity, const Cell& cell) {
  if (quantity == Quantity::own_memory) {
    for (const Launch& launch : cell.launches) {
      if (!launch.peak_anonymous_bytes) return "its own memory was not read";
    }
  }
  if (quantity != Quantity::steps_to_target && quantity != Quantity::time_to_target) return "";
  if (!cell.target) return "it was not trained to a target";
  if (cell.target->state != report::TargetState::reached) {
    return std::string("it did not reach the target loss: ") + report::name_of(cell.target->state) + " after " +
           std::to_string(cell.target->stopped_after) + " steps";
  }
  return cell.target->steps == 0 ? "its loss is at the target from the start" : "";
}

bool is_counted(Quantity quantity) { return quantity == Quantity::steps_to_target; }

bool is_time(Quantity quantity) {
  return !is_counted(quantity) && quantity != Quantity::peak_memory && quantity != Quantity::own_memory;
}

std::vector<Pair> change_of_ratio(const std::vector<Pair>& first, const std::vector<Pair>& last) {
  std::vector<Pair> pairs = paired(logarithms(first), logarithms(last));
  for (Pair& pair : pairs) {
    pair.base = std::exp(pair.base);
    pair.candidate = std::exp(pair.candidate);
  }
  return pairs;
}

}  // namespace gdbench::claims
