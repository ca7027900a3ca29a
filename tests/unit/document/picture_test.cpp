#include "reports/document/picture.h"

#include <gtest/gtest.h>

#include <regex>

namespace gdbench::document {
namespace {

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
