// What drawings are made of: scales, bars and flags.
#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <string>
#include <vector>

#include "reports/document/picture.h"
#include "reports/document/scale.h"
#include "reports/document/writers.h"

namespace gdbench::document {
namespace {

TEST(ScaleTest, PutsValuesBetweenItsEnds) {
  const Scale linear = Scale::linear(0, 10, 100, 200);
  EXPECT_DOUBLE_EQ(linear.at(0), 100);
  EXPECT_DOUBLE_EQ(linear.at(5), 150);
  EXPECT_DOUBLE_EQ(linear.at(99), 200);
  const Scale logarithmic = Scale::logarithmic(1, 100, 50, 0);
  EXPECT_DOUBLE_EQ(logarithmic.at(1), 50);
  EXPECT_DOUBLE_EQ(logarithmic.at(10), 25);
  EXPECT_DOUBLE_EQ(logarithmic.at(0.001), 50);
}

TEST(ScaleTest, AScaleOfOneValueHasItInTheMiddle) {
  EXPECT_DOUBLE_EQ(Scale::logarithmic(7, 7, 0, 10).at(7), 5);
  EXPECT_EQ(Scale::logarithmic(7, 7, 0, 10).ticks(5), std::vector<double>{7});
}

TEST(ScaleTest, TicksAreRoundAndFew) {
  EXPECT_EQ(Scale::linear(0, 10, 0, 1).ticks(5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(Scale::logarithmic(1, 10, 0, 1).ticks(5), (std::vector<double>{1, 2, 5, 10}));
  EXPECT_EQ(Scale::logarithmic(1, 1000, 0, 1).ticks(5), (std::vector<double>{1, 10, 100, 1000}));
  EXPECT_EQ(Scale::logarithmic(1, 1e8, 0, 1).ticks(5), (std::vector<double>{1, 1e2, 1e4, 1e6, 1e8}));
}

TEST(ScaleTest, ANarrowLogarithmicScaleHasTicks) {
  const std::vector<double> ticks = Scale::logarithmic(21, 39, 0, 1).ticks(5);
  ASSERT_GE(ticks.size(), 2U);
  for (const double tick : ticks) {
    EXPECT_GE(tick, 21);
    EXPECT_LE(tick, 39);
  }
}

TEST(ExtentTest, IgnoresWhatIsNotFinite) {
  Extent extent;
  extent.add(std::nan(""));
  EXPECT_TRUE(extent.empty);
  extent.add(2);
  extent.add(INFINITY);
  extent.add_positive(-1);
  extent.add_positive(5);
  EXPECT_EQ(extent.low, 2);
  EXPECT_EQ(extent.high, 5);
}

std::string ratio_text(double ratio) { return std::to_string(ratio); }

BarRow row_of(double value, double low, double high) {
  return {.label = "a", .look = look_of(1), .measures = {{.value = value, .interval = stats::Interval{low, high}}}};
}

std::string drawn(std::vector<BarRow> rows) {
  return drawing_of(Rows{.axes = {{.title = "times", .text = &ratio_text, .logarithmic = true}},
                         .rows = std::move(rows),
                         .line = 1})
      .markup;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Those of intervals.
std::size_t arrows_in(const std::string& text) {
  const std::size_t path = text.find("class=\"c s1\"");
  return count_of(text.substr(path, text.find("/>", path) - path), "L") / 2;
}

TEST(RowsDrawing, AnArrowEndsAnIntervalThatGoesOn) {
  EXPECT_EQ(arrows_in(drawn({row_of(1, 0.99, 1.01)})), 0U);
  EXPECT_EQ(arrows_in(drawn({row_of(1, 0.01, 1.01)})), 1U);
  EXPECT_EQ(arrows_in(drawn({row_of(1, 0, INFINITY)})), 2U);
}

TEST(RowsDrawing, WhatIsNoNumberIsNotDrawn) {
  for (const BarRow& row : {row_of(NAN, NAN, NAN), row_of(0, 0, 0), row_of(1, NAN, 1)}) {
    const std::string text = drawn({row});
    EXPECT_EQ(count_of(text, "class=\"c "), 0U);
    EXPECT_EQ(text.find("nan"), std::string::npos) << text;
  }
}

TEST(RowsDrawing, AWantedRangeHasAStrokeAtEachLimit) {
  BarRow row = row_of(3, 2.9, 3.1);
  EXPECT_EQ(count_of(drawn({row}), "class=\"o\""), 1U) << "the line at 1";
  row.wanted = {2, INFINITY};
  EXPECT_EQ(count_of(drawn({row}), "class=\"o\""), 2U);
  row.wanted = {2, 6};
  EXPECT_EQ(count_of(drawn({row}), "class=\"o\""), 3U);
}

TEST(RowsDrawing, GroupsStandTogether) {
  std::vector<BarRow> rows(3, row_of(1, 1, 1));
  rows[0].group = rows[2].group = "one";
  rows[1].group = "two";
  rows[2].label = "last";
  const std::string text = drawn(rows);
  EXPECT_EQ(count_of(text, ">one</text>"), 1U);
  EXPECT_LT(text.find(">last</text>"), text.find(">two</text>"));
}

std::vector<std::size_t> rows_of(std::vector<Flag> flags) {
  area_below(flags);
  std::vector<std::size_t> rows;
  for (const Flag& flag : flags) rows.push_back(flag.row);
  return rows;
}

TEST(Flags, StandInOneRowWhereTheyHaveRoom) {
  EXPECT_EQ(rows_of({{300, "slower"}, {100, "faster"}}), (std::vector<std::size_t>{0, 0}));
}

// Their lines go down: from the left each is above those that follow within its words.
TEST(Flags, StandAboveLinesThatWouldCrossThem) {
  EXPECT_EQ(rows_of({{100, "1 slower"}, {120, "2 slower"}, {140, "3 slower"}, {400, "4 slower"}}),
            (std::vector<std::size_t>{2, 1, 0, 0}));
  std::vector<Flag> flags = {{100, "1 slower"}, {120, "2 slower"}};
  EXPECT_EQ(area_below(flags).top, PlotArea().top + 2 * kLineHeight);
}

TEST(EndLabels, StandApartAndInsideTheArea) {
  Markup markup;
  const PlotArea area;
  add_end_labels(markup, area, {{area.bottom, "a"}, {area.bottom - 1, "b"}, {area.top, "c"}});
  const std::string text = markup.take();
  const std::regex place(R"re( y="([0-9.]+)">)re");
  std::vector<double> heights;
  for (std::sregex_iterator found(text.begin(), text.end(), place), end; found != end; ++found) {
    heights.push_back(std::stod((*found)[1]));
  }
  ASSERT_EQ(heights.size(), 3U);
  EXPECT_EQ(heights[0], area.top + 4);
  EXPECT_EQ(heights[1], area.bottom - kLineHeight + 4);
  EXPECT_EQ(heights[2], area.bottom + 4);
}

}  // namespace
}  // namespace gdbench::document
