#include "harness/measure/known_times.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/reports/temporary_folder.h"

namespace gdbench::measure {
namespace {

class KnownTimesTest : public ::testing::Test {
 protected:
  KnownTimes times(const std::string& model = "A", const std::string& varying = "1") const {
    return {folder_.file("times.json"), R"({"cpu": {"model": ")" + model + R"(", "frequency_mhz": )" + varying +
                                            R"(}, "load_average": )" + varying + "}"};
  }
  void keep(const std::string& what, double seconds) const {
    KnownTimes known = times();
    known.set(what, seconds);
    known.keep();
  }
  void write(const std::string& text) const { std::ofstream(folder_.file("times.json")) << text; }

  tests::TemporaryFolder folder_;
};

TEST_F(KnownTimesTest, AreThoseThatTheLatestRunOfMachinesAlikeKept) {
  KnownTimes unkept = times();
  unkept.set("launch", 1.5);
  EXPECT_EQ(times().seconds("launch"), 0);
  keep("other", 3);  // by a run beside it
  unkept.keep();
  EXPECT_DOUBLE_EQ(times().seconds("launch"), 1.5);
  EXPECT_DOUBLE_EQ(times().seconds("other"), 3);
  EXPECT_EQ(times().seconds("verification"), 0);
  keep("launch", 2.5);
  EXPECT_DOUBLE_EQ(times("A", "2").seconds("launch"), 2.5) << "whatever varies";
  EXPECT_EQ(times("B").seconds("launch"), 0);
  EXPECT_EQ(KnownTimes(folder_.file("times.json"), "").seconds("launch"), 0);
}

TEST_F(KnownTimesTest, TheOldestGo) {
  keep("oldest", 1);
  keep("older", 1);
  keep("oldest", 2);  // it is the newest now
  KnownTimes known = times();
  for (std::size_t i = 1; i < KnownTimes::kMost; ++i) known.set("launch " + std::to_string(i), 1);
  known.keep();
  EXPECT_EQ(times().seconds("older"), 0);
  EXPECT_EQ(times().seconds("oldest"), 2);
  EXPECT_EQ(times().seconds("launch 1"), 1);
}

TEST_F(KnownTimesTest, ADamagedFileHoldsNoneAndIsMadeAnew) {
  EXPECT_EQ(times().fault(), "") << "there is no file";
  for (const char* text : {"", "{", "[]", "{}", R"({"oldest_first": 1})", R"({"oldest_first": [["a"]]})",
                           R"({"oldest_first": [["a", -1]]})", R"({"oldest_first": [["a", 1e300]]})"}) {
    write(text);
    EXPECT_NE(times().fault().find("times.json: "), std::string::npos) << text;
    EXPECT_EQ(times().fault().find('\n'), std::string::npos) << text;
    EXPECT_EQ(times().seconds("launch"), 0) << text;
  }
  keep("launch", 1.5);
  EXPECT_EQ(times().fault(), "");
  EXPECT_DOUBLE_EQ(times().seconds("launch"), 1.5);
}

TEST_F(KnownTimesTest, WithoutAFileNoneAreKept) {
  KnownTimes known("", "{}");
  known.set("launch", 1.5);
  known.keep();
  EXPECT_EQ(known.fault(), "");
  EXPECT_EQ(KnownTimes("/nowhere/times.json", "{}").fault(), "");
}

}  // namespace
}  // namespace gdbench::measure
