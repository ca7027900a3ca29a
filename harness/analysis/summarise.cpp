#include "harness/analysis/summarise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "harness/analysis/attribution.h"
#include "harness/analysis/ceilings.h"
#include "harness/analysis/launch_costs.h"
#include "harness/analysis/pairing.h"
#include "harness/analysis/scaling.h"
#include "harness/analysis/values.h"
#include "harness/analysis/verdicts.h"
#include "harness/base/text.h"

namespace gdbench::analysis {

namespace {

constexpr int kMinLaunches = 3;

// Of a processor, for helper threads that only wake and wait. Native rows and NumPy stay below 1.01, frameworks that
// hand each step to a thread of their own at 1.00 to 1.06; with a second thread that computes it is 1.35 and more.
constexpr double kHelperAllowance = 0.15;

// Median over warm samples; nothing where none has that value.
template <class Value>
std::optional<double> median_over_samples(const report::Cell& cell, const Value& value_of) {
  std::vector<double> values;
  for (const report::Sample& sample : cell.samples) {
    const std::optional<double> value = value_of(sample);
    if (!sample.cold && value && sample.real_ns > 0) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return stats::median(std::move(values));
}

// CPU time of all threads of the process over wall time.
std::optional<double> processors_used(const report::Cell& cell) {
  return median_over_samples(
      cell, [](const report::Sample& sample) { return std::optional(sample.cpu_ns / sample.real_ns); });
}

// In all-reduces, of a rank.
std::optional<double> exchange_share(const report::Cell& cell) {
  return median_over_samples(cell, [](const report::Sample& sample) -> std::optional<double> {
    if (!sample.exchange_ns) return std::nullopt;
    return *sample.exchange_ns / sample.real_ns;
  });
}

double median_over_launches(const report::Cell& cell, double report::Launch::*field) {
  std::vector<double> values;
  values.reserve(cell.launches.size());
  for (const report::Launch& launch : cell.launches) {
    if (std::isfinite(launch.*field)) values.push_back(launch.*field);
  }
  return stats::median(std::move(values));
}

std::optional<report::ScriptTime> script_time(const report::Cell& cell) {
  const ByLaunch steps = step_by_launch(cell);
  std::vector<stats::Pair> pairs;
  std::vector<double> page_faults;
  for (const report::Launch& launch : cell.launches) {
    const auto steady = steps.find(launch.launch);
    if (!launch.script || steady == steps.end()) continue;
    pairs.push_back({launch.launch, steady->second, launch.script->step_ns});
    if (launch.script->page_faults) page_faults.push_back(*launch.script->page_faults);
  }
  if (pairs.empty()) return std::nullopt;
  report::ScriptTime script{stats::paired_ratio(pairs)};
  if (!page_faults.empty()) script.page_faults = stats::median(std::move(page_faults));
  return script;
}

std::optional<report::SingleSteps> single_steps(const report::Cell& cell) {
  using report::SingleSteps;
  report::SingleSteps all;
  std::vector<SingleSteps> launches;
  for (const report::Launch& launch : cell.launches) {
    if (launch.single_steps) launches.push_back(*launch.single_steps);
  }
  if (launches.empty()) return std::nullopt;
  for (double SingleSteps::*figure :
       {&SingleSteps::p50_ns, &SingleSteps::p95_ns, &SingleSteps::p99_ns, &SingleSteps::cost}) {
    std::vector<double> values;
    for (const SingleSteps& launch : launches) values.push_back(launch.*figure);
    all.*figure = stats::median(std::move(values));
  }
  for (const SingleSteps& launch : launches) {
    all.steps += launch.steps;
    all.max_ns = std::max(all.max_ns, launch.max_ns);
  }
  return all;
}

std::optional<report::ColdTime> cold_time(const report::Cell& cell) {
  std::vector<stats::Pair> pairs;
  std::vector<double> times_ns;
  for (const report::Launch& launch : cell.launches) {
    if (!launch.cold_steps) continue;
    pairs.push_back({launch.launch, launch.cold_steps->warm_ns, launch.cold_steps->cold_ns});
    times_ns.push_back(launch.cold_steps->cold_ns);
  }
  if (pairs.empty()) return std::nullopt;
  return report::ColdTime{stats::median(std::move(times_ns)), stats::paired_ratio(pairs)};
}

report::Summary summary_of(const report::Cell& cell, const std::vector<stats::Observation>& observations) {
  std::vector<double> values;
  values.reserve(observations.size());
  for (const stats::Observation& observation : observations) values.push_back(observation.value);

  report::Summary summary;
  summary.step_ns = stats::typical_time(observations);
  summary.median_absolute_deviation_ns = stats::median_absolute_deviation(values);
  summary.samples = static_cast<int>(observations.size());
  summary.first_step_ns = median_over_launches(cell, &report::Launch::first_step_ns);
  summary.start_seconds = median_over_launches(cell, &report::Launch::start_seconds);
  summary.load_seconds = median_over_launches(cell, &report::Launch::load_seconds);
  summary.prepare_seconds = median_over_launches(cell, &report::Launch::prepare_seconds);
  summary.launch_seconds = median_over_launches(cell, &report::Launch::total_seconds);
  summary.ready_ns = ready_ns(cell);
  summary.cpu_per_wall = processors_used(cell);
  summary.exchange_share = exchange_share(cell);
  summary.page_faults_per_step =
      median_over_samples(cell, [](const report::Sample& sample) { return sample.page_faults; });
  if (std::string reason = reason_not_ranked(cell); !reason.empty()) summary.not_ranked = std::move(reason);
  std::vector<double> imports;
  for (const report::Launch& launch : cell.launches) {
    if (launch.import_seconds) imports.push_back(*launch.import_seconds);
    summary.peak_resident_bytes = std::max(summary.peak_resident_bytes, launch.peak_resident_bytes);
    summary.peak_anonymous_bytes = std::max(summary.peak_anonymous_bytes, launch.peak_anonymous_bytes);
    summary.peak_device_bytes = std::max(summary.peak_device_bytes, launch.peak_device_bytes);
    summary.imported_resident_bytes = std::max(summary.imported_resident_bytes, launch.imported_resident_bytes);
  }
  if (!imports.empty()) summary.import_seconds = stats::median(imports);
  summary.script = script_time(cell);
  summary.single_steps = single_steps(cell);
  summary.cold = cold_time(cell);
  return summary;
}

// The baseline cell of each group: of the run's baseline, where possible with default options; else the fastest that
// is ranked.
std::unordered_map<std::string, const report::Cell*> baselines_of(const report::Report& report) {
  std::unordered_map<std::string, const report::Cell*> baselines;
  const auto better = [&](const report::Cell& cell, const report::Cell& other) {
    const bool own = cell.implementation == report.run.baseline;
    if (own != (other.implementation == report.run.baseline)) return own;
    if (own) return cell.options.empty() && !other.options.empty();
    return cell.summary->step_ns.value < other.summary->step_ns.value;
  };
  for (const report::Cell& cell : report.cells) {
    const bool own = cell.implementation == report.run.baseline;
    if (!cell.summary || (!own && !report::is_ranked(cell))) continue;
    const report::Cell*& baseline = baselines[group_of(cell)];
    if (baseline == nullptr || better(cell, *baseline)) baseline = &cell;
  }
  return baselines;
}

}  // namespace

std::string reason_not_ranked(const report::Cell& cell) {
  const std::optional<double> used = processors_used(cell);
  if (!used || *used <= cell.processors() + kHelperAllowance) return {};
  const int threads = cell.processors();
  return formatted("used %.2f processors, has %d thread%s", *used, threads, threads == 1 ? "" : "s");
}

stats::Estimate step_time(const report::Cell& cell, double confidence) {
  return stats::typical_time(observations_of(cell), confidence);
}

void summarise(report::Report& report) {
  for (report::Cell& cell : report.cells) {
    cell.summary.reset();
    if (cell.status.state != report::CellState::ok) continue;
    const std::vector<stats::Observation> observations = observations_of(cell);
    if (observations.empty()) continue;
    cell.summary = summary_of(cell, observations);
    cell.summary->to_target = time_to_target(cell);
  }
  add_ceiling_shares(report);
  report.controls.reset();
  if (std::vector<report::Control> controls = controls_of(report); !controls.empty())
    report.controls = std::move(controls);
  const std::unordered_map<std::string, const report::Cell*> baselines = baselines_of(report);
  const Comparer comparer(report);
  for (report::Cell& cell : report.cells) {
    if (!cell.summary) continue;
    const auto baseline = baselines.find(group_of(cell));
    if (baseline == baselines.end() || baseline->second == &cell) continue;
    stats::Comparison comparison = comparer.compare(*baseline->second, cell);
    if (comparison.ratio.launches == 0) continue;
    cell.summary->ratio = report::RatioToBaseline{baseline->second->id, std::move(comparison)};
  }
  report::Attribution attribution = attribution_of(report);
  report.attribution.reset();
  if (!attribution.taxes.empty() || !attribution.break_evens.empty() || !attribution.fits.empty()) {
    report.attribution = std::move(attribution);
  }
  report.scaling.reset();
  if (std::vector<report::ThreadScaling> scaling = thread_scaling_of(report); !scaling.empty())
    report.scaling = std::move(scaling);
  report.values.reset();
  if (std::vector<report::ValueComparison> values = value_comparisons_of(report); !values.empty())
    report.values = std::move(values);
}

Result<report::Report> read_summarised(const std::string& path) {
  Result<report::Report> report = report::read_report(path);
  if (!report.ok()) return usage_error(report.error().message);
  summarise(report.value());
  return report;
}

double relative_precision(const report::Cell& cell) {
  const stats::Estimate estimate = step_time(cell);
  if (estimate.launches < kMinLaunches || !(estimate.value > 0)) return std::numeric_limits<double>::infinity();
  return (estimate.interval.high - estimate.interval.low) / 2 / estimate.value;
}

}  // namespace gdbench::analysis
