#include "harness/questions/fairness/description.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "harness/abi/catalogue.h"
#include "tests/unit/questions/fairness/files.h"

namespace gdbench::fairness {
namespace {

TEST(Description, NeedsANameAndNothingElse) {
  const Result<Description> description = read_text(R"({"name": "mine"})");
  ASSERT_TRUE(description.ok()) << description.error().message;
  EXPECT_EQ(description->name, "mine");
  EXPECT_FALSE(description->says("loss") || description->says("updates"));
}

TEST(Description, IsReadWhole) {
  const Description description = described(whole_description(), "{}");
  const json facts = json::parse(R"({"loss": "mse", "batch": "32", "optimizer/kind": "adam", "optimizer/beta2": "0.999",
    "optimizer/epsilon_place": "outside", "optimizer/weight_decay": "0.1 added to the gradient", "initial": "same",
    "prediction_shape.outputs": "4", "accumulation/steps": "2", "compiled": "function", "synchronises": "true"
})");
  for (const auto& [fact, value] : facts.items()) EXPECT_EQ(description.text(fact), value) << fact;
}

TEST(Description, UpdatesFollowFromRowsBatchAndEpochs) {
  const auto updates = [](const std::string& patch) { return described(whole_description(), patch).text("updates"); };
  EXPECT_EQ(updates(R"({"rows": 1000, "epochs": 100})"), "3200");
  EXPECT_EQ(updates(R"({"rows": 100000, "epochs": 10})"), "31250");
  EXPECT_EQ(updates(R"({"batch": "full", "epochs": 100})"), "100");
  EXPECT_EQ(updates(R"({"batch": "full", "rows": null, "epochs": 100})"), "100");
  EXPECT_EQ(updates(R"({"rows": 20, "epochs": 3})"), "3");
  EXPECT_EQ(updates(R"({"rows": null})"), "");
  EXPECT_EQ(updates(R"({"epochs": null, "updates": 7})"), "7");
  EXPECT_EQ(updates(R"({"rows": 1000, "epochs": 100, "updates": 3100})"), "3100") << "the last batch may be dropped";
}

TEST(Description, AnOptimizerIsWhatItAmountsTo) {
  const auto kind = [](const std::string& optimizer) {
    return described(plain_description(), R"({"optimizer": )" + optimizer + "}").text("optimizer/kind");
  };
  EXPECT_EQ(kind(R"({"kind": "sgd", "momentum": 0.9})"), "momentum");
  EXPECT_EQ(kind(R"({"kind": "momentum", "momentum": 0})"), "sgd");
  EXPECT_EQ(kind(R"({"kind": "adam", "weight_decay": {"value": 0.1, "decoupled": true}})"), "adamw");
  EXPECT_EQ(kind(R"({"kind": "adam", "weight_decay": {"value": 0.1}})"), "adam");
}

TEST(Description, OutputsComeFromTheShapes) {
  const auto outputs = [](const std::string& patch) {
    return described(whole_description(), patch).text("prediction_shape.outputs");
  };
  EXPECT_EQ(outputs("{}"), "4");
  EXPECT_EQ(outputs(R"({"prediction_shape": ["N"]})"), "1");
  EXPECT_EQ(outputs(R"({"prediction_shape": null, "target_shape": ["N", 3]})"), "3");
  EXPECT_EQ(outputs(R"({"prediction_shape": null, "target_shape": null})"), "");
}

// DESCRIPTION.md names every key and every value that has a name.
TEST(Description, IsDocumented) {
  std::ifstream file(std::filesystem::path(GDBENCH_SOURCE_DIR) / "harness/questions/fairness/DESCRIPTION.md");
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const Field& field : description_fields()) {
    const std::string key = field.key;
    std::vector<std::string> names = field.names;
    names.push_back(key.substr(key.rfind('/') + 1));
    for (const std::string& name : names) {
      EXPECT_TRUE(page.find("`" + name + "`") != std::string::npos ||
                  page.find("\"" + name + "\"") != std::string::npos)
          << key << ": " << name;
    }
  }
  for (const catalogue::OptimizerRow& row : catalogue::kOptimizers) {
    EXPECT_NE(page.find(std::string("`") + row.name + "`"), std::string::npos) << row.name;
  }
  for (const catalogue::OptimizerConstant* constant : catalogue::kOptimizerConstants) {
    EXPECT_TRUE(std::ranges::any_of(description_fields(), [&](const Field& field) {
      return field.key == std::string("optimizer/") + constant->name;
    })) << constant->name;
  }
}

