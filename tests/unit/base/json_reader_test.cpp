#include "harness/base/json_reader.h"

#include <gtest/gtest.h>

namespace gdbench {
namespace {

TEST(ParseJson, TellsWhere) {
  EXPECT_EQ(parse_json("{\"a\": 1,\n\"b\": x}").error().message,
            "line 2, column 6: found text that is no JSON, expected JSON");
  EXPECT_EQ(parse_json("{\"a\": {\"b\": 1, \"b\": 2}}").error().message,
            "found key \"b\" twice in one object, expected once");
  EXPECT_TRUE(parse_json("{\"a\": {\"b\": 1}, \"c\": {\"b\": 2}}").ok());
  EXPECT_FALSE(parse_json("{\"a\": \"\xff\"}").ok());
}

TEST(JsonReader, KeepsTheFirstFault) {
  JsonDocument document("f", {{"a", "x"}, {"b", "y"}});
  JsonReader reader(document);
  EXPECT_EQ(reader.integer("a", {1, 2}, std::nullopt), 1);
  EXPECT_EQ(reader.boolean("b", true), true);
  reader.finish();
  ASSERT_FALSE(document.ok());
  EXPECT_EQ(document.error().message, "f: /a: found \"x\", expected an integer from 1 to 2");
  EXPECT_EQ(document.error().kind, ErrorKind::usage);
}

TEST(JsonReader, AMisspeltKeyIsReportedBeforeTheAbsentOne) {
  JsonDocument document("f", {{"wdith", 1}});
  JsonReader reader(document);
  reader.integer("width", {1, 2}, std::nullopt);
  reader.finish();
  EXPECT_EQ(document.error().message, "f: /wdith: found an unknown key, expected one of width (did you mean width?)");
}

TEST(JsonReader, EscapesPointers) {
  JsonDocument document("f", {{"a/b~c", 1}});
  JsonReader reader(document);
  reader.finish();
  EXPECT_EQ(document.error().message.substr(0, 12), "f: /a~1b~0c:");
}

TEST(JsonReader, NamesTheSettingThatPutTheValueThere) {
  JsonDocument document("f", {{"a", {{"b", 1}}}});
  document.set_origin("/a", "--set a");
  JsonReader reader(document);
  JsonReader inner = reader.object("a");
  inner.text("b");
  EXPECT_EQ(document.error().message, "f: --set a (/a/b): found 1, expected text on one line");
}

}  // namespace
}  // namespace gdbench
