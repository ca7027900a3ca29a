#include "reports/markup/markup.h"

#include <gtest/gtest.h>

#include <string>

#include "reports/markup/escape.h"

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

TEST(Escape, LeavesOrdinaryText) {
  EXPECT_EQ(escaped(""), "");
  EXPECT_EQ(escaped("linreg-3x2 batch=32\t\u00b5\u20ac\U0001f600\n"), "linreg-3x2 batch=32\t\u00b5\u20ac\U0001f600\n");
}

TEST(Escape, ReplacesWhatEndsTextOrAttributes) {
  EXPECT_EQ(escaped("<a b=\"c\">&'</a>]]>"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;&lt;/a&gt;]]&gt;");
  EXPECT_EQ(escaped("&amp;"), "&amp;amp;");
}

TEST(Escape, SpellsOutWhatXmlForbids) { EXPECT_EQ(escaped("\x1b<\xff\xef\xbf\xbf"), "\\u001b&lt;\ufffd\\uffff"); }

TEST(Escape, TakesLongText) {
  const std::string text(1'000'000, '<');
  EXPECT_EQ(escaped(text).size(), 4 * text.size());
}

}  // namespace
}  // namespace gdbench::markup
