#include "reports/page/forest_figure.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/unit/page/page_parts.h"

namespace gdbench::page {
namespace {

stats::Estimate ratio_of(double value, double low, double high) {
  return {.value = value, .interval = {low, high}, .launches = 12};
}

std::string drawn(const std::vector<ForestRow>& rows) {
  Markup markup;
  add_forest(markup, {.figure = {.id = "f", .title = "T", .sentence = "S.", .data = {{.title = "row", .texts = {}}}},
                      .axis = "times",
                      .rows = rows});
  return markup.take();
}

ForestRow row_of(Finding finding, const std::optional<stats::Estimate>& ratio) {
  return {.label = "a", .word = "found", .figure = "1x", .finding = finding, .ratio = ratio};
}

TEST(ForestFigure, DrawsNothingOfNoRows) { EXPECT_EQ(drawn({}), ""); }

TEST(ForestFigure, EveryFindingHasAMarkOfItsOwn) {
  std::vector<std::string> marks;
  for (const Finding finding :
       {Finding::worse, Finding::better, Finding::alike, Finding::open, Finding::failed, Finding::passed}) {
    const std::string text = drawn({row_of(finding, std::nullopt)});
    const std::size_t mark = text.find("<path class=\"k");
    marks.push_back(text.substr(mark, text.find("/>", mark) - mark));
    EXPECT_EQ(count_of(text, "<path class=\"k"), 1U);  // beside the word alone: there is no ratio
    for (std::size_t i = 0; i + 1 < marks.size(); ++i) EXPECT_NE(marks[i], marks.back());
  }
}

TEST(ForestFigure, AnArrowEndsAnIntervalThatGoesOn) {
  EXPECT_EQ(count_of(drawn({row_of(Finding::open, ratio_of(1, 0.99, 1.01))}), "class=\"c "), 1U);
  EXPECT_EQ(count_of(drawn({row_of(Finding::open, ratio_of(1, 0.01, 1.01))}), "class=\"c "), 2U);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(count_of(drawn({row_of(Finding::open, ratio_of(1, 0, infinity))}), "class=\"c "), 3U);
}

TEST(ForestFigure, WhatIsNoNumberIsNotDrawn) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const stats::Estimate& ratio : {ratio_of(nan, nan, nan), ratio_of(0, 0, 0), ratio_of(1, nan, 1)}) {
    const std::string text = drawn({row_of(Finding::open, ratio)});
    EXPECT_EQ(count_of(text, "<path class=\"k"), 1U);
    EXPECT_EQ(text.find("nan"), std::string::npos);
  }
}

TEST(ForestFigure, AWantedRangeHasAStrokeAtEachLimit) {
  ForestRow row = row_of(Finding::better, ratio_of(3, 2.9, 3.1));
  EXPECT_EQ(count_of(drawn({row}), "class=\"o\""), 1U);  // the line at 1
  row.wanted = {2, std::numeric_limits<double>::infinity()};
  EXPECT_EQ(count_of(drawn({row}), "class=\"o\""), 2U);
  row.wanted = {2, 6};
  EXPECT_EQ(count_of(drawn({row}), "class=\"o\""), 3U);
}

TEST(ForestFigure, GroupsStandTogether) {
  std::vector<ForestRow> rows(3, row_of(Finding::alike, ratio_of(1, 1, 1)));
  rows[0].group = rows[2].group = "one";
  rows[1].group = "two";
  rows[2].label = "last";
  const std::string text = drawn(rows);
  EXPECT_EQ(count_of(text, ">one</text>"), 1U);
  EXPECT_LT(text.find(">last</text>"), text.find(">two</text>"));
}

}  // namespace
}  // namespace gdbench::page
