#include "reports/render/crossover.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace gdbench::render {
namespace {

using stats::CrossoverOutcome;
using stats::Verdict;

result::CrossoverPoint point(std::int64_t size, double a_ns, double b_ns, Verdict verdict) {
  result::CrossoverPoint made;
  made.size = size;
  made.a_step_ns = {a_ns, {a_ns * 0.99, a_ns * 1.01}, 8, false};
  made.b_step_ns = {b_ns, {b_ns * 0.99, b_ns * 1.01}, 8, false};
  made.comparison.ratio = {a_ns / b_ns, {a_ns / b_ns * 0.98, a_ns / b_ns * 1.02}, 8, false};
  made.comparison.verdict = verdict;
  if (verdict == Verdict::inconclusive) made.comparison.remark = "reaches across";
  return made;
}

result::Crossover crossover(std::vector<result::CrossoverPoint> points) {
  result::Crossover made;
  made.scenario = "example";
  made.a = "one/x";
  made.b = "two/y";
  made.axis = "rows";
  made.margin = 0.01;
  made.confidence = 0.99;
  made.points = std::move(points);
  stats::ComparedSizes sizes;
  for (const result::CrossoverPoint& measured : made.points) sizes[measured.size] = measured.comparison;
  made.answer = stats::find_crossover(sizes);
  return made;
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(CrossoverTable, ShowsEverySizeAndTheCrossing) {
  const std::string table =
      crossover_table(crossover({point(3, 200, 100, Verdict::slower), point(300, 1000, 1000, Verdict::equivalent),
                                 point(30000, 50000, 100000, Verdict::faster)}));
  const char* expected =
      "example\n"
      "   rows          one/x          two/y  ratio               launches  faster\n"
      "      3  200 ns +-1.0%  100 ns +-1.0%  2.00x [1.96, 2.04]         8  two/y\n"
      "    300    1 us +-1.0%    1 us +-1.0%  1.00x [0.98, 1.02]         8  equal\n"
      "  30000   50 us +-1.0%  100 us +-1.0%  0.50x [0.49, 0.51]         8  one/x\n"
      "\n"
      "one/x is faster than two/y from about rows=300 on: two/y is certainly faster at 3, one/x at 30000.\n"
      "\n"
      "ratio: time of a step, one/x over two/y, median with 99% interval over launches; equal: within 1.0%.\n";
  EXPECT_EQ(table, expected);
}

TEST(CrossoverTable, SaysWhenTheOrderIsNotMonotone) {
  const std::string table = crossover_table(
      crossover({point(3, 1, 2, Verdict::faster), point(9, 2, 1, Verdict::slower), point(40, 1, 2, Verdict::faster)}));
  expect_contains(table, "two/y is faster than one/x from about rows=5 on");
  expect_contains(table, "Warning: the order is not monotone. It also flips between 9 and 40 to one/x;");
}

TEST(CrossoverTable, SaysWhenThereIsNone) {
  const auto words = [](std::vector<result::CrossoverPoint> points) {
    return crossover_table(crossover(std::move(points)));
  };
  expect_contains(words({point(3, 1, 2, Verdict::faster), point(90, 1, 2, Verdict::faster)}),
                  "No crossing: one/x is faster at every size measured from rows=3 to 90.");
  expect_contains(words({point(3, 2, 1, Verdict::slower), point(9, 1, 1, Verdict::equivalent)}),
                  "No crossing: two/y is never slower from rows=3 to 9 (faster at 1 size, equal at 1).");
  expect_contains(words({point(3, 1, 1, Verdict::equivalent), point(9, 1, 1, Verdict::equivalent)}),
                  "one/x and two/y are within 1.0% of each other at every size measured from rows=3 to 9.");
  expect_contains(
      words({point(3, 1, 2, Verdict::faster), point(5, 1, 1, Verdict::inconclusive), point(9, 1, 2, Verdict::faster)}),
      "one/x is faster from rows=3 to 9; 1 size in between could not be decided.");
}

TEST(CrossoverTable, SaysWhatCannotBeDecided) {
  result::Crossover undecided = crossover({point(3, 1, 2, Verdict::faster), point(9, 1, 1, Verdict::inconclusive)});
  undecided.complete = false;
  const std::string table = crossover_table(undecided);
  expect_contains(table, "Cannot be decided whether there is a crossing:\n  rows=9: reaches across\n");
  expect_contains(table, "Stopped before the search was done");
  expect_contains(crossover_table(crossover({})), "nothing was measured");
}

result::StepsCrossover steps_crossover(stats::Overtaking overtaking, double steps, stats::Interval interval) {
  result::StepsCrossover made;
  made.scenario = "example";
  made.sides[0] = {"one/x", 1e-6, 2e-3, 3000, {500, {490, 510}, 5, false}};
  made.sides[1] = {"two/y", 1e-6, 1e-6, 3000, {900, {890, 910}, 5, false}};
  made.answer = {overtaking, steps, interval, 5};
  return made;
}

TEST(StepsTable, SaysFromHowManyStepsOn) {
  const std::string table = crossover_table(steps_crossover(stats::Overtaking::after, 5000, {4800, 5200}));
  expect_contains(table, "one/x           1 us     2 ms        3 us       500 ns");
  expect_contains(table, "two/y is ready sooner; one/x has overtaken it from about 5000 steps on [4800, 5200].");
  expect_contains(table, "Medians over 5 launches");
  expect_contains(crossover_table(steps_crossover(stats::Overtaking::from_the_start, 0, {0, 0})),
                  "one/x is ahead of two/y from the start");
  expect_contains(crossover_table(steps_crossover(stats::Overtaking::never, INFINITY, {INFINITY, INFINITY})),
                  "one/x never overtakes two/y");
  expect_contains(crossover_table(steps_crossover(stats::Overtaking::at_earliest, 5000, {800, INFINITY})),
                  "two/y is ready sooner; one/x overtakes it after at least 800 steps, if ever: ");
  expect_contains(crossover_table(steps_crossover(stats::Overtaking::undecided, 5000, {100, INFINITY})),
                  "Cannot be decided from 5 launches from how many steps on one/x has overtaken two/y: the interval is "
                  "[100, never].");
}

TEST(StepsTable, InfinityIsNullInJson) {
  const auto document = result::to_json(steps_crossover(stats::Overtaking::undecided, INFINITY, {100, INFINITY}));
  EXPECT_TRUE(document.at("steps").is_null());
  EXPECT_EQ(document.at("interval").at("low"), 100);
  EXPECT_TRUE(document.at("interval").at("high").is_null());
  EXPECT_EQ(document.at("outcome"), "undecided");
}

}  // namespace
}  // namespace gdbench::render
