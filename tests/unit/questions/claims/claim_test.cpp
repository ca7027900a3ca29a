// Reading claims: every fault is one line with the file, the place, what was found and what was expected.
#include "harness/questions/claims/claim.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "harness/questions/claims/expand.h"
#include "tests/support/reports/temporary_folder.h"

namespace gdbench::claims {
namespace {

using nlohmann::json;

json valid() {
  return json::parse(R"({
    "id": "mine", "sentence": "s", "source": "t", "purpose": "p",
    "experiments": [{
      "matrix": {"axes": {"scenario": ["linreg-3x2"], "batch": [1, 3], "implementation": ["one/x", "two/x"]}},
      "relations": [{"kind": "ratio", "quantity": "step", "a": {"implementation": "one/x"},
                     "b": {"implementation": "two/x"}, "at_least": 2}]}]})");
}

class ClaimFile : public testing::Test {
 protected:
  Result<Claim> read(const json& claim) const {
    tests::write_text(folder_.file("mine.json"), claim.dump());
    return read_claim(folder_.file("mine.json"));
  }

  // The error, without the folder; "" where there is none.
  std::string error_of(const json& claim) const {
    const Result<Claim> result = read(claim);
    return result.ok() ? "" : without_folder(result.error().message);
  }

  // The valid claim's relation, changed.
  std::string relation_error(const json& patch) const {
    json claim = valid();
    claim["experiments"][0]["relations"][0].merge_patch(patch);
    return error_of(claim);
  }

  std::string expand_error(const json& patch) const {
    json claim = valid();
    claim["experiments"][0].merge_patch(patch);
    const Result<Claim> result = read(claim);
    if (!result.ok()) return without_folder(result.error().message);
    const auto scenarios = scenario::list_scenarios({std::filesystem::path(GDBENCH_SOURCE_DIR) / "scenarios"});
    const Result<ExpandedClaim> expanded =
        expand(result.value(), scenarios.value(), {{.id = "one/x"}, {.id = "two/x"}});
    return expanded.ok() ? "" : without_folder(expanded.error().message);
  }

  std::string without_folder(const std::string& text) const { return text.substr(folder_.path().string().size() + 1); }

