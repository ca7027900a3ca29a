#include <gtest/gtest.h>

#include "reports/answers/words.h"
#include "tests/unit/answers/made_report.h"

namespace gdbench::answers {
namespace {

report::Report report_with(const std::vector<report::DeviceStates>& launches) {
  tests::MadeReport made("a/one", 3);
  made.scenario("first");
  report::Cell& cell = made.timed("a/one", 100);
  cell.launches.resize(std::max<std::size_t>(cell.launches.size(), launches.size()));
  for (std::size_t i = 0; i < launches.size(); ++i) cell.launches[i].device = launches[i];
  return made.summarised();
}

TEST(DeviceWords, SayNothingWithoutADevice) { EXPECT_EQ(device_words(report_with({})), ""); }

TEST(DeviceWords, AreOneLineOverAllLaunches) {
  const report::DeviceState cool{"Example", 1980, 2619, 300, 50, {}};
  const report::DeviceState hot{"Example", 1755, 2619, 640, 71, {"power cap"}};
  EXPECT_EQ(device_words(report_with({{cool, cool}})),
            "device Example: clock 1980 MHz, clock of the memory 2619 MHz, up to 50 degrees Celsius, 300 W");
  const report::Report report = report_with({{cool, cool}, {cool, hot}});
  const std::string words =
      "device Example: clock 1755 to 1980 MHz, clock of the memory 2619 MHz, up to 71 degrees Celsius, 640 W; "
      "throttled: power cap";
  EXPECT_EQ(device_words(report), words);
  EXPECT_NE(tests::details_of(report).find(words), std::string::npos);
}

TEST(DeviceWords, DoWithWhatTheDeviceTells) {
  const report::DeviceState silent{.name = ""};
  EXPECT_EQ(device_words(report_with({{silent, silent}})), "device: it says nothing of its clocks");
  const report::DeviceState warm{.name = "Example", .temperature_celsius = 60};
  EXPECT_EQ(device_words(report_with({{warm, warm}})), "device Example: up to 60 degrees Celsius");
}

}  // namespace
}  // namespace gdbench::answers
