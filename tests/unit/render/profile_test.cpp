#include "reports/render/profile.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/reports/example_profile.h"

namespace gdbench::render {
namespace {

TEST(Profile, TableHasALineForEachOpAndLayer) {
  const std::string table = profile_table(tests::layered_profile());
  const std::string expected =
      "  per step      layer  parameter      calls  time share\n"
      "  forward                                   48 ns 48.0%\n"
      "    waiting                               1  1 ns  1.0%\n"
      "    product     0      reads w0           1 15 ns 15.0%\n"
      "    activation  0                         1  2 ns  2.0%\n"
      "    product     1      reads w1           1 30 ns 30.0%\n"
      "  backward                                  50 ns 50.0%\n"
      "    product     1      gradient of w1     1 20 ns 20.0%\n"
      "    product     1      reads w1           1  5 ns  5.0%\n"
      "    product     0      gradient of w0     1 25 ns 25.0%\n"
      "  update                                     2 ns  2.0%\n"
      "    update      0-1    updates w0..b1     1  2 ns  2.0%\n"
      "  unattributed                               0 ns  0.0%\n";
  EXPECT_NE(table.find(expected), std::string::npos) << table;
  EXPECT_EQ(profile_table(tests::example_profile()).find("layer"), std::string::npos) << "nobody names one";
}

TEST(Profile, TraceEventsNameLayersAndParameters) {
  const nlohmann::json trace = nlohmann::json::parse(chrome_trace(tests::layered_profile()));
  std::vector<std::string> names;
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X" && event.at("cat") != "phase") names.push_back(event.at("name"));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"waiting", "product, layer 0, reads w0", "activation, layer 0",
                                             "product, layer 1, reads w1", "product, layer 1, gradient of w1",
                                             "product, layer 1, reads w1", "product, layer 0, gradient of w0",
                                             "update, layers 0-1, updates w0..b1"}));
  const nlohmann::json& update = trace.at("traceEvents").at(trace.at("traceEvents").size() - 2).at("args");
  EXPECT_EQ(update.at("layers"), nlohmann::json({0, 1}));
  EXPECT_EQ(update.at("parameters"), nlohmann::json({"w0", "b0", "w1", "b1"}));
  EXPECT_EQ(update.at("use"), "updates");
}

TEST(Profile, StacksKeepLayersApart) {
  const std::string stacks = collapsed_stacks(tests::layered_profile());
  EXPECT_NE(stacks.find("one/two;forward;product, layer 0, reads w0 15000\n"), std::string::npos) << stacks;
  EXPECT_NE(stacks.find("one/two;forward;product, layer 1, reads w1 30000\n"), std::string::npos) << stacks;
}

TEST(Profile, LeavesCompilingOutOfTheStep) { EXPECT_DOUBLE_EQ(report::unattributed_ns(tests::example_profile()), 30); }

TEST(Profile, TableShowsWhatNobodyClaims) {
  const std::string table = profile_table(tests::example_profile());
  EXPECT_NE(table.find("unattributed"), std::string::npos) << table;
  EXPECT_NE(table.find("30.0%"), std::string::npos) << table;
  EXPECT_NE(table.find("once, before the first step"), std::string::npos) << table;
  EXPECT_NE(table.find("10 ns more than the unprofiled one"), std::string::npos) << table;
}

TEST(Profile, TableShowsTheLeastCalls) {
  report::Profile profile = tests::example_profile();
  EXPECT_EQ(profile_table(profile).find("least calls"), std::string::npos);
  profile.dispatches_per_step = 12;
  profile.floor = {{"empty tape", 310}};
  const std::string table = profile_table(profile);
  EXPECT_NE(table.find("calls into the framework per step: 12\n"), std::string::npos) << table;
  EXPECT_NE(table.find("empty tape"), std::string::npos) << table;
}

TEST(Profile, OpsOfAFrameworkAreSharesOfTheirOwnStep) {
  report::Profile profile = tests::layered_profile();
  EXPECT_EQ(profile_ops_words(profile), "");
  profile.ops = {.profiler = "a.profiler", .steps = 30, .step_ns = 180, .records = {}};
  profile.ops->records.push_back(
      {.phase = report::Phase::forward, .op = "addmm", .calls = 1, .time_ns = 45, .layers = {{1}}});
  profile.ops->records.push_back({.phase = report::Phase::update, .op = "step", .calls = 2, .time_ns = 90});
  const std::string table = profile_table(profile);
  const std::string expected =
      "\n  by a.profiler  layer calls share\n"
      "  forward                    25.0%\n"
      "    addmm        1         1 25.0%\n"
      "  update                     50.0%\n"
      "    step                   2 50.0%\n"
      "  unattributed               25.0%\n"
      "\nShares are of a step under a.profiler, which takes 180 ns, 2 times the unprofiled one (30 steps).";
  EXPECT_NE(table.find(expected), std::string::npos) << table;
  for (const TextColumn& column : profile_op_rows(profile)) EXPECT_NE(column.title, "time");
}

TEST(Profile, OneLineSaysWhyAFrameworkHasNoOps) {
  report::Profile profile = tests::layered_profile();
  profile.no_ops = "no profiler of it is read";
  const std::string table = profile_table(profile);
  EXPECT_TRUE(table.ends_with("\n\nOps of its framework: no profiler of it is read.\n")) << table;
}

TEST(Profile, TraceEventsNestAndFillTheStep) {
  const nlohmann::json trace = nlohmann::json::parse(chrome_trace(tests::example_profile()));
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
  EXPECT_EQ(collapsed_stacks(tests::example_profile()),
            "one/two;forward;product 40000\none/two;backward;product 30000\none/two;unattributed 30000\n");
}

TEST(ProfileWords, SayWhoseClockTimedTheOps) {
  report::Profile profile = tests::example_profile();
  EXPECT_NE(profile_overhead_words(profile).find("a clock reading around every call"), std::string::npos);
  profile.records.front().clock = report::Clock::device;
  EXPECT_NE(profile_overhead_words(profile).find("ops are timed by the device's own clock"), std::string::npos);
}

}  // namespace
}  // namespace gdbench::render
