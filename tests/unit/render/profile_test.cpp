#include "reports/render/profile.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gdbench::render {
namespace {

// 100 ns profiled: 40 forward, 30 backward, 30 claimed by nobody; compiling once took longer than any step.
result::Profile example() {
  result::Profile profile;
  profile.cell = "example/one/two";
  profile.implementation = "one/two";
  profile.steps = 10;
  profile.step_ns = 90;
  profile.profiled_step_ns = 100;
  profile.records.push_back({.phase = "compile", .op = "bind", .calls = 1, .time_ns = 5000});
  profile.records.push_back({.phase = "backward", .op = "product", .calls = 1, .time_ns = 30});
  profile.records.push_back({.phase = "forward", .op = "product", .calls = 1, .time_ns = 40, .flops = 80});
  return profile;
}

TEST(Profile, LeavesCompilingOutOfTheStep) { EXPECT_DOUBLE_EQ(result::unattributed_ns(example()), 30); }

TEST(Profile, TableShowsWhatNobodyClaims) {
  const std::string table = profile_table(example());
  EXPECT_NE(table.find("unattributed"), std::string::npos) << table;
  EXPECT_NE(table.find("30.0%"), std::string::npos) << table;
  EXPECT_NE(table.find("once, before the first step"), std::string::npos) << table;
  EXPECT_NE(table.find("10 ns more than the unprofiled one"), std::string::npos) << table;
}

TEST(Profile, TableShowsTheLeastCalls) {
  result::Profile profile = example();
  EXPECT_EQ(profile_table(profile).find("least calls"), std::string::npos);
  profile.dispatches_per_step = 12;
  profile.floor = {{"empty tape", 310}};
  const std::string table = profile_table(profile);
  EXPECT_NE(table.find("calls into the framework per step: 12\n"), std::string::npos) << table;
  EXPECT_NE(table.find("empty tape"), std::string::npos) << table;
}

TEST(Profile, TraceEventsNestAndFillTheStep) {
  const nlohmann::json trace = nlohmann::json::parse(chrome_trace(example()));
  double phases_us = 0;
  double last_end_us = 0;
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    for (const char* key : {"name", "cat", "pid", "tid", "ts", "dur"}) EXPECT_TRUE(event.contains(key)) << key;
    if (event.at("cat") != "phase") continue;
    EXPECT_NEAR(event.at("ts").get<double>(), last_end_us, 1e-9);
    last_end_us = event.at("ts").get<double>() + event.at("dur").get<double>();
    phases_us += event.at("dur").get<double>();
  }
  EXPECT_NEAR(phases_us, 0.1, 1e-9);
}

TEST(Profile, CollapsedStacksAreWholeNumbers) {
  EXPECT_EQ(collapsed_stacks(example()),
            "one/two;forward;product 40000\none/two;backward;product 30000\none/two;unattributed 30000\n");
}

}  // namespace
}  // namespace gdbench::render
