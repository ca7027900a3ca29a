#include "harness/base/text.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace gdbench {
namespace {

TEST(Text, QuotesOnOneLine) {
  EXPECT_EQ(in_quotes("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\"");
  EXPECT_EQ(in_quotes(std::string(100, 'x')), "\"" + std::string(80, 'x') + "...\"");
  // No character is cut in half.
  const std::string accented = std::string(79, 'x') + "\xc3\xa9\xc3\xa9";
  EXPECT_EQ(in_quotes(accented), "\"" + std::string(79, 'x') + "...\"");
  EXPECT_EQ(one_line("a\nb\tc"), "a b c");
}

TEST(Text, SpellsOutWhatActsOnATerminal) {
  EXPECT_EQ(escape_controls("\x1b[31mred\r\x07\x7f"), "\\u001b[31mred\\u000d\\u0007\\u007f");
  EXPECT_EQ(escape_controls(std::string("\0", 1)), "\\u0000");
  EXPECT_EQ(escape_controls("\u009b31m\u0085"), "\\u009b31m\\u0085");
  EXPECT_EQ(escape_controls("\u202egnp\u2066\u200f\u061c\u2028\u2029"),
            "\\u202egnp\\u2066\\u200f\\u061c\\u2028\\u2029");
  EXPECT_EQ(escape_controls("\xef\xbf\xbe"), "\\ufffe");
  EXPECT_EQ(escape_controls("a\tb\nc\r\n"), "a\tb\nc\r\n") << "lines and columns";
  EXPECT_EQ(escape_controls("a\nb", ""), "a\\u000ab");
  const std::string ordinary = "5 µs \u2013 \u00a0\ufffc\U0001f600 \\ < & \u2027\u202f";
  EXPECT_EQ(escape_controls(ordinary), ordinary);
}

TEST(Text, ReplacesBytesThatAreNoUtf8OneByOne) {
  EXPECT_EQ(escape_controls("a\xff\xc3"), "a\ufffd\ufffd");
  EXPECT_EQ(escape_controls("\xed\xa0\x80z"), "\ufffd\ufffd\ufffdz");  // half of a pair of UTF-16
  EXPECT_EQ(escape_controls("\xe2\x82<"), "\ufffd\ufffd<");
  EXPECT_EQ(escape_controls("\xc0\xbc"), "\ufffd\ufffd");  // "<" in too many bytes
}

TEST(Text, ReadsLinesAsOne) { EXPECT_EQ(one_line("a\r\n\x1b[1m\u2028b"), "a  \\u001b[1m\\u2028b"); }

TEST(Text, KnowsNames) {
  EXPECT_TRUE(is_name("mlp-10_5.f32"));
  EXPECT_TRUE(is_name("graph/jit+hoisted", kMoreInIds));
  for (const char* other : {"", "a b", "a/b", "a\x1b", "\u00e9", "<b>"})
    EXPECT_FALSE(is_name(other)) << in_quotes(other);
}

TEST(Text, DividesIdsFromEnvironments) {
  EXPECT_EQ(without_environment("pytorch/ddp+mpi@2.14"), "pytorch/ddp+mpi");
  EXPECT_EQ(environment_of("pytorch/ddp+mpi@2.14"), "2.14");
  EXPECT_EQ(without_environment("hand/eigen"), "hand/eigen");
  EXPECT_EQ(environment_of("hand/eigen"), "");
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
