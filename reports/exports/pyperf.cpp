// https://pyperf.readthedocs.io/en/latest/api.html: a warm-up is [loops, seconds per loop], metadata are one-line texts
// and numbers that are not empty, values are positive.
#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/base/clock.h"
#include "reports/exports/exported.h"
#include "reports/exports/exports.h"

namespace gdbench::exports {

namespace {

using Json = OrderedJson;

Json metadata_of(const report::Launch& launch) {
  Json metadata = Json::object();
  if (seconds_since_1970(launch.started_at)) {
    // Before Python 3.11 a date may not end in Z.
    std::string date = launch.started_at.substr(0, launch.started_at.size() - 1);
    metadata["date"] = date.replace(date.find('T'), 1, " ");
  }
  if (std::isfinite(launch.total_seconds) && launch.total_seconds > 0) metadata["duration"] = launch.total_seconds;
  if (launch.peak_resident_bytes > 0) metadata["mem_max_rss"] = launch.peak_resident_bytes;
  return metadata;
}

Json run_of(const report::Cell& cell, const report::Launch& launch) {
  Json metadata = metadata_of(launch);
  Json warm_ups = Json::array();
  Json values = Json::array();
  for (const report::Sample& sample : cell.samples) {
    if (sample.launch != launch.launch || sample.steps == 0 || !std::isfinite(sample.real_ns) || sample.real_ns <= 0) {
      continue;
    }
    const double seconds = sample.real_ns * 1e-9;
    if (sample.cold) {
      warm_ups.push_back({sample.steps, seconds});
    } else {
      metadata["loops"] = sample.steps;
      values.push_back(seconds);
    }
  }
  Json run = {{"metadata", std::move(metadata)}};
  if (!warm_ups.empty()) run["warmups"] = std::move(warm_ups);
  run["values"] = std::move(values);
  return run;
}

}  // namespace

std::string pyperf(const report::Report& report) {
  Json metadata = {{"unit", "second"}};
  for (const auto& [name, value] : facts_of(report)) metadata[name] = value;
  Json benchmarks = Json::array();
  for (const auto& [name, cell] : timed_cells(report)) {
    Json runs = Json::array();
    for (const report::Launch& launch : cell->launches) {
      Json run = run_of(*cell, launch);
      if (!run["values"].empty()) runs.push_back(std::move(run));
    }
    if (!runs.empty()) benchmarks.push_back({{"metadata", {{"name", name}}}, {"runs", std::move(runs)}});
  }
  const Json document = {{"version", "1.0"}, {"metadata", std::move(metadata)}, {"benchmarks", std::move(benchmarks)}};
  return document.dump(2) + "\n";
}

}  // namespace gdbench::exports
