#include "harness/scenario/scenario.h"

#include <algorithm>

#include "harness/base/text.h"
#include "harness/scenario/settings.h"
#include "tests/support/scenarios/files.h"

namespace gdbench::scenario {
namespace {

using tests::csv_scenario, tests::Files, tests::linear_scenario, tests::perceptron_scenario;

using nlohmann::json;
using ScenarioFile = Files;

TEST_F(ScenarioFile, ReadsEveryKeyAndSaysWhatIsLeftOut) {
  json perceptron = perceptron_scenario();
  perceptron["model"]["layers"][2]["bias"] = true;
  json linear = linear_scenario();
  linear.merge_patch(json::parse(R"({
    "purpose": "", "favours": "", "task": "train", "model": {"bias": false}, "loss": "mse",
    "data": {"outputs": 1, "noise": 0.1, "seed": 1}, "standardise": {"features": false, "targets": false},
    "batch": "full", "optimizer": {"kind": "sgd"}, "dtype": "f32", "steps": 100, "initial_seed": 1})"));
  EXPECT_EQ(resolved(perceptron_scenario()), perceptron);
  EXPECT_EQ(resolved(linear_scenario()), linear);
  write("table.csv", "x,y\n1,2\n");
  for (const json& original : {perceptron, linear, resolved(csv_scenario())}) EXPECT_EQ(resolved(original), original);
}

TEST_F(ScenarioFile, TakesSquaredErrorsApartByOutput) {
  const Result<Scenario> read = read_scenario(write_json(linear_scenario()),
                                              {{"task", "gradients"}, {"loss", "half_mse"}, {"data.outputs", "3"}});
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(data::make_problem(read.value(), data::make_dataset(read.value()).value())->task, Task::gradients);
}

TEST_F(ScenarioFile, IdentityFollowsWhatIsComputedAndNothingElse) {
  const auto identity = [&](const json& scenario, const std::vector<Setting>& settings) {
    Result<Scenario> read = read_scenario(write_json(scenario), settings);
    return read.ok() ? read->identity() : read.error().message;
  };
  json other = perceptron_scenario();
  other["purpose"] = "another";
  other["favours"] = "none";
  const std::string original = identity(perceptron_scenario(), {});
  EXPECT_EQ(original.size(), 16U);
  EXPECT_EQ(identity(other, {}), original);
  EXPECT_EQ(identity(perceptron_scenario(), {{"dtype", "f64"}}), original);
  EXPECT_EQ(identity(perceptron_scenario(), {{"learning_rate", "5e-2"}}), original);
  std::vector<std::string> identities = {original};
  for (const char* setting :
       {"dtype=f32", "batch=9", "batch=full", "batch.seed=4", "data.seed=8", "learning_rate=0.06", "width=6",
        "model.layers.0.activation=tanh", "initial_seed=10", "standardise.features=false", "rows=31", "steps=13"}) {
    identities.push_back(identity(perceptron_scenario(), {parse_setting(setting).value()}));
    EXPECT_EQ(identities.back().size(), 16U) << setting;
  }
  EXPECT_NE(identity(linear_scenario(), {{"task", "gradients"}}), identity(linear_scenario(), {}));
  std::sort(identities.begin(), identities.end());
  EXPECT_EQ(std::adjacent_find(identities.begin(), identities.end()), identities.end());
}

TEST_F(ScenarioFile, SettingsOverride) {
  const std::vector<Setting> settings = {{"rows", "40"},      {"width", "64"},       {"learning_rate", "0.5"},
                                         {"dtype", "f32"},    {"batch", "16"},       {"model.layers.1.bias", "true"},
                                         {"steps", "1e3"},    {"data.noise", "0"},   {"features", "5"},
                                         {"purpose", "why?"}, {"data.features", "6"}};
  json expected = resolved(perceptron_scenario());
  expected.merge_patch(json::parse(R"({
    "data": {"rows": 40, "features": 6, "noise": 0.0}, "optimizer": {"learning_rate": 0.5}, "dtype": "f32",
    "batch": {"rows": 16}, "steps": 1000, "purpose": "why?"})"));
  for (json& layer : expected["model"]["layers"]) layer["bias"] = true;
  for (const int hidden : {0, 1}) expected["model"]["layers"][hidden]["width"] = 64;
  EXPECT_EQ(resolved(perceptron_scenario(), settings), expected);
}

TEST_F(ScenarioFile, BatchIsSetOnEverySpelling) {
  for (const json& spelling : {json("full"), json(4), json{{"rows", 4}}, json{{"rows", "full"}}, json()}) {
    json scenario = linear_scenario();
    if (!spelling.is_null()) scenario["batch"] = spelling;
    for (const Setting& setting :
         std::vector<Setting>{{"batch", "7"}, {"batch.rows", "7"}, {"batch", R"({"rows":7})"}}) {
      EXPECT_EQ(resolved(scenario, {setting})["batch"]["rows"], 7) << spelling << " " << setting.key;
    }
    const Result<Scenario> full = read_scenario(write_json(scenario), {{"batch", "full"}});
    ASSERT_TRUE(full.ok()) << full.error().message;
    EXPECT_FALSE(full->batch.rows.has_value());
    const Result<Scenario> fixed = read_scenario(write_json(scenario), {{"batch.shuffle", "false"}});
    ASSERT_TRUE(fixed.ok()) << fixed.error().message;
    EXPECT_FALSE(fixed->batch.shuffle);
  }
}

TEST(Settings, AreSplitAtTheFirstEqualsSignAndFoundByShortNames) {
  EXPECT_EQ(parse_setting("a.b=c=d").value().key, "a.b");
  EXPECT_EQ(parse_setting("a.b=c=d").value().value, "c=d");
  EXPECT_EQ(parse_setting("a=").value().value, "");
  EXPECT_EQ(parse_setting("abc").error().kind, ErrorKind::usage);
  EXPECT_EQ(parse_setting("abc").error().message, "--set \"abc\": found no KEY before a \"=\", expected KEY=VALUE");
  EXPECT_FALSE(parse_setting("=abc").ok());
  const std::vector<Setting> settings = {{"batch", "32"}, {"optimizer.kind", "adam"}};
  ASSERT_NE(find_setting(settings, "batch.rows"), nullptr);
  EXPECT_EQ(find_setting(settings, "batch.rows")->value, "32");
  EXPECT_EQ(find_setting(settings, "optimizer")->value, "adam");
  EXPECT_EQ(find_setting(settings, "dtype"), nullptr);
}

TEST_F(ScenarioFile, HasTheValueOfASetting) {
  const Result<Scenario> read = read_scenario(write_json(perceptron_scenario()), {{"batch", "3"}, {"dtype", "f64"}});
  ASSERT_TRUE(read.ok()) << read.error().message;
  const Json resolved = to_json(*read);
  EXPECT_EQ(value_at(resolved, "dtype"), "f64");
  EXPECT_EQ(value_at(resolved, "batch"), "3");
  EXPECT_EQ(value_at(resolved, "learning_rate"), value_at(resolved, "optimizer.learning_rate"));
  EXPECT_EQ(value_at(resolved, "model.layers.0.activation"),
            resolved["model"]["layers"][0]["activation"].get<std::string>());
  for (const char* key : {"width", "impl.style", "optimizer.nosuch", "model.layers.9.width", "model.layers.x", "model"})
    EXPECT_EQ(value_at(resolved, key), std::nullopt) << key;
}

const std::string kUnknownKey =
    "found an unknown key, expected one of name, purpose, favours, task, model, loss, huber_delta, data, standardise, "
    "batch, steps, optimizer, dtype, denormals, loss_scaling, initial, initial_seed, target";

struct Fault {
  const char* pointer;  // where `value` is put
  const char* value;    // JSON
  std::string message;
  const char* place = "";  // "": the pointer
};

TEST_F(ScenarioFile, SaysWhatIsWrongInOneLine) {
  const std::vector<Fault> faults = {
      {"/optimizer/learning_rate", "0", "found 0, expected a positive number"},
      {"/optimizer/momentum", "0.9",
       "found an unknown key, expected one of kind, learning_rate, weight_decay, decoupled_weight_decay, schedule"},
      {"/optimizer", R"({"kind": "momentum", "learning_rate": 0.1, "momentum": 1})",
       "found 1, expected a number from 0 to below 1", "/optimizer/momentum"},
      {"/optimizer", R"({"kind": "adam", "learning_rate": 0.1, "epsilon_place": "inside"})",
       "found \"inside\", expected one of outside, hat, own", "/optimizer/epsilon_place"},
      {"/optimizer", R"({"kind": "rmsprop", "learning_rate": 0.1, "epsilon_place": "hat"})",
       "found \"hat\", expected one of outside, inside, own", "/optimizer/epsilon_place"},
      {"/optimizer", R"({"kind": "nadam", "learning_rate": 0.1, "epsilon_place": "hat"})",
       "found an unknown key, expected one of kind, learning_rate, beta1, beta2, epsilon, momentum_decay, "
       "weight_decay, decoupled_weight_decay, schedule",
       "/optimizer/epsilon_place"},
      {"/optimizer", R"({"kind": "adamw", "learning_rate": 0.1, "decoupled_weight_decay": false})",
       "found false with adamw, expected true, or an optimizer whose decay may be coupled",
       "/optimizer/decoupled_weight_decay"},
      {"/optimizer", R"({"learning_rate": 0.1, "schedule": {"kind": "cosine", "warm_up": 200}})",
       "found nothing, expected an integer from 201 to 1000000", "/optimizer/schedule/steps"},
      {"/optimizer", R"({"learning_rate": 0.1, "schedule": {"kind": "step"}})",
       "found nothing, expected an integer from 1 to 1000000", "/optimizer/schedule/every"},
      {"/batch", R"({"rows": 8, "micro_batches": 9})", "found 9, expected at most 8, the batch's rows",
       "/batch/micro_batches"},
      {"/task", "\"gradients\"",
       "found \"gradients\" with the loss \"softmax_cross_entropy\", expected train, or a loss that is a sum over "
       "output columns: mse, half_mse, huber"},
      {"/task", "\"update\"",
       "found a model with the task \"update\", expected tensors, whose given gradients are all that the task needs",
       "/model/kind"},
      {"/name", "\"a b\"", "found \"a b\", expected letters, digits, '.', '_' and '-'"},
      {"/model", "[]", "found an empty array, expected an object"},
      {"/model/layers", "[]", "found an empty array, expected an array of objects"},
      {"/model/layers/0/width", "0", "found 0, expected an integer from 1 to 1048576"},
      {"/model/layers/2/width", "4", "found 4, expected 3, for the data have 3 classes"},
      {"/model/layers/2/activation", "\"relu\"",
       "found \"relu\", expected identity, for softmax_cross_entropy takes logits"},
      {"/loss", "\"mse\"",
       "found \"mse\" with data that have labels, expected softmax_cross_entropy, or data with numeric targets"},
      {"/data/kind", "\"linear\"",
       "found \"softmax_cross_entropy\" with data that have numeric targets, expected mse, half_mse, "
       "binary_cross_entropy, huber, or data with labels",
       "/loss"},
      {"/data/rows", "1e300", "found 1e+300, expected an integer from 1 to 2147483647"},
      {"/data/outputs", "1", "found 1, expected an integer from 2 to 30"},
      {"/data/noise", "-0.5", "found -0.5, expected a number of at least 0"},
      {"/data/seed", "18446744073709551615",
       "found 18446744073709551615, expected an integer from 0 to 9223372036854775807"},
      {"/standardise/targets", "true", "found true with labels as targets, expected false"},
      {"/batch", "\"half\"", "found \"half\", expected \"full\" or a positive number of rows"},
      {"/batch/rows", "31", "found 31, expected \"full\" or from 1 to 30, the data's rows"},
      {"/dtype", "\"bf17\"", "found \"bf17\", expected one of f32, f64, bf16, f16 (did you mean bf16?)"},
      {"/purpose", "\"a\\nb\"", "found \"a\\u000ab\", expected text on one line"},
      {"/huber_delta", "2", "found a huber_delta with the loss \"softmax_cross_entropy\", expected the loss \"huber\""},
      {"/data", R"({"path": "x.csv"})", "found nothing, expected one of synthetic, csv, npy, idx, libsvm, stream",
       "/data/source"},
      {"/data", R"({"sorce": "csv"})", "found an unknown key, expected one of source (did you mean source?)",
       "/data/sorce"},
      {"/optimiser", "{}", kUnknownKey + " (did you mean optimizer?)"},
  };
  for (const auto& [pointer, value, message, place] : faults) {
    json scenario = perceptron_scenario();
    scenario[json::json_pointer(pointer)] = json::parse(value);
    EXPECT_EQ(read_error(scenario), cat("s.json: ", *place == '\0' ? pointer : place, ": ", message));
  }
}

TEST_F(ScenarioFile, SaysWhichSettingIsWrong) {
  const std::vector<std::pair<Setting, std::string>> faults = {
      {{"optimizer.learning_rate", "-1"}, ": found -1, expected a positive number"},
      {{"lerning_rate", "1"}, ": " + kUnknownKey + " (did you mean learning_rate?)"},
      {{"model.layers.7.width", "3"}, ": found \"7\", expected an index below 3"},
      {{"loss.kind", "mse"}, ": found \"softmax_cross_entropy\" at /loss, expected an object there"},
      {{"batch", "31"}, ": found 31, expected \"full\" or from 1 to 30, the data's rows"},
      {{"batch.row", "3"},
       ": found an unknown key, expected one of rows, shuffle, seed, drop_last, micro_batches (did you mean rows?)"},
      {{"data", R"({"source": "synthetic"})"},
       " (/data/kind): found nothing, expected one of linear, teacher, blobs, gradients"},
      {{"dtype", "f3\n2"}, ": found \"f3\\u000a2\", expected one of f32, f64, bf16, f16 (did you mean f32?)"},
      {{"", "1"}, ": " + kUnknownKey},
  };
  for (const auto& [setting, message] : faults) {
    EXPECT_EQ(read_error(perceptron_scenario(), {setting}), "s.json: --set " + setting.key + message);
  }
  EXPECT_EQ(read_error(linear_scenario(), {{"width", "3"}}),
            "s.json: --set width: found a model without hidden layers, expected one whose hidden layers get "
            "this width");
}

TEST_F(ScenarioFile, RefusesTextThatIsNoScenario) {
  const auto error = [&](const std::string& text) {
    const Result<Scenario> read = read_scenario(write("s.json", text), {});
    return read.ok() ? "" : read.error().message.substr(folder_.string().size() + 1);
  };
  EXPECT_EQ(error(""), "s.json: line 1, column 1: found text that is no JSON, expected JSON");
  EXPECT_EQ(error("[]"), "s.json: /: found an empty array, expected a scenario (a JSON object)");
  EXPECT_EQ(error(std::string(100000, '[')),
            "s.json: line 1, column 100001: found text that is no JSON, expected JSON");
  EXPECT_EQ(error("{\"a\":" + std::string(100000, '[') + std::string(100000, ']') + "}"),
            "s.json: found nesting deeper than 32, expected less");
  EXPECT_NE(error(R"({"steps": 1e999})").find("found a value that cannot be read"), std::string::npos);
}

TEST_F(ScenarioFile, RefusesFilesThatAreMissing) {
  const Error missing = read_scenario(folder_ / "none.json", {}).error();
  EXPECT_EQ(missing.kind, ErrorKind::usage);
  EXPECT_EQ(missing.message,
            (folder_ / "none.json").string() + ": found no such file, expected a scenario (a JSON object)");
  EXPECT_EQ(read_error(csv_scenario()),
            "s.json: /data/path: found \"table.csv\" (no such file), expected a file that can be read");
  EXPECT_EQ(read_error(csv_scenario(), {{"data.path", "other.csv"}}),
            "s.json: --set data.path: found \"other.csv\" (no such file), expected a file that can be read");
}

TEST_F(ScenarioFile, ChecksColumnsOfCsv) {
  write("table.csv", "a,b,y\n1,2,3\n");
  const std::pair<const char*, std::string> faults[] = {
      {R"({"data": {"features": ["a", "a"]}})", "features/1: found \"a\", expected no text twice"},
      {R"({"data": {"features": ["a", "y"]}})",
       "targets: found \"y\", which is a feature as well, expected other columns than the features"},
      {R"({"data": {"features": "a"}})", "features: found \"a\", expected an array of distinct texts"},
      {R"({"data": {"features": ["a", 1]}})", "features/1: found 1, expected text"},
      {R"({"data": {"targets": []}})", "targets: found an empty array, expected at least one column"},
      {R"({"data": {"targets": ["a", "y"]}, "loss": "softmax_cross_entropy"})",
       "targets: found 2 columns, expected one column of labels, which softmax_cross_entropy needs"}};
  for (const auto& [changes, message] : faults) {
    json scenario = csv_scenario();
    scenario.merge_patch(json::parse(changes));
    EXPECT_EQ(read_error(scenario), "s.json: /data/" + message);
  }
}

}  // namespace
}  // namespace gdbench::scenario
