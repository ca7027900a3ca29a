#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "harness/base/text.h"
#include "reports/exports/exports.h"
#include "tests/support/reports/example_report.h"
#include "tests/unit/exports/hostile_report.h"

namespace gdbench::exports {
namespace {

using report::CellState;
using report::Change;

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

report::Report report_with(CellState state, const std::string& reason) {
  report::Report report = tests::example_report();
  report.cells.resize(1);
  report.cells[0].status = {state, reason};
  if (state != CellState::ok) report.cells[0].summary.reset();
  return report;
}

TEST(Junit, TellsFailuresErrorsAndWhatWasSkippedApart) {
  const std::string passed = junit(report_with(CellState::ok, ""));
  EXPECT_EQ(count_of(passed, "<failure") + count_of(passed, "<error") + count_of(passed, "<skipped"), 0U);
  for (const auto& [state, element, totals] :
       {std::tuple{CellState::wrong, "failure", R"(failures="1" errors="0" skipped="0")"},
        {CellState::crashed, "error", R"(failures="0" errors="1" skipped="0")"},
        {CellState::timed_out, "error", R"(failures="0" errors="1" skipped="0")"},
        {CellState::untrusted, "error", R"(failures="0" errors="1" skipped="0")"},
        {CellState::unsupported, "skipped", R"(failures="0" errors="0" skipped="1")"},
        {CellState::pending, "skipped", R"(failures="0" errors="0" skipped="1")"}}) {
    const std::string text = junit(report_with(state, "why"));
    const std::string expected =
        std::string("<") + element + " type=\"" + report::name_of(state) + "\" message=\"why\">";
    EXPECT_EQ(count_of(text, expected + "why</" + element + ">"), 1U) << text;
    EXPECT_NE(text.find(totals), std::string::npos) << text;
  }
}

TEST(Junit, HasASuiteForEachScenarioAndACaseForEachCell) {
  const report::Report report = tests::example_report();
  const std::string text = junit(report);
  EXPECT_EQ(count_of(text, "<testsuite "), report.scenarios.size());
  const std::string head = R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="gdbench" tests="13" failures="1" errors="3" time="0.810">
  <testsuite name="example-3x2" tests="10" failures="1" errors="3" skipped="1" time="0.750" )"
                           R"(timestamp="2026-01-02T03:04:05">
    <properties>
      <property name="commit" value="0123456789abcdef0123456789abcdef01234567 with changes"/>
)";
  EXPECT_TRUE(text.starts_with(head)) << text.substr(0, head.size());
  EXPECT_EQ(count_of(text, R"(      <property name="matrix" value="example"/>
    </properties>
    <testcase classname="example-3x2" name="example/loops" time="0.150">
      <system-out>step: 18.3 ns [18.1, 18.5], 5 launches</system-out>
    </testcase>
)"),
            1U);
  EXPECT_TRUE(text.ends_with(R"(name="example/later">
      <skipped type="pending" message="pending">pending</skipped>
    </testcase>
  </testsuite>
</testsuites>
)"));
}

TEST(Junit, TimesHaveThreeDecimalsAndNoExponent) {
  for (const auto& [seconds, words] : {std::pair(1e-9, " time=\"0.000\""),
                                       {1e21, " time=\"5000000000000000000000.000\""},
                                       {-1, " time=\"0.000\""},
                                       {INFINITY, ""}}) {
    report::Report report = report_with(CellState::ok, "");
    for (report::Launch& launch : report.cells[0].launches) launch.total_seconds = seconds;
    EXPECT_NE(junit(report).find(words), std::string::npos) << words;
    EXPECT_EQ(junit(report).find(" time=") == std::string::npos, seconds == INFINITY);
  }
}

TEST(Junit, EscapesWhateverIsSaid) {
  report::Report report = tests::hostile_report();
  const std::string text = junit(report);
  EXPECT_EQ(text.find("<script>"), std::string::npos);
  EXPECT_EQ(text.find("]]>"), std::string::npos);
  for (const char forbidden : {'\x01', '\x1b', '\r', '\xff'}) EXPECT_EQ(text.find(forbidden), std::string::npos);
  EXPECT_EQ(count_of(text, "<testcase "), report.cells.size());
  EXPECT_EQ(text.find(" timestamp="), std::string::npos);
}

report::ReportComparison comparison_of(const std::string& id, Change change) {
  report::ComparedCell cell;
  cell.id = id;
  cell.change = change;
  cell.base = stats::Estimate{20, {19, 21}, 9};
  cell.next = stats::Estimate{30, {29, 31}, 9};
  cell.ratio = stats::Estimate{1.5, {1.4, 1.7}, 9};
  cell.remark = "<why>";
  report::ReportComparison comparison;
  comparison.cells.push_back(cell);
  return comparison;
}

TEST(JunitOfComparisons, FailsWhatRegressed) {
  const std::string output = "; time +50% [+40, +70]; base 20 ns [19, 21]; new 30 ns [29, 31]; &lt;why&gt;";
  for (const auto& [change, name] : report::kChanges) {
    const std::string text = junit(comparison_of("example-3x2/example/loops", change));
    EXPECT_EQ(count_of(text, "<failure type=\"regressed\""), change == Change::regressed ? 1U : 0U) << name;
    EXPECT_EQ(count_of(text, "<error type=\"failing\""), change == Change::failing ? 1U : 0U) << name;
    EXPECT_EQ(count_of(text, "<skipped type=\"removed\""), change == Change::removed ? 1U : 0U) << name;
    EXPECT_EQ(count_of(text, "<failure") + count_of(text, "<error") + count_of(text, "<skipped"),
              change == Change::regressed || change == Change::failing || change == Change::removed ? 1U : 0U);
    EXPECT_NE(text.find("<system-out>" + std::string(name) + output), std::string::npos) << text;
    EXPECT_NE(text.find("classname=\"example-3x2\" name=\"example/loops\""), std::string::npos) << text;
  }
}

TEST(JunitOfComparisons, SaysWhyNothingIsComparable) {
  report::ReportComparison comparison;
  comparison.not_comparable = "cpu/model: found \"A\"";
  const std::string text = junit(comparison);
  EXPECT_NE(text.find("tests=\"1\" failures=\"0\" errors=\"1\""), std::string::npos);
  EXPECT_NE(text.find("message=\"cpu/model: found &quot;A&quot;\""), std::string::npos);
}

TEST(JunitOfComparisons, SaysWhatWasComparedAndHow) {
  report::ReportComparison comparison = comparison_of("example-3x2/example/loops", Change::added);
  comparison.base = "before.json";
  comparison.next = "after.json";
  comparison.margin = 0.03;
  comparison.confidence = 0.99;
  comparison.remarks = {"padded"};
  const std::string text = junit(comparison);
  for (const char* property : {R"("base" value="before.json")", R"("new" value="after.json")",
                               R"("margin" value="3.0%")", R"("confidence" value="99%")", R"("remark" value="padded")"})
    EXPECT_EQ(count_of(text, cat("<property name=", property, "/>")), 1U) << text;
}

TEST(JunitOfComparisons, NamesTheQuantityThatIsNoStep) {
  report::ReportComparison comparison = comparison_of("example-3x2/example/loops", Change::regressed);
  comparison.cells[0].quantity = report::Quantity::peak_memory;
  const std::string text = junit(comparison);
  EXPECT_NE(text.find("name=\"example/loops, peak memory\""), std::string::npos) << text;
  EXPECT_NE(text.find("; base 20 B; new 30 B"), std::string::npos) << text;
}

TEST(JunitOfComparisons, AcceptsNamesOfAnyShape) {
  for (const char* id : {"", "/", "no slash", "a/", "/b"}) {
    EXPECT_EQ(count_of(junit(comparison_of(id, Change::added)), "<testcase "), 1U) << id;
  }
}

}  // namespace
}  // namespace gdbench::exports
