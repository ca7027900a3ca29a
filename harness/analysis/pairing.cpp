#include "harness/analysis/pairing.h"

#include <algorithm>
#include <cmath>

namespace gdbench::analysis {

namespace {

std::uint64_t visit_of(const report::Sample& sample) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(sample.launch)) << 32 |
         static_cast<std::uint32_t>(sample.round);
}

bool is_used(const report::Sample& sample) {
  return !sample.cold && std::isfinite(sample.real_ns) && sample.real_ns > 0;
}

}  // namespace

ByLaunch step_by_launch(const report::Cell& cell) {
  ByLaunch steps;
  for (const stats::Observation& observation : observations_of(cell)) {
    double& least = steps.emplace(observation.launch, observation.value).first->second;
    least = std::min(least, observation.value);
  }
  return steps;
}

std::vector<stats::Observation> observations_of(const report::Cell& cell) {
  std::vector<stats::Observation> observations;
  observations.reserve(cell.samples.size());
  for (const report::Sample& sample : cell.samples) {
    if (is_used(sample)) observations.push_back({sample.launch, sample.real_ns});
  }
  return observations;
}

Visits visits_of(const report::Cell& cell) {
  Visits visits;
  for (const report::Sample& sample : cell.samples) {
    if (is_used(sample)) visits[visit_of(sample)].push_back(sample.real_ns);
  }
  return visits;
}

std::vector<stats::Pair> pairs_of(const Visits& base, const report::Cell& candidate) {
  std::vector<stats::Pair> pairs;
  std::unordered_map<std::uint64_t, std::size_t> taken;
  for (const report::Sample& sample : candidate.samples) {
    if (!is_used(sample)) continue;
    const auto visit = base.find(visit_of(sample));
    if (visit == base.end()) continue;
    const std::size_t block = taken[visit->first]++;
    if (block < visit->second.size()) pairs.push_back({sample.launch, visit->second[block], sample.real_ns});
  }
  return pairs;
}

std::vector<stats::Pair> pairs_of(const report::Cell& base, const report::Cell& candidate) {
  return pairs_of(visits_of(base), candidate);
}

const std::string* option_of(const report::Cell& cell, const std::string& key) {
  if (const auto changed = cell.options.find(key); changed != cell.options.end()) return &changed->second;
  if (!cell.default_options) return nullptr;
  const auto unchanged = cell.default_options->find(key);
  return unchanged == cell.default_options->end() ? nullptr : &unchanged->second;
}

std::string group_of(const report::Cell& cell) {
  return cell.scenario + "\n" + std::to_string(cell.threads) + "\n" + cell.arm;
}

}  // namespace gdbench::analysis
