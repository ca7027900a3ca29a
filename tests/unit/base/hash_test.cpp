#include "harness/base/hash.h"

#include <gtest/gtest.h>

namespace gdbench {
namespace {

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

}  // namespace
}  // namespace gdbench