  tests::TemporaryFolder folder_;
};

constexpr const char* kRelation = "mine.json: /experiments/0/relations/0/";

TEST_F(ClaimFile, IsReadWhole) {
  const Result<Claim> claim = read(valid());
  ASSERT_TRUE(claim.ok()) << claim.error().message;
  EXPECT_EQ(claim->id, "mine");
  const Experiment& experiment = claim->experiments.at(0);
  EXPECT_EQ(experiment.matrix.axes.at("batch"), (std::vector<std::string>{"1", "3"}));
  const report::ClaimRelation& relation = experiment.relations.at(0);
  EXPECT_EQ(relation.at_least, 2);
  EXPECT_FALSE(relation.at_most);
  EXPECT_EQ(relation.a, (report::Settings{{"implementation", "one/x"}}));
}

TEST_F(ClaimFile, RelationsAreChecked) {
  const std::string prefix = kRelation;
  EXPECT_EQ(relation_error({{"kind", "ration"}}),
            prefix + "kind: found \"ration\", expected one of ratio, saving, trend, crossover (did you mean ratio?)");
  EXPECT_EQ(relation_error({{"a", {{"color", "red"}}}}),
            prefix +
                "a/color: found \"color\", which no cell of the matrix has, expected one of scenario, "
                "implementation, threads, batch.rows");
  EXPECT_EQ(relation_error({{"a", 3}}), prefix + "a: found 3, expected an object that chooses cells");
  EXPECT_EQ(relation_error({{"at_least", nullptr}}),
            prefix + "at_least: found nothing, expected at_least, at_most or both");
  EXPECT_EQ(relation_error({{"at_least", 0}}), prefix + "at_least: found 0, expected a positive number");
  EXPECT_EQ(relation_error({{"at_most", 1}}), prefix + "at_most: found 1, expected more than at_least");
  EXPECT_EQ(relation_error({{"b", {{"implementation", "one/x"}}}}),
            prefix + "b: found what a is, expected another choice of cells");
  EXPECT_EQ(relation_error({{"steps", {1}}}),
            prefix + "steps: found an array, expected steps with the quantity time_for_steps only");
  EXPECT_EQ(relation_error({{"quantity", "time_for_steps"}}),
            prefix + "steps: found nothing, expected an array of numbers of steps");
  EXPECT_EQ(relation_error({{"quantity", "time_for_steps"}, {"steps", {0}}}),
            prefix + "steps: found 0, expected integers from 1 to 1000000000");
  EXPECT_EQ(relation_error({{"kind", "trend"}}), prefix + "along: found nothing, expected text on one line");
  EXPECT_EQ(relation_error({{"along", "implementation"}}),
            prefix + "along: found \"implementation\", which a or b chooses, expected another axis");
  EXPECT_EQ(relation_error({{"kind", "crossover"}, {"along", "batch"}}),
            prefix + "at_least: found 2, expected no limit: a crossover is about who is ahead");
  EXPECT_NE(relation_error({{"sentense", 1}}).find("sentense: found an unknown key"), std::string::npos);
}

TEST_F(ClaimFile, TheRestIsChecked) {
  json claim = valid();
  claim["experiments"][0]["matrix"]["axes"]["batsch"] = {1};
  EXPECT_NE(error_of(claim).find("mine.json: /experiments/0/matrix/axes/batsch/0: found an unknown axis"),
            std::string::npos)
      << error_of(claim);
  claim = valid();
  claim["experiments"][0]["matrix"]["exclude"] = {{{"rows", 1}}};
  EXPECT_NE(error_of(claim).find("/experiments/0/matrix/exclude/0/rows: found a key that no axis has"),
            std::string::npos)
      << error_of(claim);
  claim = valid();
  claim["experiments"][0]["matrix"]["axes"]["threads"] = "powers of two";
  EXPECT_EQ(error_of(claim),
            "mine.json: /experiments/0/matrix/axes: found threads \"powers of two\", expected numbers of threads: a "
            "claim is about the same cells everywhere");
  claim = valid();
  claim["id"] = "yours";
  EXPECT_EQ(error_of(claim), "mine.json: /id: found \"yours\", expected the file's own name, \"mine\"");
  claim = valid();
  claim.erase("source");
  EXPECT_EQ(error_of(claim), "mine.json: /source: found nothing, expected text on one line");
  claim = valid();
  claim["experiments"][0]["relations"][0]["decides"] = false;
  EXPECT_EQ(error_of(claim), "mine.json: /experiments: found no relation that decides, expected at least one");
}

TEST_F(ClaimFile, WhatComparesNothingIsAnError) {
  const std::string prefix = "mine.json: /experiments/0/relations/0: ";
  EXPECT_EQ(expand_error(json::object()), "");
  EXPECT_EQ(
      expand_error({{"matrix", {{"exclude", {{{"implementation", "two/x"}}}}}}}),
      prefix + "found no two cells of the matrix that a and b choose and that else agree, expected at least one pair");
  json relation = valid()["experiments"][0]["relations"][0];
  relation["at"] = {{"batch", {2}}};
  EXPECT_EQ(expand_error({{"relations", {relation}}}),
            prefix + "found at batch.rows=2, which no pair of cells has, expected a value of the matrix");
  relation.erase("at");
  relation["kind"] = "trend";
  relation["along"] = "threads";
  EXPECT_EQ(expand_error({{"relations", {relation}}}),
            prefix + "found one value of threads, which it goes along, expected several");
  EXPECT_NE(expand_error({{"matrix", {{"axes", {{"scenario", {"nowhere"}}}}}}}).find("which no scenario matches"),
            std::string::npos);
}

TEST_F(ClaimFile, SmallOnesDoNotBecomeLarge) {
  // 2 batches and 2 implementations, each with 4 settings.
  json relation = valid()["experiments"][0]["relations"][0];
  relation["quantity"] = "time_for_steps";
  std::vector<int> steps(62500);
  std::iota(steps.begin(), steps.end(), 1);
  relation["steps"] = steps;
  EXPECT_EQ(expand_error({{"relations", {relation}}}), "");
  json one_more = valid()["experiments"][0]["relations"][0];
  EXPECT_EQ(expand_error({{"relations", {relation, one_more}}}),
            "mine.json: /experiments/0/relations/1: found more than a million settings of all cells, once for each "
            "relation and number of steps, expected fewer");
}

}  // namespace
}  // namespace gdbench::claims
