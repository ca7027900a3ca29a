#include "reports/markup/escape.h"

#include <gtest/gtest.h>

namespace gdbench::markup {
namespace {

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
