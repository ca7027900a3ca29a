#include "reports/page/markup.h"

#include <gtest/gtest.h>

#include <string>

namespace gdbench::page {
namespace {

TEST(EscapedTest, LeavesNoMarkup) {
  EXPECT_EQ(escaped("<b a=\"1\" b='2'>&amp;"), "&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;amp;");
  EXPECT_EQ(escaped("a\tb\nc \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"),
            "a\tb\nc \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80");
  EXPECT_EQ(escaped(""), "");
}

TEST(EscapedTest, ReplacesWhatNoDocumentMayHold) {
  const std::string replaced = "\xEF\xBF\xBD";
  EXPECT_EQ(escaped(std::string("\0\x01\x1F\x7F", 4)), replaced + replaced + replaced + replaced);
  EXPECT_EQ(escaped("\xC2\x85"), replaced);  // a control character of two bytes
  EXPECT_EQ(escaped("\xE2\x80\xAE|\xE2\x81\xA6|\xD8\x9C"), replaced + "|" + replaced + "|" + replaced);  // directions
  EXPECT_EQ(escaped("\xEF\xBF\xBE"), replaced);                                                          // no character
}

TEST(EscapedTest, ReplacesBytesThatAreNoCharacters) {
  const std::string replaced = "\xEF\xBF\xBD";
  EXPECT_EQ(escaped("a\xFFz"), "a" + replaced + "z");
  EXPECT_EQ(escaped("\xC3"), replaced);                                // cut off
  EXPECT_EQ(escaped("\xC0\xBC"), replaced + replaced);                 // "<" in too many bytes
  EXPECT_EQ(escaped("\xED\xA0\x80"), replaced + replaced + replaced);  // half of a pair
}

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
}  // namespace gdbench::page
