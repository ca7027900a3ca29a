#include "harness/base/text.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace gdbench {
namespace {

TEST(Text, QuotesOnOneLine) {
  EXPECT_EQ(in_quotes("a\"b\\c\n"), "\"a\\\"b\\\\c\\x0a\"");
  EXPECT_EQ(in_quotes(std::string(100, 'x')), "\"" + std::string(80, 'x') + "...\"");
  // No character is cut in half.
  const std::string accented = std::string(79, 'x') + "\xc3\xa9\xc3\xa9";
  EXPECT_EQ(in_quotes(accented), "\"" + std::string(79, 'x') + "...\"");
  EXPECT_EQ(one_line("a\nb\tc"), "a b c");
}

TEST(Text, ConcatenatesTextAndIntegers) {
  const std::string name = "eigen";
  EXPECT_EQ(cat("hand/", name, ": ", std::string_view("found "), std::int64_t{-12}, " of ", 3U),
            "hand/eigen: found -12 of 3");
  EXPECT_EQ(cat(INT64_MIN), "-9223372036854775808");
  EXPECT_EQ(cat(), "");
}

TEST(Text, Joins) {
  EXPECT_EQ(joined({}), "");
  EXPECT_EQ(joined({"a"}), "a");
  EXPECT_EQ(joined({"a", "b"}, " | "), "a | b");
}

TEST(Text, FindsTheNearest) {
  EXPECT_EQ(nearest("lerning_rate", {"kind", "learning_rate"}), "learning_rate");
  EXPECT_EQ(nearest("bath", {"data", "batch"}), "batch");
  EXPECT_EQ(nearest("x", {"kind", "learning_rate"}), "");
  EXPECT_EQ(nearest("", {"kind"}), "");
  EXPECT_EQ(nearest("y", {"x"}), "") << "nothing in common";
  EXPECT_EQ(suggestion("knid", {"kind"}), " (did you mean kind?)");
  EXPECT_EQ(suggestion("zzzz", {"kind"}), "");
}

TEST(Text, KnowsUtf8) {
  EXPECT_TRUE(is_utf8("plain, \xc3\xa9, \xe2\x82\xac, \xf0\x9f\x98\x80"));
  for (const char* bad :
       {"\xff", "\xc3", "\xc3(", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80"}) {
    EXPECT_FALSE(is_utf8(bad)) << in_quotes(bad);
  }
}

}  // namespace
}  // namespace gdbench
