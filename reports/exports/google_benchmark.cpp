// The fields and their order are those that Google Benchmark 1.7.1 writes with --benchmark_format=json.
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "reports/exports/exported.h"
#include "reports/exports/exports.h"

namespace gdbench::exports {

namespace {

using Json = OrderedJson;

Json caches_of(const Json& environment) {
  Json caches = Json::array();
  const Json::json_pointer place("/cpu/caches");
  if (!environment.contains(place) || !environment[place].is_array()) return caches;
  for (const Json& cache : environment[place]) {
    caches.push_back({{"type", environment_value<std::string>(cache, "/type", "")},
                      {"level", environment_value<int>(cache, "/level", 0)},
                      {"size", environment_value<std::int64_t>(cache, "/bytes", 0)},
                      {"num_sharing", environment_value<int>(cache, "/shared_by", 0)}});
  }
  return caches;
}

Json context_of(const report::Report& report) {
  const auto environment = Json::parse(report.environment);
  const std::string governor = environment_value<std::string>(environment, "/cpu/governor", "");
  const std::string type = environment_value<std::string>(environment, "/build/type", "");
  Json load = Json::array();
  const auto averages = environment.find("load_average");
  if (averages != environment.end() && averages->is_array()) load = *averages;
  return {{"date", report.run.started_at},
          {"host_name", ""},
          {"executable", "gdbench"},
          {"num_cpus", environment_value<int>(environment, "/cpu/logical_processors", 0)},
          {"mhz_per_cpu", std::llround(environment_value<double>(environment, "/cpu/frequency_mhz", 0))},
          {"cpu_scaling_enabled", !governor.empty() && governor != "performance"},
          {"caches", caches_of(environment)},
          {"load_avg", std::move(load)},
          {"library_build_type", type == "Debug" || type.empty() ? "debug" : "release"}};
}

// An entry of a cell: `own` of its fields, between those that all have.
Json entry_of(const report::Cell& cell, std::size_t family, const std::string& suffix, const Json& own, double real_ns,
              double cpu_ns) {
  const std::string name = exported_name(cell);
  Json entry = {
      {"name", name + suffix}, {"family_index", family}, {"per_family_instance_index", 0}, {"run_name", name}};
  entry.update(own);
  entry.update(Json{{"real_time", real_ns}, {"cpu_time", cpu_ns}, {"time_unit", "ns"}});
  return entry;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// With n - 1, as Google Benchmark does.
double standard_deviation(const std::vector<double>& values) {
  const double centre = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

struct Aggregate {
  const char* name;
  const char* unit;
  double (*of)(const std::vector<double>& values);
};

constexpr std::array kAggregates = {
    Aggregate{"mean", "time", mean},
    Aggregate{"median", "time", [](const std::vector<double>& values) { return stats::median(values); }},
    Aggregate{"stddev", "time", standard_deviation},
    Aggregate{"cv", "percentage",
              [](const std::vector<double>& values) { return standard_deviation(values) / mean(values); }},
};

void add_samples(const report::Cell& cell, std::size_t family, Json& benchmarks) {
  std::vector<double> real;
  std::vector<double> cpu;
  std::vector<std::uint64_t> steps;
  for (const report::Sample& sample : cell.samples) {
    if (sample.cold || !std::isfinite(sample.real_ns)) continue;
    real.push_back(sample.real_ns);
    cpu.push_back(std::isfinite(sample.cpu_ns) ? sample.cpu_ns : 0);
    steps.push_back(sample.steps);
  }
  for (std::size_t i = 0; i < real.size(); ++i) {
    benchmarks.push_back(entry_of(cell, family, "",
                                  {{"run_type", "iteration"},
                                   {"repetitions", real.size()},
                                   {"repetition_index", i},
                                   {"threads", cell.threads},
                                   {"iterations", steps[i]}},
                                  real[i], cpu[i]));
  }
  if (real.size() < 2) return;
  for (const Aggregate& aggregate : kAggregates) {
    benchmarks.push_back(entry_of(cell, family, std::string("_") + aggregate.name,
                                  {{"run_type", "aggregate"},
                                   {"repetitions", real.size()},
                                   {"threads", cell.threads},
                                   {"aggregate_name", aggregate.name},
                                   {"aggregate_unit", aggregate.unit},
                                   {"iterations", real.size()}},
                                  aggregate.of(real), aggregate.of(cpu)));
  }
}

Json error_of(const report::Cell& cell, std::size_t family) {
  return entry_of(cell, family, "",
                  {{"run_type", "iteration"},
                   {"repetitions", 1},
                   {"repetition_index", 0},
                   {"threads", cell.threads},
                   {"error_occurred", true},
                   {"error_message", report::words_of(cell.status)},
                   {"iterations", 1}},
                  0, 0);
}

}  // namespace

std::string google_benchmark(const report::Report& report) {
  Json benchmarks = Json::array();
  for (std::size_t i = 0; i < report.cells.size(); ++i) {
    const report::Cell& cell = report.cells[i];
    if (cell.status.state == report::CellState::ok) {
      add_samples(cell, i, benchmarks);
    } else {
      benchmarks.push_back(error_of(cell, i));
    }
  }
  const Json document = {{"context", context_of(report)}, {"benchmarks", std::move(benchmarks)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gdbench::exports