// Merge patches of the whole description, and a part of the message behind the file.
TEST(Description, AFaultIsOneLineWithItsPlace) {
  const std::pair<const char*, std::string> faults[] = {
      {R"({"name": null})", "/name: found nothing, expected text"},
      {R"({"name": ""})", "/name: found \"\", expected text that names"},
      {R"({"los": "mse"})", "/los: found an unknown key"},
      {R"({"loss": "mes"})", "/loss: found \"mes\", expected one of mse, half_mse"},
      {R"({"loss_reduction": "average"})", "/loss_reduction: found \"average\", expected one of mean"},
      {R"({"batch": "half"})", "/batch: found \"half\", expected \"full\" or a number of rows"},
      {R"({"batch": 0})", "/batch: found 0, expected an integer from 1"},
      {R"({"batch": 2.5})", "/batch: found 2.5"},
      {R"({"rows": -1})", "/rows: found -1"},
      {R"({"epochs": 2000000})", "/epochs: found 2000000"},
      {R"({"updates": 100})", "/updates: found 100, expected 320"},
      {R"({"parameters_dtype": "float"})", "/parameters_dtype: found \"float\", expected one of f16"},
      {R"({"casts_per_step": true})", "/casts_per_step: found true"},
      {R"({"optimizer": "adam"})", "/optimizer: found \"adam\", expected an object"},
      {R"({"optimizer": {"kind": "lamb"}})", "/optimizer/kind: found \"lamb\""},
      {R"({"optimizer": {"learning_rate": 0}})", "/optimizer/learning_rate: found 0, expected a positive"},
      {R"({"optimizer": {"beta1": 1}})", "/optimizer/beta1: found 1"},
      {R"({"optimizer": {"epsilon_place": "under"}})", "/optimizer/epsilon_place: found \"under\""},
      {R"({"optimizer": {"weight_decay": {"value": null}}})", "/optimizer/weight_decay/value: found nothing"},
      {R"({"optimizer": {"weight_decay": 0.1}})", "/optimizer/weight_decay: found 0.1, expected an object"},
      {R"({"initial": "zeros"})", "/initial: found \"zeros\", expected \"same\" or"},
      {R"({"initial": {"sed": 1}})", "/initial/sed: found an unknown key"},
      {R"({"timed": ["imports"]})", "/timed: found \"imports\", expected import, data"},
      {R"({"timed": "data"})", "/timed: found \"data\", expected an array"},
      {R"({"compiled": true})", "/compiled: found true, expected one of none"},
      {R"({"target_shape": []})", "/target_shape: found [], expected 1 to 8"},
      {R"({"target_shape": ["M", 1]})", "/target_shape: found [\"M\",1], expected 1 to 8"},
      {R"({"weights_shape": [0]})", "/weights_shape: found [0]"},
      {R"({"accumulation": {"steps": null}})", "/accumulation/steps: found nothing"},
      {R"({"threads": 0})", "/threads: found 0"},
      {R"({"synchronises": "yes"})", "/synchronises: found \"yes\", expected true or false"}};
  for (const auto& [patch, message] : faults) {
    SCOPED_TRACE(patch);
    json description = whole_description();
    description.merge_patch(json::parse(patch));
    const Result<Description> read = read_text(description.dump());
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().kind, ErrorKind::usage);
    EXPECT_NE(read.error().message.find("x.json: " + message), std::string::npos) << read.error().message;
    EXPECT_EQ(read.error().message.find('\n'), std::string::npos) << read.error().message;
  }
}

TEST(Description, OtherFilesAreRefused) {
  for (const char* text : {"", "[]", "{", R"({"name": "x", "name": "y"})"}) {
    const Result<Description> read = read_text(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().message.find('\n'), std::string::npos);
  }
  EXPECT_FALSE(read_description("no/such.json").ok());
}

}  // namespace
}  // namespace gdbench::fairness
