#include "harness/questions/compare/merge.h"

#include <gtest/gtest.h>

#include "two_arms.h"

namespace gdbench::compare {
namespace {

std::string refusal(report::Report first, report::Report second) {
  std::vector<MergeInput> inputs;
  inputs.push_back({"first.json", std::move(first)});
  inputs.push_back({"second.json", std::move(second)});
  const Result<report::Report> merged = merge(std::move(inputs));
  return merged.ok() ? "" : merged.error().message;
}

TEST(Merge, HasEveryCellOnce) {
  report::Report first = report_of({cell_taking("a", "new", 100)});
  report::Report second = report_of({cell_taking("b", "new", 100)});
  first.run.shard = "1/2";
  first.run.started_at = "2026-01-02T00:00:00Z";
  first.run.finished_at = "2026-01-04T00:00:00Z";
  first.run.budget_seconds = 60;
  first.notes = {"both", "first"};
  second.run.started_at = "2026-01-01T00:00:00Z";
  second.run.finished_at = "2026-01-03T00:00:00Z";
  second.run.status = "killed";
  second.run.budget_seconds = 20;
  second.run.quick = true;
  second.notes = {"both", "second"};
  second.scenarios[0].key = second.cells[0].scenario = "other";
  std::vector<MergeInput> inputs;
  inputs.push_back({"first.json", first});
  inputs.push_back({"second.json", second});
  const Result<report::Report> merged = merge(std::move(inputs));
  ASSERT_TRUE(merged.ok()) << merged.error().message;
  EXPECT_EQ(merged->cells.size(), 2U);
  EXPECT_EQ(merged->scenarios.size(), 2U);
  EXPECT_EQ(merged->run.started_at, "2026-01-01T00:00:00Z");
  EXPECT_EQ(merged->run.status, "killed") << "one part of it was";
  EXPECT_FALSE(merged->run.shard);
  EXPECT_EQ(merged->run.finished_at, "2026-01-04T00:00:00Z");
  EXPECT_EQ(merged->run.measuring_seconds, 4 * 86'400) << "of both parts, two days each";
  EXPECT_EQ(merged->run.budget_seconds, 80);
  EXPECT_TRUE(merged->run.quick) << "one part of it was";
  EXPECT_EQ(merged->notes, (std::vector<std::string>{"both", "first", "second"}));
}

TEST(Merge, HasAScenarioOfThreePartsOnce) {
  std::vector<MergeInput> inputs;
  for (const char* name : {"a", "b", "c"}) {
    inputs.push_back({name, report_of({cell_taking(name, "new", 100)})});
    inputs.back().report.ceilings.emplace().measurements.resize(1);
  }
  inputs[0].report.run.status = "interrupted";
  const Result<report::Report> merged = merge(std::move(inputs));
  ASSERT_TRUE(merged.ok()) << merged.error().message;
  EXPECT_EQ(merged->scenarios.size(), 1U);
  EXPECT_EQ(merged->cells.size(), 3U);
  EXPECT_EQ(merged->ceilings->measurements.size(), 3U);
  EXPECT_EQ(merged->run.status, "interrupted") << "though the other parts are complete";
  EXPECT_FALSE(merged->run.quick);
}

TEST(Merge, RefusesWhatDoesNotBelongTogether) {
  const report::Report first = report_of({cell_taking("a", "new", 100)});
  report::Report second = report_of({cell_taking("b", "new", 100)});
  EXPECT_EQ(refusal(first, second), "");
  EXPECT_EQ(refusal(first, first),
            "second.json: found the cell s/a, which first.json has too, expected every cell once");
  second.run.seed = 7;
  EXPECT_EQ(refusal(first, second), "second.json: /run/seed: found \"7\", expected \"1\", as first.json has it");
  second.run.seed = 1;
  second.run.matrix = "other";
  EXPECT_EQ(refusal(first, second), "second.json: /run/matrix: found \"other\", expected \"\", as first.json has it");
  second.run.matrix = first.run.matrix;
  second.run.baseline = "loop/plain";
  EXPECT_EQ(refusal(first, second),
            "second.json: /run/baseline: found \"loop/plain\", expected \"hand/naive\", as first.json has it");
  second.run.baseline = first.run.baseline;
  for (const char* part : {"compiler", "git_revision"}) {
    second.environment =
        R"({"cpu": {"model": "Processor"}, "kernel": "Linux 6", "build": {")" + std::string(part) + R"(": "unlike"}})";
    EXPECT_NE(refusal(first, second).find("/environment/build/" + std::string(part)), std::string::npos) << part;
  }
  second.environment = R"({"cpu": {"model": "Abacus"}})";
  EXPECT_EQ(refusal(first, second),
            "second.json: /environment/cpu/model: found \"Abacus\", the base has \"Processor\", as first.json has it");
}

TEST(Merge, TellsKindsOfMachinesApart) {
  std::vector<MergeInput> inputs;
  for (const char* name : {"first.json", "second.json", "third.json"}) {
    inputs.push_back({name, report_of({cell_taking(name, "new", 100)})});
  }
  inputs[1].report.environment = R"({"cpu": {"model": "Abacus"}})";
  const std::vector<std::vector<MergeInput>> kinds = by_machine(std::move(inputs));
  ASSERT_EQ(kinds.size(), 2U);
  ASSERT_EQ(kinds[0].size(), 2U);
  ASSERT_EQ(kinds[1].size(), 1U);
  EXPECT_EQ(kinds[0][1].name, "third.json");
  EXPECT_EQ(kinds[1][0].name, "second.json");
}

}  // namespace
}  // namespace gdbench::compare
