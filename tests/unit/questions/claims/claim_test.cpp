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

  // Of the valid claim, changed by a JSON patch; without the folder, "" where there is none.
  std::string error_of(const std::string& patch) const {
    const Result<Claim> result = read(valid().patch(json::parse(patch)));
    if (!result.ok()) return without_folder(result.error().message);
    const auto scenarios = scenario::list_scenarios({std::filesystem::path(GDBENCH_SOURCE_DIR) / "scenarios"});
    const Result<ExpandedClaim> expanded =
        expand(result.value(), scenarios.value(), {{.id = "one/x"}, {.id = "two/x"}});
    return expanded.ok() ? "" : without_folder(expanded.error().message);
  }

  std::string without_folder(const std::string& text) const { return text.substr(folder_.path().string().size() + 1); }

  tests::TemporaryFolder folder_;
};

TEST_F(ClaimFile, IsReadWhole) {
  json whole = valid();
  whole.update({{"question", "Why?"}, {"setting", "ten rows"}, {"posted", {"posted/a.json", "posted/b.json"}}});
  json advice = whole["experiments"][0]["relations"][0];
  advice.update({{"decides", false}, {"advice", "Do it"}});
  whole["experiments"][0]["relations"].push_back(advice);
  const Result<Claim> claim = read(whole);
  ASSERT_TRUE(claim.ok()) << claim.error().message;
  EXPECT_EQ(claim->id + claim->question + claim->setting, "mineWhy?ten rows");
  EXPECT_EQ(claim->posted.back(), folder_.path() / "posted" / "b.json");
  const Experiment& experiment = claim->experiments.at(0);
  EXPECT_EQ(experiment.matrix.axes.at("batch"), (std::vector<std::string>{"1", "3"}));
  const report::ClaimRelation& relation = experiment.relations.at(0);
  EXPECT_EQ(relation.at_least, 2);
  EXPECT_FALSE(relation.at_most);
  EXPECT_EQ(relation.a, (report::Settings{{"implementation", "one/x"}}));
  EXPECT_EQ(experiment.relations.at(1).advice, "Do it");
}

struct Fault {
  std::string patch;    // values of keys; null: it is taken away
  std::string message;  // a part of it
};

// {"kind": "trend"} as operations of a JSON patch below `place`.
std::string patch_of(const std::string& place, const json& values) {
  json patch = json::array();
  for (const auto& [key, value] : values.items()) {
    if (value.is_null()) patch.push_back({{"op", "remove"}, {"path", place + key}});
    if (!value.is_null()) patch.push_back({{"op", "add"}, {"path", place + key}, {"value", value}});
  }
  return patch.dump();
}

