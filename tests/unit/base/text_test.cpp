#include "harness/base/text.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "harness/base/clock.h"
#include "harness/base/hash.h"
#include "harness/base/json_reader.h"

namespace gdbench {
namespace {

TEST(Text, QuotesOnOneLine) {
  EXPECT_EQ(in_quotes("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\"");
  EXPECT_EQ(in_quotes(std::string(100, 'x')), "\"" + std::string(80, 'x') + "...\"");
  // No character is cut in half.
  const std::string accented = std::string(79, 'x') + "\xc3\xa9\xc3\xa9";
  EXPECT_EQ(in_quotes(accented), "\"" + std::string(79, 'x') + "...\"");
  EXPECT_EQ(one_line("a\nb\tc"), "a b c");
  EXPECT_EQ(one_line("a\r\n\x1b[1m\u2028b"), "a  \\u001b[1m\\u2028b");
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

TEST(Text, KnowsNamesAndDividesIdsFromEnvironments) {
  EXPECT_TRUE(is_name("mlp-10_5.f32"));
  EXPECT_TRUE(is_name("graph/jit+hoisted", kMoreInIds));
  for (const char* other : {"", "a b", "a/b", "a\x1b", "\u00e9", "<b>"})
    EXPECT_FALSE(is_name(other)) << in_quotes(other);
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

TEST(Text, KnowsUtf8) {
  EXPECT_TRUE(is_utf8("plain, \xc3\xa9, \xe2\x82\xac, \xf0\x9f\x98\x80"));
  for (const char* bad :
       {"\xff", "\xc3", "\xc3(", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80"}) {
    EXPECT_FALSE(is_utf8(bad)) << in_quotes(bad);
  }
}

TEST(Clock, ReadsTheTimesThatItWritesAndNoOtherTexts) {
  EXPECT_EQ(utc_text(86'401), "1970-01-02T00:00:01Z");
  EXPECT_EQ(seconds_since_1970("1970-01-02T00:00:01Z"), 86'401);
  for (const char* text : {"", "yesterday", "1970-01-02T00:00:01", "1970-01-02T00:00:01Z\n", "1970-13-02T00:00:01Z"}) {
    EXPECT_EQ(seconds_since_1970(text), std::nullopt) << text;
  }
}

std::string hash(std::string_view text) {
  Hash64 value;
  for (const char letter : text) value.add(std::string_view(&letter, 1));  // in pieces
  return hexadecimal(value.value());
}

// The test vectors of RFC 9923 and of the authors' page.
TEST(Hash64, IsFnv1a) {
  EXPECT_EQ(hash(""), "cbf29ce484222325");
  EXPECT_EQ(hash("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(hash("foobar"), "85944171f73967e8");
  EXPECT_EQ(hexadecimal(0x1f), "000000000000001f");
}

TEST(ParseJson, TellsWhere) {
  EXPECT_EQ(parse_json("{\"a\": 1,\n\"b\": x}").error().message,
            "line 2, column 6: found text that is no JSON, expected JSON");
  EXPECT_EQ(parse_json("{\"a\": {\"b\": 1, \"b\": 2}}").error().message,
            "found key \"b\" twice in one object, expected once");
  EXPECT_TRUE(parse_json("{\"a\": {\"b\": 1}, \"c\": {\"b\": 2}}").ok());
  EXPECT_FALSE(parse_json("{\"a\": \"\xff\"}").ok());
}

TEST(JsonReader, KeepsTheFirstFaultAndEscapesPointers) {
  JsonDocument document("f", {{"a", "x"}, {"b", "y"}});
  JsonReader reader(document);
  EXPECT_EQ(reader.integer("a", {1, 2}, std::nullopt), 1);
  EXPECT_EQ(reader.boolean("b", true), true);
  reader.finish();
  ASSERT_FALSE(document.ok());
  EXPECT_EQ(document.error().message, "f: /a: found \"x\", expected an integer from 1 to 2");
  EXPECT_EQ(document.error().kind, ErrorKind::usage);
  JsonDocument other("f", {{"a/b~c", 1}});
  JsonReader(other).finish();
  EXPECT_EQ(other.error().message.substr(0, 12), "f: /a~1b~0c:");
}

}  // namespace
}  // namespace gdbench
