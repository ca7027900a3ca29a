#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "harness/analysis/summarise.h"
#include "reports/answers/report_charts.h"

namespace gdbench::answers {
namespace {

// Scenarios "s", "s[rows=10]" ... with timed cells of "a/x" and "b/x".
class AxisTest : public testing::Test {
 protected:
  void clear() { report_ = {}; }

  void add_scenario(const std::string& label, std::int64_t rows, double operations = 0) {
    report::ScenarioRecord scenario;
    scenario.key = label;
    scenario.label = label;
    scenario.name = label.substr(0, label.find('['));
    scenario.rows = rows;
    scenario.operations_per_step = operations;
    report_.scenarios.push_back(scenario);
  }

  // Of a launch each.
  void add_times(const std::string& scenario, const std::string& implementation, const std::vector<double>& times) {
    report::Cell cell;
    cell.id = scenario + "/" + implementation;
    cell.scenario = scenario;
    cell.implementation = implementation;
    cell.status.state = report::CellState::ok;
    for (const double time : times) {
      const auto launch = static_cast<int>(cell.samples.size());
      cell.samples.push_back({.launch = launch, .round = 1, .steps = 1, .real_ns = time});
    }
    cell.summary.emplace();
    cell.summary->step_ns = analysis::step_time(cell);
    report_.cells.push_back(cell);
  }
  void add_time(const std::string& scenario, const std::string& implementation, double time) {
    add_times(scenario, implementation, std::vector<double>(7, time));
  }

  std::vector<SizeAxis> axes() {
    tables_ = tables_of(report_);
    return axes_of(tables_);
  }

  std::string figure() {
    document::Hues hues;
    tables_ = tables_of(report_);
    std::string sentences;
    for (const document::Figure& figure : times_over_sizes(report_, tables_, hues)) sentences += figure.sentence;
    return sentences;
  }

 private:
  report::Report report_;
  std::vector<ScenarioTable> tables_;
};

std::vector<double> values_of(const SizeAxis& axis) {
  std::vector<double> values;
  for (const SizeAxis::Point& point : axis.points) values.push_back(point.value);
  return values;
}

TEST_F(AxisTest, FindsTheQuantityThatLabelsDifferIn) {
  for (const auto& [label, rows] :
       {std::pair("s[rows=1000]", 1000), std::pair("s", 100), std::pair("s[dtype=f64,rows=10]", 10),
        std::pair("s[dtype=f64,rows=20]", 20), std::pair("t", 7)}) {
    add_scenario(label, rows);
    add_time(label, "a/x", 1);
  }
  const std::vector<SizeAxis> found = axes();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].quantity, "rows");
  EXPECT_EQ(found[0].rest, "s");
  EXPECT_EQ(values_of(found[0]), (std::vector<double>{100, 1000}));
  EXPECT_EQ(found[1].rest, "s[dtype=f64]");
  EXPECT_EQ(values_of(found[1]), (std::vector<double>{10, 20}));
}

TEST_F(AxisTest, ComparesWhatHasNoQuantityByItsOperations) {
  for (const auto& [label, operations] : {std::pair("s", 3e6), std::pair("t", 2e3)}) {
    add_scenario(label, 1, operations);
    add_time(label, "a/x", 1);
  }
  EXPECT_TRUE(axes().empty()) << "two are no axis";
  add_scenario("u", 1, 40);
  add_time("u", "a/x", 1);
  const std::vector<SizeAxis> found = axes();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].quantity, "operations");
  EXPECT_EQ(values_of(found[0]), (std::vector<double>{40, 2e3, 3e6}));
}

struct Race {
  std::map<std::int64_t, std::pair<std::vector<double>, std::vector<double>>> times;  // of a and b by rows
  std::string says;
};

TEST_F(AxisTest, SaysWhoIsFasterFromWhereOn) {
  const std::vector<double> one(7, 1);
  const std::vector<double> ten(7, 10);
  for (const Race& race : std::vector<Race>{
           // Equal at log 10 / (log 10 + log 20) = 0.435 of the way in the first launch, at 0.589 in the last.
           {{{1, {one, ten}}, {100, {{50, 60, 80, 100, 120, 150, 200}, ten}}},
            "b/x is faster than a/x from 10 [7.4, 15] on."},
           {{{1, {{1, 1, 1, 1, 1, 1, 20}, ten}}, {100, {std::vector<double>(7, 100), ten}}},
            "Verdicts name a fastest at 1 of 2 sizes."},
           {{{1, {{1}, {2}}}, {10, {}}, {100, {{1}, {2}}}}, "Verdicts name a fastest at 0 of 2 sizes."},
           {{{1, {one, ten}}, {100, {one, ten}}}, "a/x is the fastest at every size."}}) {
    clear();
    for (const auto& [rows, times] : race.times) {
      const std::string label = "s[rows=" + std::to_string(rows) + "]";
      add_scenario(label, rows);
      if (!times.first.empty()) add_times(label, "a/x", times.first);
      if (!times.second.empty()) add_times(label, "b/x", times.second);
    }
    const std::string made = figure();
    for (const char* sentence : {" is faster than ", " is the fastest", "Verdicts name"}) {
      EXPECT_EQ(made.find(sentence) != std::string::npos, race.says.find(sentence) != std::string::npos) << race.says;
    }
    EXPECT_NE(made.find(race.says), std::string::npos) << race.says << "\n" << made.substr(0, 400);
  }
}

}  // namespace
}  // namespace gdbench::answers
