// Whole outputs for a fixed report.
#include "tests/support/reports/golden.h"

#include <gtest/gtest.h>

#include <tuple>

#include "harness/base/text.h"
#include "reports/answers/console.h"
#include "reports/answers/documents.h"
#include "reports/answers/report_charts.h"
#include "reports/answers/table.h"
#include "tests/support/reports/answers.h"
#include "tests/support/reports/example_report.h"
#include "tests/unit/answers/made_report.h"

namespace gdbench::answers {
namespace {

using tests::example_report;

void expect_golden(const std::string& name, const std::string& text) { tests::expect_golden("answers/" + name, text); }

TEST(Golden, FirstScreen) {
  const auto expect_screen = [](const std::string& name, const report::Report& report, int width) {
    expect_golden("first-screen-" + name + ".txt", first_screen(report, {false, width, "report.json"}));
  };
  expect_screen("strategies", tests::strategies_report(), 80);
  expect_screen("frameworks", tests::frameworks_report(), 80);
  expect_screen("one", tests::one_scenario_report(), 100);
}

// One figure of memory and of the time to a result is enough.
TEST(Golden, Report) {
  report::Report report = example_report();
  for (report::Cell& cell : report.cells) {
    if (cell.scenario != report.scenarios[1].key || !cell.summary) continue;
    cell.summary->peak_resident_bytes = 0;
    cell.summary->ready_ns.reset();
  }
  report.cells[0].summary->ready_ns = 1.2e6;  // and first for some steps
  tests::expect_golden_answer("report", document_of(report));
}
// Charts over sizes, with a crossing, and of losses.
TEST(Golden, ChartsOfSeveralScenarios) {
  tests::MadeReport made("a/x");
  for (const auto& [rows, a_ns, b_ns] : {std::tuple(10, 100, 130), {100, 300, 290}, {1000, 2000, 1100}}) {
    for (const char* dtype : {"f32", "f64"}) {
      made.scenario(formatted("s[dtype=%s,rows=%d]", dtype, rows));
      made.report().scenarios.back().name = "s";
      made.report().scenarios.back().rows = rows;
      report::Cell& trained = made.timed("a/x", a_ns, 0.01);
      trained.target.emplace();
      trained.target->loss = 0.5;
      trained.target->target_loss = 0.75;
      trained.target->curve = {{0, 2.5}, {10, 1.5}, {20, 0.5}};
      made.timed("b/y", b_ns, 0.01);
    }
  }
  const report::Report report = made.summarised();
  const std::vector<ScenarioTable> tables = tables_of(report);
  document::Hues hues;
  document::Blocks blocks;
  for (const Figures& figures : {times_over_sizes(report, tables, hues), losses_over_steps(tables)}) {
    for (const document::Figure& figure : figures) blocks.figure(figure);
  }
  document::Document document{.title = "charts"};
  document.section("", std::move(blocks));
  tests::expect_golden_answer("charts", document);
}
TEST(Golden, Csv) { expect_golden("report.csv", csv(example_report())); }

// JSON with a line for each member of the report, and for each cell, scenario and so on.
std::string in_lines(const OrderedJson& json) {
  std::string text;
  for (const auto& [name, value] : json.items()) {
    text += (text.empty() ? "{" : ",\n ") + OrderedJson(name).dump() + ": ";
    if (!value.is_array() || value.empty() || !value[0].is_object()) {
      text += value.dump();
      continue;
    }
    for (const OrderedJson& part : value) text += (&part == &value[0] ? "[\n  " : ",\n  ") + part.dump();
    text += "]";
  }
  return text + "}\n";
}

// The schema, and what reads exports, are held to the file that stands for every report (tests/unit/report,
// tests/cli/exports_test.py).
TEST(Golden, ReportFile) {
  const tests::TemporaryFolder folder;
  ASSERT_TRUE(report::write_report(example_report(), folder.file("report.json")).ok());
  const std::string written = tests::text_of(folder.file("report.json"));
  expect_golden("report.json", in_lines(OrderedJson::parse(written)));
  const std::string begin = "{\n  \"schema\": \"gdbench-report\",\n  \"schema_version\": {\"major\":1,\"minor\":";
  EXPECT_EQ(written.substr(0, begin.size()), begin) << "a line for each value, but for objects without structure";
}

}  // namespace
}  // namespace gdbench::answers
