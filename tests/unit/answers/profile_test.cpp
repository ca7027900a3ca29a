#include "reports/answers/profile.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "reports/answers/documents.h"
#include "reports/document/writers.h"
#include "tests/support/reports/answers.h"
#include "tests/support/reports/example_profile.h"
#include "tests/unit/answers/screen_text.h"

namespace gdbench::answers {
namespace {

TEST(Golden, Profile) {
  report::Profile profile = tests::layered_profile();
  profile.records.push_back({.phase = report::Phase::compile, .op = "bind", .calls = 1, .time_ns = 5000});
  profile.dispatches_per_step = 7;
  profile.floor = {{"empty call", 12}, {"add", 20}};
  profile.prepare_seconds = 2e-6;
  profile.records[0].flops = 60;
  profile.ops = {.profiler = "a.profiler", .steps = 1, .step_ns = 180, .records = {}};
  profile.ops->records.push_back(
      {.phase = report::Phase::forward, .op = "addmm", .calls = 1, .time_ns = 45, .layers = {{1}}});
  tests::expect_golden_answer("profile", document_of(profile));
}

std::string outline_of(const report::Profile& profile) { return tests::outline_of(document_of(profile)); }

TEST(Profile, NamesNoLayersWhereOpsHaveNone) {
  EXPECT_FALSE(tests::says(outline_of(tests::example_profile()), "layer"));
}

std::vector<document::BarRow> rows_of_figure(const report::Profile& profile, const std::string& title) {
  const document::Document document = document_of(profile);
  for (const document::Block& block : document.sections.front().blocks) {
    const auto* figure = std::get_if<document::Figure>(&block.content);
    if (figure != nullptr && figure->title == title) return std::get<document::Rows>(figure->chart).rows;
  }
  return {};
}

// Of the pieces of the flame chart by their hints.
TEST(Profile, PiecesAreAsLongAsTheirTime) {
  std::map<std::string, double> times;
  for (const document::BarRow& row : rows_of_figure(tests::example_profile(), "One mean step")) {
    for (const document::Piece& piece : row.pieces) times[piece.hint] = piece.to - piece.from;
  }
  const std::map<std::string, double> expected = {
      {"step, 100 ns, 100.0% of the step", 100},           {"forward: all, 40 ns, 40.0% of the step", 40},
      {"forward: product, 40 ns, 40.0% of the step", 40},  {"backward: all, 30 ns, 30.0% of the step", 30},
      {"backward: product, 30 ns, 30.0% of the step", 30}, {"unattributed, 30 ns, 30.0% of the step", 30}};
  EXPECT_EQ(times, expected);
}

TEST(Profile, HasNoFlameChartWhereAStepTookNoTime) {
  report::Profile profile = tests::example_profile();
  profile.profiled_step_ns = 0;
  EXPECT_FALSE(tests::says(outline_of(profile), "One mean step"));
}

TEST(Profile, NamesOfOpsAreText) {
  report::Profile profile = tests::layered_profile();
  profile.cell = "</title><script>alert(1)</script>";
  for (report::ProfileRecord& record : profile.records) record.op = "\"><img src=x> \u202eexe";
  const std::string page = document::html_of(document_of(profile));
  for (const char* part : {"<img", "<script>alert", "\u202e"}) EXPECT_EQ(page.find(part), std::string::npos) << part;
  EXPECT_NE(page.find("&lt;img src=x&gt;"), std::string::npos);
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

TEST(Profile, SaysHowManyOpsHaveNoBar) {
  report::Profile profile = tests::example_profile();
  profile.records.insert(profile.records.end(), 38, {.phase = report::Phase::forward, .op = "add", .time_ns = 0.5});
  EXPECT_EQ(rows_of_figure(profile, "By op").size(), 30U);
  EXPECT_TRUE(tests::says(outline_of(profile), "The 30 largest of 40 ops; the table below has all."));
}

TEST(Profile, SaysWhyAFrameworkHasNoOps) {
  report::Profile profile = tests::layered_profile();
  EXPECT_FALSE(tests::says(outline_of(profile), "Ops of its framework"));
  profile.no_ops = "no profiler of it is read";
  EXPECT_TRUE(tests::says(outline_of(profile), "There are none: no profiler of it is read."));
}

TEST(Profile, CollapsedStacksAreWholeNumbersAndKeepLayersApart) {
  EXPECT_EQ(collapsed_stacks(tests::example_profile()),
            "one/two;forward;product 40000\none/two;backward;product 30000\none/two;unattributed 30000\n");
  const std::string stacks = collapsed_stacks(tests::layered_profile());
  EXPECT_NE(stacks.find("one/two;forward;product, layer 0, reads w0 15000\n"), std::string::npos) << stacks;
}

TEST(Profile, CountsAllocations) {
  report::Profile profile = tests::example_profile();
  EXPECT_TRUE(tests::says(outline_of(profile), "Allocations were not counted."));
  profile.allocations_per_step = 1;
  profile.allocated_bytes_per_step = 48;
  profile.prepared_bytes = 64;
  EXPECT_TRUE(tests::says(outline_of(profile), " 1 allocation (48 B) per step, 64 B before the first."));
}

TEST(Profile, SaysWhoseClockTimedTheOps) {
  report::Profile profile = tests::example_profile();
  profile.records.front().clock = report::Clock::device;
  EXPECT_TRUE(tests::says(outline_of(profile), "ops are timed by the device's own clock"));
}

}  // namespace
}  // namespace gdbench::answers
