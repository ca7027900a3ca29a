#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "reports/document/writers.h"

namespace gdbench::document {
namespace {

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

}  // namespace
}  // namespace gdbench::document
