#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "reports/answers/format.h"
#include "reports/answers/labels.h"
#include "reports/exports/exported.h"
#include "reports/exports/exports.h"
#include "reports/markup/escape.h"

namespace gdbench::exports {

namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

enum class Outcome { passed, failure, error, skipped };

struct TestCase {
  std::string suite{};
  std::string name{};
  Outcome outcome = Outcome::passed;
  std::string type{};     // the word for what happened
  std::string message{};  // why; of what did not pass
  std::string output{};
  std::optional<double> seconds{};
};

struct Document {
  std::string timestamp{};  // UTC without a zone, as Ant writes it; may be empty
  Facts properties{};
  std::vector<TestCase> cases{};
};

std::string attribute(const char* name, std::string_view value) {
  return cat(" ", name, "=\"", markup::escaped(value), "\"");
}

// The schema allows three decimals and no exponent.
std::string time_attribute(const std::optional<double>& seconds) {
  if (!seconds || !std::isfinite(*seconds)) return "";
  return attribute("time", formatted("%.3f", std::max(*seconds, 0.0)));
}

std::string text_of(const TestCase& test) {
  std::string text = "    <testcase" + attribute("classname", test.suite) + attribute("name", test.name) +
                     time_attribute(test.seconds) + ">\n";
  constexpr const char* kElements[] = {"", "failure", "error", "skipped"};
  if (test.outcome != Outcome::passed) {
    // The message is written twice, because some readers show the attribute alone and others the content.
    const std::string element = kElements[static_cast<int>(test.outcome)];
    text += "      <" + element + attribute("type", test.type) + attribute("message", test.message) + ">" +
            markup::escaped(test.message) + "</" + element + ">\n";
  }
  if (!test.output.empty()) text += "      <system-out>" + markup::escaped(test.output) + "</system-out>\n";
  return text + "    </testcase>\n";
}

// tests, failures, errors and, where the schema has it, skipped; and the time of all that have one.
std::string totals_of(const std::vector<const TestCase*>& tests, bool with_skipped) {
  const auto count = [&](Outcome outcome) {
    return std::to_string(
        std::ranges::count_if(tests, [outcome](const TestCase* test) { return test->outcome == outcome; }));
  };
  std::optional<double> seconds;
  for (const TestCase* test : tests) {
    if (test->seconds) seconds = seconds.value_or(0) + *test->seconds;
  }
  return attribute("tests", std::to_string(tests.size())) + attribute("failures", count(Outcome::failure)) +
         attribute("errors", count(Outcome::error)) +
         (with_skipped ? attribute("skipped", count(Outcome::skipped)) : "") + time_attribute(seconds);
}

std::string suite_text(const Document& document, const std::vector<const TestCase*>& tests) {
  std::string text = "  <testsuite" + attribute("name", tests[0]->suite) + totals_of(tests, true);
  if (!document.timestamp.empty()) text += attribute("timestamp", document.timestamp);
  text += ">\n    <properties>\n";
  for (const auto& [name, value] : document.properties) {
    text += "      <property" + attribute("name", name) + attribute("value", value) + "/>\n";
  }
  text += "    </properties>\n";
  for (const TestCase* test : tests) text += text_of(*test);
  return text + "  </testsuite>\n";
}

std::string text_of(const Document& document) {
  std::vector<std::pair<std::string, std::vector<const TestCase*>>> suites;
  std::vector<const TestCase*> all;
  for (const TestCase& test : document.cases) {
    answers::entry_of(suites, test.suite).push_back(&test);
    all.push_back(&test);
  }
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + attribute("name", "gdbench") +
                     totals_of(all, false) + ">\n";
  for (const auto& [name, tests] : suites) text += suite_text(document, tests);
  return text + "</testsuites>\n";
}

std::string time_words(const stats::Estimate& step_ns) {
  return answers::format_duration_ns(step_ns.value) + " " + answers::format_interval_ns(step_ns);
}

Outcome outcome_of(report::CellState state) {
  using enum report::CellState;
  return state == ok                                ? Outcome::passed
         : state == wrong                           ? Outcome::failure
         : state == unsupported || state == pending ? Outcome::skipped
                                                    : Outcome::error;
}

TestCase case_of(const report::Report& report, const report::Cell& cell) {
  const report::ScenarioRecord* scenario = report.find_scenario(cell.scenario);
  TestCase test{.suite = scenario != nullptr ? scenario->label : cell.scenario};
  test.name = answers::short_id(test.suite, cell.id);
  test.outcome = outcome_of(cell.status.state);
  test.type = report::name_of(cell.status.state);
  test.message = cell.status.reason.empty() ? test.type : cell.status.reason;
  for (const report::Launch& launch : cell.launches) test.seconds = test.seconds.value_or(0) + launch.total_seconds;
  if (cell.summary) {
    test.output = cat("step: ", time_words(cell.summary->step_ns), ", ",
                      answers::counted(cell.summary->step_ns.launches, "launch"));
  }
  return test;
}

Outcome outcome_of(report::Change change) {
  return change == report::Change::regressed ? Outcome::failure
         : change == report::Change::failing ? Outcome::error
         : change == report::Change::removed ? Outcome::skipped
                                             : Outcome::passed;
}

TestCase case_of(const report::ComparedCell& cell) {
  TestCase test{.suite = cell.scenario(), .name = cell.name()};
  if (!cell.of_step()) test.name += ", " + answers::quantity_name(cell.quantity);
  test.outcome = outcome_of(cell.change);
  test.type = report::name_of(cell.change);
  std::vector<std::string> parts = {test.type};
  if (cell.ratio) parts.push_back((cell.of_step() ? "time " : "") + answers::format_change(*cell.ratio));
  const auto words = [&](const stats::Estimate& value) {
    return cell.of_step() ? time_words(value) : answers::format_quantity(cell.quantity, value.value);
  };
  if (cell.base) parts.push_back("base " + words(*cell.base));
  if (cell.next) parts.push_back("new " + words(*cell.next));
  if (!cell.remark.empty()) parts.push_back(cell.remark);
  test.output = joined(parts, "; ");
  test.message = test.output;
  return test;
}

}  // namespace

std::string junit(const report::Report& report) {
  Document document{.properties = facts_of(report)};
  if (seconds_since_1970(report.run.started_at)) {
    document.timestamp = report.run.started_at.substr(0, report.run.started_at.size() - 1);
  }
  for (const report::Cell& cell : report.cells) document.cases.push_back(case_of(report, cell));
  return text_of(document);
}

std::string junit(const report::ReportComparison& comparison) {
  Document document{.properties = {{"base", comparison.base},
                                   {"new", comparison.next},
                                   {"margin", answers::format_percent(comparison.margin)},
                                   {"confidence", answers::format_percent(comparison.confidence)}}};
  for (const std::string& remark : comparison.remarks) document.properties.emplace_back("remark", remark);
  if (!comparison.not_comparable.empty()) {
    document.cases.push_back({.suite = "comparison",
                              .name = "comparable",
                              .outcome = Outcome::error,
                              .type = "not comparable",
                              .message = comparison.not_comparable});
  }
  for (const report::ComparedCell& cell : comparison.cells) document.cases.push_back(case_of(cell));
  return text_of(document);
}

}  // namespace gdbench::exports
