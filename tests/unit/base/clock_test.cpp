#include "harness/base/clock.h"

#include <gtest/gtest.h>

namespace gdbench {
namespace {

TEST(Clock, ReadsTheTimesThatItWrites) {
  EXPECT_EQ(utc_text(86'401), "1970-01-02T00:00:01Z");
  EXPECT_EQ(seconds_since_1970("1970-01-02T00:00:01Z"), 86'401);
}

TEST(Clock, KnowsTimesFromOtherTexts) {
  for (const char* text : {"", "yesterday", "1970-01-02T00:00:01", "1970-01-02T00:00:01Z\n", "1970-13-02T00:00:01Z"}) {
    EXPECT_EQ(seconds_since_1970(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace gdbench
