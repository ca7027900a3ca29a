#include "reports/markup/markup.h"

#include <gtest/gtest.h>

#include <string>

namespace gdbench::markup {
namespace {

TEST(CoordinateTest, IsShort) {
  EXPECT_EQ(coordinate(12), "12");
  EXPECT_EQ(coordinate(12.34), "12.3");
  EXPECT_EQ(coordinate(-0.04), "0");
  EXPECT_EQ(coordinate(1e5), "100000");
}

TEST(MarkupTest, ClosesWhatItOpens) {
  Markup markup;
  markup.element("p", {{"class", "a\"b"}, {"", "left out"}}, [&] {
    markup.text("1 < 2");
    markup.element("b", "x");
    markup.empty("br", {});
  });
  EXPECT_EQ(markup.take(), "<p class=\"a&quot;b\">1 &lt; 2<b>x</b><br/>\n</p>\n");
}

}  // namespace
}  // namespace gdbench::markup