TEST_F(ClaimFile, RelationsAreChecked) {
  const Fault faults[] = {
      {R"({"kind": "ration"})",
       R"(kind: found "ration", expected one of ratio, saving, trend, crossover (did you mean ratio?))"},
      {R"({"a": {"color": "red"}})",
       R"(a/color: found "color", which no cell of the matrix has, expected one of scenario, implementation, )"
       "threads, batch.rows"},
      {R"({"a": 3})", "a: found 3, expected an object that chooses cells"},
      {R"({"at_least": null})", "at_least: found nothing, expected at_least, at_most or both"},
      {R"({"at_least": 0})", "at_least: found 0, expected a positive number"},
      {R"({"at_most": 1})", "at_most: found 1, expected more than at_least"},
      {R"({"b": {"implementation": "one/x"}})", "b: found what a is, expected another choice of cells"},
      {R"({"steps": [1]})", "steps: found an array, expected steps with the quantity time_for_steps only"},
      {R"({"quantity": "time_for_steps"})", "steps: found nothing, expected an array of numbers of steps"},
      {R"({"quantity": "time_for_steps", "steps": [0]})", "steps: found 0, expected integers from 1 to 1000000000"},
      {R"({"kind": "trend"})", "along: found nothing, expected text on one line"},
      {R"({"along": "implementation"})",
       R"(along: found "implementation", which a or b chooses, expected another axis)"},
      {R"({"kind": "crossover", "along": "batch"})",
       "at_least: found 2, expected no limit: a crossover is about who is ahead"},
      {R"({"advice": "do it"})", "advice: found \"do it\", expected advice with decides: false only"},
      {R"({"advice": "do it", "decides": false, "kind": "trend", "along": "batch"})",
       "advice: found \"do it\", expected advice with a ratio or a saving only"},
      {R"({"sentense": 1})", "sentense: found an unknown key"}};
  for (const auto& [patch, message] : faults) {
    const std::string error = error_of(patch_of("/experiments/0/relations/0/", json::parse(patch)));
    EXPECT_NE(error.find("mine.json: /experiments/0/relations/0/" + message), std::string::npos) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

TEST_F(ClaimFile, TheRestIsCheckedAndThatItComparesSomething) {
  const std::string relation = "/experiments/0/relations/0";
  const Fault faults[] = {
      {R"({"experiments/0/matrix/axes/batsch": [1]})", "/experiments/0/matrix/axes/batsch/0: found an unknown axis"},
      {R"({"experiments/0/matrix/exclude": [{"rows": 1}]})",
       "/experiments/0/matrix/exclude/0/rows: found a key that no axis has"},
      {R"({"experiments/0/matrix/axes/threads": "powers of two"})",
       R"(/experiments/0/matrix/axes: found threads "powers of two", expected numbers of threads: a claim is about )"
       "the same cells everywhere"},
      {R"({"id": "yours"})", R"(/id: found "yours", expected the file's own name, "mine")"},
      {R"({"source": null})", "/source: found nothing, expected text on one line"},
      {R"({"setting": "ten rows"})", "/setting: found \"ten rows\", expected setting with a question only"},
      {R"({"question": "Why?", "posted": ["a.json"]})", "/posted: found 1, expected two files, one for each code"},
      {R"({"experiments/0/relations/0/decides": false})",
       "/experiments: found no relation that decides, expected at least one"},
      {R"({"experiments/0/matrix/exclude": [{"implementation": "two/x"}]})",
       relation + ": found no two cells of the matrix that a and b choose and that else agree, expected at least one "
                  "pair"},
      {R"({"experiments/0/relations/0/at": {"batch": [2]}})",
       relation + ": found at batch.rows=2, which no pair of cells has, expected a value of the matrix"},
      {R"({"experiments/0/relations/0/kind": "trend", "experiments/0/relations/0/along": "threads"})",
       relation + ": found one value of threads, which it goes along, expected several"},
      {R"({"experiments/0/matrix/axes/scenario": ["nowhere"]})", "which no scenario matches"}};
  for (const auto& [patch, message] : faults) {
    const std::string error = error_of(patch_of("/", json::parse(patch)));
    EXPECT_NE(error.find(message), std::string::npos) << error;
    EXPECT_TRUE(error.starts_with("mine.json: ")) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

// 2 batches and 2 implementations, each with 4 settings.
TEST_F(ClaimFile, SmallOnesDoNotBecomeLarge) {
  json relation = valid()["experiments"][0]["relations"][0];
  const json one_more = relation;
  relation["quantity"] = "time_for_steps";
  std::vector<int> steps(62500);
  std::iota(steps.begin(), steps.end(), 1);
  relation["steps"] = steps;
  EXPECT_EQ(error_of(patch_of("/experiments/0/", {{"relations", {relation}}})), "");
  EXPECT_EQ(error_of(patch_of("/experiments/0/", {{"relations", {relation, one_more}}})),
            "mine.json: /experiments/0/relations/1: found more than a million settings of all cells, once for each "
            "relation and number of steps, expected fewer");
}

}  // namespace
}  // namespace gdbench::claims
