#include "reports/exports/exports.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "harness/base/text.h"
#include "reports/exports/exported.h"
#include "tests/support/reports/example_report.h"
#include "tests/unit/exports/hostile_report.h"

namespace gdbench::exports {
namespace {

using nlohmann::json;
using tests::example_report;

// Each of these formats, as JSON.
std::vector<json> documents_of(const report::Report& report) {
  std::vector<json> documents;
  for (const auto& text : {google_benchmark(report), pyperf(report), bencher(report), github_action(report)}) {
    EXPECT_TRUE(json::accept(text)) << text.substr(0, 500);
    documents.push_back(json::parse(text, nullptr, false));
  }
  return documents;
}

TEST(Exports, HoldCellsWithATimeOnce) {
  report::Report report = example_report();
  const std::size_t timed = timed_cells(report).size();
  EXPECT_EQ(timed, 7U);
  report.cells.push_back(report.cells[0]);
  EXPECT_EQ(timed_cells(report).size(), timed);  // the same name
  report.cells.back().id += "#control";
  EXPECT_EQ(timed_cells(report).size(), timed + 1);
  report.cells.back().arm = report::kControlArm;
  EXPECT_EQ(timed_cells(report).size(), timed);
  report.cells[0].summary->step_ns.value = std::nan("");
  report.cells[1].summary->step_ns.value = 0;
  EXPECT_EQ(timed_cells(report).size(), timed - 2);
}

TEST(Exports, OfEmptyAndOfFailedReportsHoldNothing) {
  report::Report failed = example_report();
  std::erase_if(failed.cells, [](const report::Cell& cell) { return cell.status.state == report::CellState::ok; });
  for (const report::Report& report : {report::Report(), failed}) {
    const std::vector<json> documents = documents_of(report);
    EXPECT_EQ(documents[1]["benchmarks"], json::array());
    EXPECT_EQ(documents[2], json::object());
    EXPECT_EQ(documents[3], json::array());
    EXPECT_EQ(openmetrics(report).find("step_seconds{"), std::string::npos);
    EXPECT_EQ(std::ranges::count(samples(report), '\n'), 1);
  }
}

TEST(Exports, AcceptFiguresThatAreNotFinite) {
  report::Report report = example_report();
  const double nan = std::nan("");
  for (report::Cell& cell : report.cells) {
    for (report::Launch& launch : cell.launches) launch.total_seconds = nan;
    for (report::Sample& sample : cell.samples) sample.cpu_ns = nan;
    if (!cell.summary) continue;
    cell.summary->step_ns.interval = {nan, INFINITY};
    cell.summary->first_step_ns = nan;
  }
  documents_of(report);
  const json latency = json::parse(bencher(report)).begin()->at("latency");
  EXPECT_TRUE(latency.contains("value") && !latency.contains("lower_value") && !latency.contains("upper_value"));
  EXPECT_FALSE(json::parse(github_action(report))[0].contains("range"));
  for (const std::string& text : {samples(report), openmetrics(report), junit(report)}) {
    EXPECT_EQ(text.find("nan"), std::string::npos);
    EXPECT_EQ(text.find("inf\n"), std::string::npos);
  }
}

TEST(Exports, AcceptHostileTexts) {
  const report::Report report = tests::hostile_report();
  documents_of(report);
  const std::string metrics = openmetrics(report);
  std::istringstream lines(metrics);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(line.starts_with("# ") || line.starts_with("gdbench_")) << line.substr(0, 100);
  }
  EXPECT_EQ(metrics.find("run_start_time_seconds 1"), std::string::npos);  // the date is none
  EXPECT_NE(metrics.find(R"(<script>\"&'</script>]]>\\)"), std::string::npos);
}

TEST(Pyperf, HasARunForEachLaunch) {
  const json document = json::parse(pyperf(example_report()));
  EXPECT_EQ(document["version"], "1.0");
  EXPECT_EQ(document["metadata"]["unit"], "second");
  const json& benchmark = document["benchmarks"][0];
  EXPECT_EQ(benchmark["metadata"]["name"], "example-3x2/example/loops");
  ASSERT_EQ(benchmark["runs"].size(), 5U);
  const json& run = benchmark["runs"][0];
  EXPECT_EQ(run["warmups"].size(), 1U);
  EXPECT_EQ(run["warmups"][0][0], 1000);
  EXPECT_DOUBLE_EQ(run["warmups"][0][1], 36.5e-9);
  EXPECT_EQ(run["values"].size(), 2U);
  EXPECT_DOUBLE_EQ(run["values"][0], 18.4325e-9);
  const json metadata = {
      {"date", "2026-01-02 03:04:05"}, {"duration", 0.03}, {"mem_max_rss", 8 << 20}, {"loops", 1000}};
  EXPECT_EQ(run["metadata"], metadata);
}

TEST(Pyperf, LeavesOutLaunchesWithoutAWarmSample) {
  report::Report report = example_report();
  for (report::Sample& sample : report.cells[0].samples) sample.cold = sample.cold || sample.launch < 2;
  for (report::Sample& sample : report.cells[1].samples) sample.cold = true;
  const json benchmarks = json::parse(pyperf(report))["benchmarks"];
  EXPECT_EQ(benchmarks.size(), 6U);
  EXPECT_EQ(benchmarks[0]["runs"].size(), 3U);
}

TEST(Bencher, MeasuresNanoseconds) {
  const OrderedJson measures = OrderedJson::parse(bencher(example_report()))["example-3x2/example/loops"];
  EXPECT_EQ(measures.dump(), R"({"latency":{"value":18.25,"lower_value":18.0675,"upper_value":18.52375},)"
                             R"("first-step":{"value":365.0},"ready":{"value":1500346.75}})");
}

TEST(Bencher, CutsLongNamesAndKeepsThemApart) {
  report::Report report = example_report();
  report.cells.resize(4);
  const std::string longest(1024, 'n');
  report.cells[0].id = longest;
  report.cells[1].id = longest + "1";
  report.cells[2].id = longest + "2";
  report.cells[3].id = "  " + std::string(1000, 'n') + "\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac";
  const json document = json::parse(bencher(report));
  EXPECT_EQ(document.size(), 4U);
  EXPECT_TRUE(document.contains(longest));
  for (const auto& [name, measures] : document.items()) {
    EXPECT_LE(name.size(), 1024U);
    EXPECT_NE(name.front(), ' ');
  }
}

TEST(GithubAction, HasAnEntryForEachCellInOneUnit) {
  const json document = json::parse(github_action(example_report()));
  const std::string facts = document[0]["extra"];
  EXPECT_TRUE(facts.starts_with("5 launches\ndate: 2026-01-02T03:04:05Z\ncommit: 0123456789abcdef")) << facts;
  EXPECT_TRUE(facts.ends_with("\nkernel: Linux 6.1.0-example\ncompiler: ExampleCompiler 1.0\nmatrix: example"));
  EXPECT_EQ(document[0]["name"], "example-3x2/example/loops");
  EXPECT_EQ(document[0]["value"], 18.25);
  EXPECT_EQ(document[0]["range"], "95%: 18.0675 to 18.52375");
  for (const json& entry : document) EXPECT_EQ(entry["unit"], "ns/step");
}

TEST(Openmetrics, HasAFamilyForEachFigure) {
  report::Report report = example_report();
  std::erase_if(report.cells, [](const report::Cell& cell) { return cell.id != "example-3x2/example/matrix@2#base"; });
  const std::string cell =
      R"({cell="example-3x2/example/matrix@2#base",scenario="example-3x2",implementation="example/matrix",arm="base")";
  std::string expected = "gdbench_step_seconds" + cell + ",stat=\"median\"} 1.2500000000000001e-08\n";
  expected += "gdbench_step_seconds" + cell + ",stat=\"low\"} 1.2375e-08\n";
  expected += "gdbench_step_seconds" + cell + ",stat=\"high\"} 1.2687499999999999e-08\n";
  expected += "gdbench_first_step_seconds" + cell + "} 2.5000000000000004e-07\n";
  expected += "gdbench_ready_seconds" + cell + "} 0.0015002375000000001\n";
  expected += "gdbench_peak_resident_bytes" + cell + "} 8388608\n";
  for (const char* state : {"pending", "ok", "unsupported", "wrong", "crashed", "timed out", "untrusted"})
    expected += cat("gdbench_cells{state=\"", state, "\"} ", state == std::string("ok") ? "1" : "0", "\n");
  expected +=
      "gdbench_run_start_time_seconds 1767323045\n"
      "gdbench_run_info{commit=\"0123456789abcdef0123456789abcdef01234567 with changes\","
      "processor=\"Example Processor 9000\",kernel=\"Linux 6.1.0-example\",compiler=\"ExampleCompiler 1.0\","
      "matrix=\"example\"} 1\n";
  const std::string metrics = openmetrics(report);
  std::istringstream lines(metrics);
  std::string found;
  for (std::string line; std::getline(lines, line);) found += line.starts_with('#') ? "" : line + "\n";
  EXPECT_EQ(found, expected);
  EXPECT_TRUE(
      metrics.starts_with("# TYPE gdbench_step_seconds gauge\n# UNIT gdbench_step_seconds seconds\n"
                          "# HELP gdbench_step_seconds Time of a steady step"));
  EXPECT_NE(metrics.find("\n# TYPE gdbench_cells gauge\n# HELP gdbench_cells "), std::string::npos) << "without a unit";
  EXPECT_TRUE(metrics.ends_with("\n# EOF\n"));
}

TEST(Samples, HasALineForEachSampleWhateverBecameOfItsCell) {
  report::Report report = example_report();
  report.cells[1].status = {report::CellState::untrusted, "made"};
  const std::string text = samples(report);
  std::size_t count = 1;
  for (const report::Cell& cell : report.cells) count += cell.samples.size();
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(text, '\n')), count);
  for (const char* words :
       {"scenario,cell,implementation,options,threads,arm,state,launch,round,position,cold,steps,real_ns,cpu_ns,"
        "request_ns,displacement,outside_ns,device_ns,exchange_ns,page_faults\r\n",
        "\u00b5,example/matrix,packed=true unit=\u00b5,1,new,ok,", "#base,example/matrix,,2,base,ok,",
        "example-3x2,example-3x2/example/matrix,example/matrix,,1,new,untrusted,0,1,0,false,1000,42.925,42.8,46425,"
        "0.25,,,,163.96875\r\n"})
    EXPECT_NE(text.find(words), std::string::npos) << words;
}

}  // namespace
}  // namespace gdbench::exports
