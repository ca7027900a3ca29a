#include "harness/result/summarise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "harness/result/ceilings.h"

namespace gdbench::result {

namespace {

// Enough for a stop rule that runs after every launch; reports use the default of BootstrapOptions.
constexpr int kResamplesOfStopRule = 200;
constexpr int kFewestLaunches = 3;

bool is_used(const Sample& sample) { return !sample.cold && std::isfinite(sample.real_ns) && sample.real_ns > 0; }

std::vector<stats::Observation> observations_of(const Cell& cell) {
  std::vector<stats::Observation> observations;
  observations.reserve(cell.samples.size());
  for (const Sample& sample : cell.samples) {
    if (is_used(sample)) observations.push_back({sample.launch, sample.real_ns});
  }
  return observations;
}

double median_over_launches(const Cell& cell, double Launch::*field) {
  std::vector<double> values;
  values.reserve(cell.launches.size());
  for (const Launch& launch : cell.launches) {
    if (std::isfinite(launch.*field)) values.push_back(launch.*field);
  }
  return stats::median(std::move(values));
}

Summary summary_of(const Cell& cell, const std::vector<stats::Observation>& observations,
                   const stats::BootstrapOptions& bootstrap) {
  std::vector<double> values;
  values.reserve(observations.size());
  for (const stats::Observation& observation : observations) values.push_back(observation.value);

  Summary summary;
  summary.step_ns = stats::clustered_median(observations, bootstrap);
  summary.median_absolute_deviation_ns = stats::median_absolute_deviation(values);
  summary.samples = static_cast<int>(observations.size());
  summary.first_step_ns = median_over_launches(cell, &Launch::first_step_ns);
  summary.start_seconds = median_over_launches(cell, &Launch::start_seconds);
  summary.load_seconds = median_over_launches(cell, &Launch::load_seconds);
  summary.prepare_seconds = median_over_launches(cell, &Launch::prepare_seconds);
  summary.launch_seconds = median_over_launches(cell, &Launch::total_seconds);
  for (const Launch& launch : cell.launches) {
    summary.peak_resident_bytes = std::max(summary.peak_resident_bytes, launch.peak_resident_bytes);
  }
  return summary;
}

// Samples by (launch, round); where a visit timed several blocks, in the order of measuring.
using Visits = std::unordered_map<std::uint64_t, std::vector<double>>;

std::uint64_t visit_of(const Sample& sample) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(sample.launch)) << 32 |
         static_cast<std::uint32_t>(sample.round);
}

Visits visits_of(const Cell& cell) {
  Visits visits;
  for (const Sample& sample : cell.samples) {
    if (is_used(sample)) visits[visit_of(sample)].push_back(sample.real_ns);
  }
  return visits;
}

std::vector<stats::Pair> pairs_of(const Visits& baseline, const Cell& candidate) {
  std::vector<stats::Pair> pairs;
  std::unordered_map<std::uint64_t, std::size_t> taken;
  for (const Sample& sample : candidate.samples) {
    if (!is_used(sample)) continue;
    const auto visit = baseline.find(visit_of(sample));
    if (visit == baseline.end()) continue;
    const std::size_t block = taken[visit->first]++;
    if (block < visit->second.size()) pairs.push_back({sample.launch, visit->second[block], sample.real_ns});
  }
  return pairs;
}

// Cells that are compared with each other.
std::string group_of(const Cell& cell) { return cell.scenario + "\n" + std::to_string(cell.threads) + "\n" + cell.arm; }

struct Baseline {
  const Cell* cell = nullptr;
  Visits visits;
};

// The baseline cell of each group: the one with default options, else the first.
std::unordered_map<std::string, Baseline> baselines_of(const Report& report) {
  std::unordered_map<std::string, Baseline> baselines;
  for (const Cell& cell : report.cells) {
    if (cell.implementation != report.run.baseline || !cell.summary) continue;
    Baseline& baseline = baselines[group_of(cell)];
    if (baseline.cell == nullptr || (!baseline.cell->options.empty() && cell.options.empty())) baseline.cell = &cell;
  }
  for (auto& [group, baseline] : baselines) baseline.visits = visits_of(*baseline.cell);
  return baselines;
}

}  // namespace

std::vector<stats::Pair> paired_samples(const Cell& base, const Cell& candidate) {
  return pairs_of(visits_of(base), candidate);
}

stats::Estimate step_time(const Cell& cell, const stats::BootstrapOptions& options) {
  return stats::clustered_median(observations_of(cell), options);
}

void summarise(Report& report) {
  stats::VerdictOptions options;
  options.bootstrap.seed = report.run.seed;
  for (Cell& cell : report.cells) {
    cell.summary.reset();
    if (cell.status.state != CellState::ok) continue;
    const std::vector<stats::Observation> observations = observations_of(cell);
    if (!observations.empty()) cell.summary = summary_of(cell, observations, options.bootstrap);
  }
  add_ceiling_shares(report);
  const std::unordered_map<std::string, Baseline> baselines = baselines_of(report);
  for (Cell& cell : report.cells) {
    if (!cell.summary) continue;
    const auto baseline = baselines.find(group_of(cell));
    if (baseline == baselines.end() || baseline->second.cell == &cell) continue;
    const std::vector<stats::Pair> pairs = pairs_of(baseline->second.visits, cell);
    if (pairs.empty()) continue;
    cell.summary->ratio = RatioToBaseline{baseline->second.cell->id, stats::compare(pairs, options)};
  }
}

double relative_precision(const Cell& cell) {
  stats::BootstrapOptions bootstrap;
  bootstrap.resamples = kResamplesOfStopRule;
  const stats::Estimate estimate = stats::clustered_median(observations_of(cell), bootstrap);
  if (estimate.launches < kFewestLaunches || !(estimate.value > 0)) return std::numeric_limits<double>::infinity();
  return (estimate.interval.high - estimate.interval.low) / 2 / estimate.value;
}

}  // namespace gdbench::result
