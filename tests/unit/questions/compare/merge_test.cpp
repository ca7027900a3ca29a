#include "harness/questions/compare/merge.h"

#include <gtest/gtest.h>

#include "two_arms.h"

namespace gdbench::compare {
namespace {

Result<report::Report> merged(const std::vector<report::Report>& reports) {
  const char* const names[] = {"first.json", "second.json", "third.json"};
  std::vector<MergeInput> inputs;
  for (const report::Report& report : reports) inputs.push_back({names[inputs.size()], report});
  return merge(std::move(inputs));
}

TEST(Merge, HasEveryCellOnce) {
  report::Report first = report_of({cell_taking("a", "new", 100)});
  report::Report second = report_of({cell_taking("b", "new", 100)});
  report::Report third = report_of({cell_taking("c", "new", 100)});
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
  for (report::Report* part : {&first, &second, &third}) part->ceilings.emplace().measurements.resize(1);
  const Result<report::Report> two = merged({first, second});
  ASSERT_TRUE(two.ok()) << two.error().message;
  EXPECT_EQ(two->run.started_at, "2026-01-01T00:00:00Z");
  EXPECT_EQ(two->run.finished_at, "2026-01-04T00:00:00Z");
  EXPECT_EQ(two->run.measuring_seconds, 4 * 86'400) << "of both parts, two days each";
  EXPECT_EQ(two->run.status, "killed") << "one part of it was";
  EXPECT_EQ(two->run.budget_seconds, 80);
  EXPECT_TRUE(two->run.quick) << "one part of it was";
  EXPECT_FALSE(two->run.shard);
  EXPECT_EQ(two->notes, (std::vector<std::string>{"both", "first", "second"}));

  first.run.status = "interrupted";
  second.run.status = "complete";
  const Result<report::Report> all = merged({first, third, second});
  EXPECT_EQ(all->scenarios.size(), 2U) << "that of two parts once";
  EXPECT_EQ(all->cells.size(), 3U);
  EXPECT_EQ(all->ceilings->measurements.size(), 3U);
  EXPECT_EQ(all->run.status, "interrupted") << "though the other parts are complete";
  EXPECT_FALSE(merged({first, third})->run.quick);
}

TEST(Merge, RefusesWhatDoesNotBelongTogether) {
  const report::Report first = report_of({cell_taking("a", "new", 100)});
  const auto refusal = [&](void (*change)(report::Report&)) {
    report::Report second = report_of({cell_taking("b", "new", 100)});
    change(second);
    const Result<report::Report> result = merged({first, second});
    return result.ok() ? "" : result.error().message;
  };
  EXPECT_EQ(refusal([](report::Report&) {}), "");
  EXPECT_EQ(refusal([](report::Report& second) { second.cells[0].id = "s/a"; }),
            "second.json: found the cell s/a, which first.json has too, expected every cell once");
  EXPECT_EQ(refusal([](report::Report& second) { second.run.seed = 0; }),
            "second.json: /run/seed: found \"0\", expected \"1\", as first.json has it");
  EXPECT_EQ(refusal([](report::Report& second) { second.run.matrix = "other"; }),
            "second.json: /run/matrix: found \"other\", expected \"\", as first.json has it");
  EXPECT_EQ(refusal([](report::Report& second) { second.run.baseline = "loop/plain"; }),
            "second.json: /run/baseline: found \"loop/plain\", expected \"hand/naive\", as first.json has it");
  EXPECT_EQ(refusal([](report::Report& second) { second.scenarios[0].data_digest = "other"; }),
            "second.json: found other data of the scenario , expected the same as first.json has");
  EXPECT_EQ(refusal([](report::Report& second) { second.environment = R"({"cpu": {"model": "Abacus"}})"; }),
            "second.json: /environment/cpu/model: found \"Abacus\", the base has \"Processor\", as first.json has it");
  for (const std::string key : {"compiler", "git_revision"}) {
    report::Report second = report_of({cell_taking("b", "new", 100)});
    second.environment.back() = ',';
    second.environment += R"("build": {")" + key + R"(": "unlike"}})";
    EXPECT_NE(merged({first, second}).error().message.find("/environment/build/" + key), std::string::npos) << key;
  }
}

TEST(Merge, TellsKindsOfMachinesApart) {
  std::vector<MergeInput> inputs;
  for (const char* name : {"first.json", "second.json", "third.json"}) {
    inputs.push_back({name, report_of({cell_taking(name, "new", 100)})});
  }
  inputs[1].report.environment = R"({"cpu": {"model": "Abacus"}})";
  const std::vector<std::vector<MergeInput>> kinds = by_machine(std::move(inputs));
  ASSERT_EQ(kinds.size(), 2U);
  EXPECT_EQ(kinds[0].at(1).name, "third.json");
  EXPECT_EQ(kinds[1].at(0).name, "second.json");
}

}  // namespace
}  // namespace gdbench::compare
