#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "reports/page/report_figures.h"

namespace gdbench::page {
namespace {

// Scenarios "s", "s[rows=10]" ... with timed cells of "a/x" and "b/x".
class AxisTest : public testing::Test {
 protected:
  void add_scenario(const std::string& label, std::int64_t rows, double operations = 0) {
    report::ScenarioRecord scenario;
    scenario.key = label;
    scenario.label = label;
    scenario.name = label.substr(0, label.find('['));
    scenario.rows = rows;
    scenario.operations_per_step = operations;
    report_.scenarios.push_back(scenario);
  }

  void add_time(const std::string& scenario, const std::string& implementation, double low, double value, double high) {
    report::Cell cell;
    cell.id = scenario + "/" + implementation;
    cell.scenario = scenario;
    cell.implementation = implementation;
    cell.status.state = report::CellState::ok;
    cell.summary.emplace();
    cell.summary->step_ns = {.value = value, .interval = {low, high}, .launches = 5};
    report_.cells.push_back(cell);
  }

  std::vector<Axis> axes() {
    tables_ = render::tables_of(report_);
    return axes_of(tables_);
  }

  std::string figure() {
    Markup markup;
    Hues hues;
    for (const Axis& axis : axes()) add_axis(markup, axis, "id", hues);
    return markup.take();
  }

 private:
  report::Report report_;
  std::vector<render::ScenarioTable> tables_;
};

std::vector<double> values_of(const Axis& axis) {
  std::vector<double> values;
  for (const Axis::Point& point : axis.points) values.push_back(point.value);
  return values;
}

TEST_F(AxisTest, FindsTheQuantityThatLabelsDifferIn) {
  for (const auto& [label, rows] :
       {std::pair("s[rows=1000]", 1000), std::pair("s", 100), std::pair("s[dtype=f64,rows=10]", 10),
        std::pair("s[dtype=f64,rows=20]", 20), std::pair("t", 7)}) {
    add_scenario(label, rows);
    add_time(label, "a/x", 1, 1, 1);
  }
  const std::vector<Axis> found = axes();
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
    add_time(label, "a/x", 1, 1, 1);
  }
  EXPECT_TRUE(axes().empty()) << "two are no axis";
  add_scenario("u", 1, 40);
  add_time("u", "a/x", 1, 1, 1);
  const std::vector<Axis> found = axes();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].quantity, "operations");
  EXPECT_EQ(values_of(found[0]), (std::vector<double>{40, 2e3, 3e6}));
}

// a takes 1 and 100, b 10 and 10: equal at half of the way between 1 and 100 rows on a logarithmic axis.
TEST_F(AxisTest, SaysFromWhereOnAnotherIsFaster) {
  add_scenario("s[rows=1]", 1);
  add_scenario("s[rows=100]", 100);
  add_time("s[rows=1]", "a/x", 1, 1, 1);
  add_time("s[rows=100]", "a/x", 50, 100, 200);
  add_time("s[rows=1]", "b/x", 10, 10, 10);
  add_time("s[rows=100]", "b/x", 10, 10, 10);
  const std::string made = figure();
  // log 10 / (log 10 + log 20) = 0.435 of the way, and log 10 / (log 10 + log 5) = 0.589.
  EXPECT_NE(made.find("b/x is faster than a/x from 10 [7.4, 15] on."), std::string::npos) << made.substr(0, 400);
}

TEST_F(AxisTest, CutsACrossingsIntervalAtTheSizesAroundIt) {
  add_scenario("s[rows=1]", 1);
  add_scenario("s[rows=100]", 100);
  add_time("s[rows=1]", "a/x", 1, 1, 20);
  add_time("s[rows=100]", "a/x", 5, 100, 200);
  add_time("s[rows=1]", "b/x", 10, 10, 10);
  add_time("s[rows=100]", "b/x", 10, 10, 10);
  EXPECT_NE(figure().find("from 10 [1, 100] on."), std::string::npos);
}

TEST_F(AxisTest, SaysWhereOneIsTheFastestEverywhere) {
  add_scenario("s[rows=1]", 1);
  add_scenario("s[rows=100]", 100);
  for (const char* label : {"s[rows=1]", "s[rows=100]"}) {
    add_time(label, "a/x", 1, 1, 1);
    add_time(label, "b/x", 2, 2, 2);
  }
  EXPECT_NE(figure().find("a/x is the fastest at every size."), std::string::npos);
}

}  // namespace
}  // namespace gdbench::page
