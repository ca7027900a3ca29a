#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "reports/answers/console.h"
#include "reports/answers/format.h"
#include "tests/support/reports/example_report.h"
#include "tests/unit/answers/screen_text.h"

namespace gdbench::answers {
namespace {

using report::Cell;
using report::Report;
using tests::lines_of;
using tests::without_colour;

// One scenario, "made", whose cells have nothing but what is drawn of them.
class DrawnReport {
 public:
  DrawnReport() {
    report_.scenarios.emplace_back();
    report_.scenarios.back().label = "made";
  }

  DrawnReport& row(const std::string& name, double value, double low, double high, int launches = 6) {
    Cell cell;
    cell.id = cell.implementation = name;
    cell.status.state = report::CellState::ok;
    cell.summary.emplace();
    cell.summary->step_ns = {value, {low, high}, launches, launches == 1};
    report_.cells.push_back(cell);
    return *this;
  }

  // Of the last row, whose baseline is the one of that name.
  DrawnReport& verdict(stats::Verdict verdict, const std::string& baseline) {
    report_.cells.back().summary->ratio = report::RatioToBaseline{baseline, {{}, verdict, ""}};
    return *this;
  }

  std::string drawn(int width = 60) const { return plot(report_, {.colour = false, .width = width}); }
  const Report& report() const { return report_; }

 private:
  Report report_;
};

// The axis has 31 columns: five to a decade.
TEST(Plot, HasALogarithmicAxisOverSixDecades) {
  DrawnReport made;
  made.row("c/slowest", 1e6, 1e5, 1e6).verdict(stats::Verdict::slower, "b/middle");
  made.row("b/middle", 1e3, 1e2, 1e4);
  made.row("a/fastest", 1, 1, 1).verdict(stats::Verdict::faster, "b/middle");
  EXPECT_EQ(made.drawn(),
            "made\n"
            "  a/fastest  1 ns  faster    o\n"
            "  b/middle   1 us  baseline            [----o----]\n"
            "  c/slowest  1 ms  slower                             [----o\n"
            "  logarithmic                +---------+---------+---------+\n"
            "                             1 ns   100 ns     10 us    1 ms\n");
}

// The axis has 31 columns, each of 2 ns, from 90 ns on.
TEST(Plot, HasALinearAxisWithinAFactorOfTwo) {
  DrawnReport made;
  made.row("a/1", 100, 90, 110);
  made.row("b/2", 140, 130, 150).verdict(stats::Verdict::inconclusive, "a/1");
  EXPECT_EQ(made.drawn(59),  // as 60, which is the least
            "made\n"
            "  a/1  100 ns  baseline      [----o----]\n"
            "  b/2  140 ns  inconclusive                      [----o----]\n"
            "  linear                     -----+---------+---------+-----\n"
            "                               100 ns    120 ns    140 ns\n");
}

// From 45 to 55 ns on 39 columns.
TEST(Plot, PutsASingleValueInTheMiddle) {
  EXPECT_EQ(DrawnReport().row("only/me", 50, 50, 50).drawn(),
            "made\n"
            "  only/me  50 ns  -                     o\n"
            "  linear             ----+------+-------+-------+------+----\n"
            "                       46 ns  48 ns   50 ns   52 ns  54 ns\n");
}

TEST(Plot, CutsNamesAndKeepsThemOnTheirLines) {
  std::string micros;
  for (int i = 0; i < 90; ++i) micros += "\u00b5";
  DrawnReport made;
  made.row("evil\n\x1b[31m\t%s", 50, 50, 50).row(micros, 60, 60, 60);
  const std::vector<std::string> lines = lines_of(made.drawn());
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[1], "  evil \\u001b[31m %s          50 ns  -  o");
  EXPECT_EQ(lines[2], "  " + micros.substr(0, 2 * 24) + "..  60 ns  -                     o");
}

TEST(Plot, DrawsNoMarkOfWhatIsNoTime) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(DrawnReport().row("a/none", 0, 0, 0).row("b/none", kNaN, 0, kNaN).drawn(),
            "made\n"
            "  a/none  0 ns  -\n"
            "  b/none     -  -\n");
  const std::vector<std::string> lines =
      lines_of(DrawnReport().row("a/low", 10, -1, 20).row("b/high", 15, 14, kInfinity).drawn());
  EXPECT_EQ(lines[1], "  a/low   10 ns  -  o") << "an interval with an end that is no time is left out";
  EXPECT_EQ(lines[2].back(), 'o');
}

TEST(Plot, SaysWhatIsNotDrawnAndWhatRestsOnOneLaunch) {
  const std::string text = plot(tests::example_report(), {.colour = false, .width = 100});
  EXPECT_NE(text.find("\n  Not drawn: 1 row not ranked, 5 rows without a time.\n"), std::string::npos) << text;
  EXPECT_NE(text.find("105 us *"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  * within one process"), std::string::npos) << text;
  EXPECT_EQ(plot(Report(), {}), "");
}

TEST(Plot, IsTheSameWithColours) {
  DrawnReport made;
  made.row("a/first", 100, 90, 110).row("b/later", 340, 330, 350).verdict(stats::Verdict::slower, "a/first");
  const std::string text = plot(made.report(), {.colour = true, .width = 80});
  EXPECT_NE(text.find("\x1b[31mslower"), std::string::npos) << text;
  const std::vector<std::string> lines = lines_of(without_colour(text));
  const std::vector<std::string> expected = lines_of(made.drawn(80));
  ASSERT_EQ(lines.size(), expected.size());
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(lines[i].find(expected[i]), 0U) << lines[i];
}

// Any times, from what an axis has no place for to differences in the last bit.
TEST(Plot, KeepsItsWidthAndNamesATick) {
  std::mt19937_64 random(1);
  const auto uniform = [&random](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int i = 0; i < 2000; ++i) {
    DrawnReport made;
    const double scale = std::pow(10.0, uniform(-8, 20));
    const double spread = std::pow(10.0, uniform(-17, 3));
    for (int row = 0; row < 3; ++row) {
      const double value = scale * (1 + spread * uniform(0, 1));
      made.row("a/row", value, value * (1 - std::min(spread, 0.9)), value * (1 + spread));
    }
    const int width = static_cast<int>(uniform(40, 240));
    const std::vector<std::string> lines = lines_of(made.drawn(width));
    for (const std::string& line : lines) {
      ASSERT_LE(display_width(line), static_cast<std::size_t>(std::clamp(width, 60, 200))) << line;
    }
    if (lines.size() == 4) continue;  // no axis has a place for these times
    ASSERT_EQ(lines.size(), 6U);
    ASSERT_NE(lines[4].find('+'), std::string::npos) << lines[4];
    ASSERT_NE(lines[5].find("s"), std::string::npos) << lines[4];
  }
}

}  // namespace
}  // namespace gdbench::answers
