#include "reports/markup/escape.h"

#include <gtest/gtest.h>

namespace gdbench::markup {
namespace {

const std::string kUnknown = "\xef\xbf\xbd";  // U+FFFD

TEST(Escape, LeavesOrdinaryText) {
  EXPECT_EQ(escaped(""), "");
  EXPECT_EQ(escaped("linreg-3x2 batch=32\t\u00b5\u20ac\U0001f600\n"), "linreg-3x2 batch=32\t\u00b5\u20ac\U0001f600\n");
}

TEST(Escape, ReplacesWhatEndsTextOrAttributes) {
  EXPECT_EQ(escaped("<a b=\"c\">&'</a>]]>"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;&lt;/a&gt;]]&gt;");
  EXPECT_EQ(escaped("&amp;"), "&amp;amp;");
}

TEST(Escape, LeavesMarksOfDirection) { EXPECT_EQ(escaped("\u202e\u200f"), "\u202e\u200f"); }

TEST(Escape, ReplacesWhatXmlForbids) {
  for (const char control : {'\0', '\x01', '\r', '\x1b', '\x1f', '\x7f'}) {
    EXPECT_EQ(printable(std::string(1, control)), kUnknown) << static_cast<int>(control);
  }
  for (const char* text : {"\u0080", "\u009f", "\xef\xbf\xbe", "\xef\xbf\xbf"}) EXPECT_EQ(printable(text), kUnknown);
  EXPECT_EQ(printable("\u00a0\ufffc"), "\u00a0\ufffc");
}

TEST(Escape, ReplacesBytesThatAreNoUtf8OneByOne) {
  EXPECT_EQ(printable("a\xff\xc3"), "a" + kUnknown + kUnknown);
  EXPECT_EQ(printable("\xed\xa0\x80z"), kUnknown + kUnknown + kUnknown + "z");  // half of a pair of UTF-16
  EXPECT_EQ(printable("\xe2\x82<"), kUnknown + kUnknown + "<");
}

TEST(Escape, TakesLongText) {
  const std::string text(1'000'000, '<');
  EXPECT_EQ(escaped(text).size(), 4 * text.size());
}

}  // namespace
}  // namespace gdbench::markup
