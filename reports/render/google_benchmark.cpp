// The fields and their order are those that Google Benchmark 1.7.1 writes with --benchmark_format=json.
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/base/json.h"
#include "reports/render/render.h"

namespace gdbench::render {

namespace {

using Json = OrderedJson;

// A value of the environment by JSON pointer; `otherwise` where the machine did not say.
template <class T>
T environment_value(const Json& environment, const char* pointer, T otherwise) {
  const Json::json_pointer place(pointer);
  if (!environment.is_object() || !environment.contains(place)) return otherwise;
  const Json& value = environment[place];
  const bool fits = std::is_same_v<T, std::string> ? value.is_string() : value.is_number();
  return fits ? value.get<T>() : otherwise;
}

Json caches_of(const Json& environment) {
  Json caches = Json::array();
  const Json::json_pointer place("/cpu/caches");
  if (!environment.contains(place) || !environment[place].is_array()) return caches;
  for (const Json& cache : environment[place]) {
    Json entry;
    entry["type"] = environment_value<std::string>(cache, "/type", "");
    entry["level"] = environment_value<int>(cache, "/level", 0);
    entry["size"] = environment_value<std::int64_t>(cache, "/bytes", 0);
    entry["num_sharing"] = environment_value<int>(cache, "/shared_by", 0);
    caches.push_back(std::move(entry));
  }
  return caches;
}

Json context_of(const report::Report& report) {
  const auto environment = Json::parse(report.environment);
  const std::string governor = environment_value<std::string>(environment, "/cpu/governor", "");
  const std::string type = environment_value<std::string>(environment, "/build/type", "");
  Json context;
  context["date"] = report.run.started_at;
  context["host_name"] = "";
  context["executable"] = "gdbench";
  context["num_cpus"] = environment_value<int>(environment, "/cpu/logical_processors", 0);
  context["mhz_per_cpu"] = std::llround(environment_value<double>(environment, "/cpu/frequency_mhz", 0));
  context["cpu_scaling_enabled"] = !governor.empty() && governor != "performance";
  context["caches"] = caches_of(environment);
  Json load = Json::array();
  const auto averages = environment.find("load_average");
  if (averages != environment.end() && averages->is_array()) load = *averages;
  context["load_avg"] = std::move(load);
  context["library_build_type"] = type == "Debug" || type.empty() ? "debug" : "release";
  return context;
}

// What entries of one cell have in common, in front of what differs.
Json entry_of(const report::Cell& cell, std::size_t family, const std::string& suffix) {
  Json entry;
  entry["name"] = cell.id + suffix;
  entry["family_index"] = family;
  entry["per_family_instance_index"] = 0;
  entry["run_name"] = cell.id;
  return entry;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
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
    Json entry = entry_of(cell, family, "");
    entry["run_type"] = "iteration";
    entry["repetitions"] = real.size();
    entry["repetition_index"] = i;
    entry["threads"] = cell.threads;
    entry["iterations"] = steps[i];
    entry["real_time"] = real[i];
    entry["cpu_time"] = cpu[i];
    entry["time_unit"] = "ns";
    benchmarks.push_back(std::move(entry));
  }
  if (real.size() < 2) return;
  for (const Aggregate& aggregate : kAggregates) {
    Json entry = entry_of(cell, family, std::string("_") + aggregate.name);
    entry["run_type"] = "aggregate";
    entry["repetitions"] = real.size();
    entry["threads"] = cell.threads;
    entry["aggregate_name"] = aggregate.name;
    entry["aggregate_unit"] = aggregate.unit;
    entry["iterations"] = real.size();
    entry["real_time"] = aggregate.of(real);
    entry["cpu_time"] = aggregate.of(cpu);
    entry["time_unit"] = "ns";
    benchmarks.push_back(std::move(entry));
  }
}

void add_error(const report::Cell& cell, std::size_t family, Json& benchmarks) {
  Json entry = entry_of(cell, family, "");
  entry["run_type"] = "iteration";
  entry["repetitions"] = 1;
  entry["repetition_index"] = 0;
  entry["threads"] = cell.threads;
  entry["error_occurred"] = true;
  entry["error_message"] = report::words_of(cell.status);
  entry["iterations"] = 1;
  entry["real_time"] = 0.0;
  entry["cpu_time"] = 0.0;
  entry["time_unit"] = "ns";
  benchmarks.push_back(std::move(entry));
}

}  // namespace

std::string google_benchmark(const report::Report& report) {
  Json document;
  document["context"] = context_of(report);
  Json benchmarks = Json::array();
  for (std::size_t i = 0; i < report.cells.size(); ++i) {
    if (report.cells[i].status.state == report::CellState::ok) {
      add_samples(report.cells[i], i, benchmarks);
    } else {
      add_error(report.cells[i], i, benchmarks);
    }
  }
  document["benchmarks"] = std::move(benchmarks);
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gdbench::render
