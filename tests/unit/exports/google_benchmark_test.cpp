// The export against what Google Benchmark itself writes.
#include <benchmark/benchmark.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <sstream>

#include "reports/exports/exports.h"
#include "tests/support/reports/example_report.h"

namespace gdbench::exports {
namespace {

using Json = nlohmann::ordered_json;
using tests::example_report;

void do_nothing(benchmark::State& state) {
  for (auto iteration : state) benchmark::DoNotOptimize(iteration);
}

void fail(benchmark::State& state) {
  state.SkipWithError("example");
  while (state.KeepRunning()) {
  }
}

Json written_by_google_benchmark() {
  std::array<char*, 2> arguments = {const_cast<char*>("example"), nullptr};
  int count = 1;
  benchmark::Initialize(&count, arguments.data());
  benchmark::RegisterBenchmark("nothing", do_nothing)->Iterations(10)->Repetitions(3);
  benchmark::RegisterBenchmark("error", fail);
  std::ostringstream stream;
  benchmark::JSONReporter reporter;
  reporter.SetOutputStream(&stream);
  reporter.SetErrorStream(&stream);
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::ClearRegisteredBenchmarks();
  return Json::parse(stream.str());
}

// "key:type" of each member in order.
std::string shape_of(const Json& object) {
  std::string shape;
  for (const auto& [key, value] : object.items()) {
    shape += key + ":" + (value.is_number() ? "number" : value.type_name()) + " ";
  }
  return shape;
}

const Json* find(const Json& document, const std::string& key, const Json& value) {
  for (const Json& entry : document["benchmarks"]) {
    if (entry.contains(key) && entry[key] == value) return &entry;
  }
  return nullptr;
}

TEST(GoogleBenchmark, HasItsFieldsInItsOrder) {
  const Json theirs = written_by_google_benchmark();
  const Json ours = Json::parse(google_benchmark(example_report()));
  EXPECT_EQ(shape_of(ours), shape_of(theirs));
  EXPECT_EQ(shape_of(ours["context"]), shape_of(theirs["context"]));
  if (!theirs["context"]["caches"].empty()) {  // some machines say nothing about their caches
    EXPECT_EQ(shape_of(ours["context"]["caches"][0]), shape_of(theirs["context"]["caches"][0]));
  }
  using Member = std::pair<std::string, Json>;
  const std::string name = "aggregate_name";
  for (const auto& [key, value] : {Member{"run_type", "iteration"},
                                   {name, "mean"},
                                   {name, "median"},
                                   {name, "stddev"},
                                   {name, "cv"},
                                   {"error_occurred", true}}) {
    const Json* our_entry = find(ours, key, value);
    const Json* their_entry = find(theirs, key, value);
    ASSERT_TRUE(our_entry != nullptr && their_entry != nullptr) << key << value;
    EXPECT_EQ(shape_of(*our_entry), shape_of(*their_entry));
  }
  EXPECT_EQ((*find(ours, "aggregate_name", "cv"))["aggregate_unit"],
            (*find(theirs, "aggregate_name", "cv"))["aggregate_unit"]);
}

TEST(GoogleBenchmark, SaysWhatIsKnownOfAnEntry) {
  const Json document = Json::parse(google_benchmark(example_report()));
  Json entry = *find(document, "name", "example-3x2/example/matrix@2#base");
  EXPECT_EQ(entry.dump(), R"({"name":"example-3x2/example/matrix@2#base","family_index":3,)"
                          R"("per_family_instance_index":0,"run_name":"example-3x2/example/matrix@2#base",)"
                          R"("run_type":"iteration","repetitions":10,"repetition_index":0,"threads":2,)"
                          R"("iterations":1000,"real_time":12.625,"cpu_time":12.5,"time_unit":"ns"})");
  entry = *find(document, "name", "example-3x2/example/matrix@2#base_cv");
  EXPECT_EQ(entry["run_name"], "example-3x2/example/matrix@2#base");
  EXPECT_EQ(entry["iterations"], 10);
  entry = *find(document, "name", "example-10-50-1 batch=32 dtype=f64/example/loops_mean");
  EXPECT_EQ(entry["repetitions"], 2) << "the fewest that aggregates are made of";
  entry = *find(document, "name", "example-3x2/example/half");
  EXPECT_EQ(entry["error_message"], "unsupported: example/half has no f32");
  EXPECT_EQ(entry["real_time"], 0);
}

TEST(GoogleBenchmark, SaysWhatIsKnownOfTheMachine) {
  report::Report report = example_report();
  const auto context = [&report] { return Json::parse(google_benchmark(report))["context"]; };
  EXPECT_EQ(context().dump(),
            R"({"date":"2026-01-02T03:04:05Z","host_name":"","executable":"gdbench","num_cpus":2,"mhz_per_cpu":2601,)"
            R"("cpu_scaling_enabled":false,"caches":[{"type":"Data","level":1,"size":49152,"num_sharing":1},)"
            R"({"type":"Unified","level":2,"size":2097152,"num_sharing":1}],"load_avg":[0.25,0.5,0.75],)"
            R"("library_build_type":"release"})");
  report.environment = R"({"cpu": {"governor": "ondemand"}})";
  EXPECT_EQ(context().dump(),
            R"({"date":"2026-01-02T03:04:05Z","host_name":"","executable":"gdbench","num_cpus":0,"mhz_per_cpu":0,)"
            R"("cpu_scaling_enabled":true,"caches":[],"load_avg":[],"library_build_type":"debug"})");
}

TEST(GoogleBenchmark, ComputesItsAggregates) {
  report::Report report = example_report();
  report.cells.resize(1);
  report.cells[0].samples.resize(3);
  const std::array times = {1.0, 2.0, 6.0};
  for (std::size_t i = 0; i < times.size(); ++i) {
    report.cells[0].samples[i].cold = false;
    report.cells[0].samples[i].real_ns = times[i];
    report.cells[0].samples[i].cpu_ns = 2 * times[i];
  }
  const Json document = Json::parse(google_benchmark(report));
  for (const auto& [name, real_time] :
       {std::pair("mean", 3.0), {"median", 2.0}, {"stddev", std::sqrt(7.0)}, {"cv", std::sqrt(7.0) / 3}}) {
    EXPECT_DOUBLE_EQ((*find(document, "aggregate_name", name))["real_time"], real_time) << name;
  }
  EXPECT_DOUBLE_EQ((*find(document, "aggregate_name", "mean"))["cpu_time"], 6);
}

}  // namespace
}  // namespace gdbench::exports
