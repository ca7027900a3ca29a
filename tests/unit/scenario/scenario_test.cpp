#include "harness/scenario/scenario.h"

#include <algorithm>

#include "harness/base/text.h"
#include "harness/scenario/settings.h"
#include "tests/support/scenarios/files.h"

namespace gdbench::scenario {
namespace {

using tests::csv_scenario;
using tests::Files;
using tests::linear_scenario;
using tests::perceptron_scenario;

using nlohmann::json;
using ScenarioFile = Files;

TEST_F(ScenarioFile, ReadsEveryKey) {
  const Result<Scenario> read = read_scenario(write_json(perceptron_scenario()), {});
  ASSERT_TRUE(read.ok()) << read.error().message;
  const Scenario& scenario = read.value();
  EXPECT_EQ(scenario.name, "perceptron");
  EXPECT_EQ(scenario.purpose, "p");
  EXPECT_EQ(scenario.favours, "f");
  EXPECT_EQ(scenario.task, Task::train);
  const auto& layers = std::get<MultilayerPerceptron>(scenario.model).layers;
  ASSERT_EQ(layers.size(), 3U);
  EXPECT_EQ(layers[0].width, 5);
  EXPECT_EQ(layers[0].activation, Activation::relu);
  EXPECT_TRUE(layers[0].bias);
  EXPECT_FALSE(layers[1].bias);
  EXPECT_TRUE(layers[2].bias);
  EXPECT_EQ(scenario.loss.kind, Loss::softmax_cross_entropy);
  const auto& data = std::get<SyntheticData>(scenario.data);
  EXPECT_EQ(data.kind, SyntheticKind::blobs);
  EXPECT_EQ(data.rows, 30);
  EXPECT_EQ(data.features, 2);
  EXPECT_EQ(data.outputs, 3);
  EXPECT_EQ(data.noise, 0.5);
  EXPECT_EQ(data.seed, 7U);
  EXPECT_TRUE(scenario.standardise.features);
  EXPECT_EQ(scenario.batch.rows, 8);
  EXPECT_TRUE(scenario.batch.shuffle);
  EXPECT_EQ(scenario.batch.seed, 3U);
  EXPECT_EQ(scenario.optimizer.kind, OptimizerKind::sgd);
  EXPECT_EQ(scenario.optimizer.learning_rates, std::vector<double>{0.05});
  EXPECT_EQ(scenario.dtype, Dtype::f64);
  EXPECT_EQ(scenario.steps, 12);
  EXPECT_EQ(scenario.initial_seed, 9U);
}

TEST_F(ScenarioFile, TakesSquaredErrorsApartByOutput) {
  for (const char* loss : {"mse", "half_mse"}) {
    const Result<Scenario> read =
        read_scenario(write_json(linear_scenario()), {{"task", "gradients"}, {"loss", loss}, {"data.outputs", "3"}});
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->task, Task::gradients);
    EXPECT_EQ(to_json(read.value())["task"], "gradients");
    const Result<Problem> problem = data::make_problem(read.value(), data::make_dataset(read.value()).value());
    ASSERT_TRUE(problem.ok()) << problem.error().message;
    EXPECT_EQ(problem->task, Task::gradients);
  }
  EXPECT_EQ(
      read_error(perceptron_scenario(), {{"task", "gradients"}}),
      "s.json: --set task: found \"gradients\" with the loss \"softmax_cross_entropy\", expected train, or a loss "
      "that is a sum over output columns: mse, half_mse, huber");
}

TEST_F(ScenarioFile, HasDefaults) {
  const Result<Scenario> read = read_scenario(write_json(linear_scenario()), {});
  ASSERT_TRUE(read.ok()) << read.error().message;
  const Scenario& scenario = read.value();
  EXPECT_FALSE(std::get<LinearRegression>(scenario.model).bias);
  EXPECT_EQ(scenario.loss.kind, Loss::mse);
  EXPECT_FALSE(scenario.batch.rows.has_value());
  EXPECT_EQ(std::get<SyntheticData>(scenario.data).outputs, 1);
  EXPECT_EQ(std::get<SyntheticData>(scenario.data).noise, 0.1);
  EXPECT_EQ(scenario.dtype, Dtype::f32);
  EXPECT_EQ(scenario.steps, 100);
}

TEST_F(ScenarioFile, ResolvedScenarioIsReadAgainAsTheSame) {
  write("table.csv", "x,y\n1,2\n");
  for (const json& original : {linear_scenario(), perceptron_scenario(), csv_scenario()}) {
    const Result<Scenario> first = read_scenario(write_json(original), {});
    ASSERT_TRUE(first.ok()) << first.error().message;
    const Result<Scenario> second = read_scenario(write_json(to_json(first.value()), "resolved.json"), {});
    ASSERT_TRUE(second.ok()) << second.error().message;
    EXPECT_EQ(to_json(first.value()), to_json(second.value()));
    EXPECT_EQ(first->identity(), second->identity());
  }
}

TEST_F(ScenarioFile, IdentityFollowsWhatIsComputedAndNothingElse) {
  const auto identity = [&](const json& scenario, const std::vector<Setting>& settings) {
    Result<Scenario> read = read_scenario(write_json(scenario), settings);
    return read.ok() ? read->identity() : read.error().message;
  };
  json other = perceptron_scenario();
  other["purpose"] = "another";
  other["favours"] = "nobody";
  const std::string original = identity(perceptron_scenario(), {});
  EXPECT_EQ(original.size(), 16U);
  EXPECT_EQ(identity(other, {}), original);
  EXPECT_EQ(identity(perceptron_scenario(), {{"dtype", "f64"}}), original);
  EXPECT_EQ(identity(perceptron_scenario(), {{"learning_rate", "5e-2"}}), original);
  std::vector<std::string> identities = {original};
  for (const Setting& setting : std::vector<Setting>{{"dtype", "f32"},
                                                     {"batch", "9"},
                                                     {"batch", "full"},
                                                     {"batch.seed", "4"},
                                                     {"data.seed", "8"},
                                                     {"learning_rate", "0.06"},
                                                     {"width", "6"},
                                                     {"model.layers.0.activation", "tanh"},
                                                     {"initial_seed", "10"},
                                                     {"standardise.features", "false"},
                                                     {"rows", "31"},
                                                     {"steps", "13"}}) {
    identities.push_back(identity(perceptron_scenario(), {setting}));
    EXPECT_EQ(identities.back().size(), 16U) << setting.key;
  }
  EXPECT_NE(identity(linear_scenario(), {{"task", "gradients"}}), identity(linear_scenario(), {}));
  std::sort(identities.begin(), identities.end());
  EXPECT_EQ(std::adjacent_find(identities.begin(), identities.end()), identities.end());
}

TEST_F(ScenarioFile, SettingsOverride) {
  const std::vector<Setting> settings = {{"rows", "40"},     {"width", "64"},     {"learning_rate", "0.5"},
                                         {"dtype", "f32"},   {"batch", "16"},     {"model.layers.1.bias", "true"},
                                         {"steps", "1e3"},   {"data.noise", "0"}, {"features", "6"},
                                         {"purpose", "why?"}};
  const Result<Scenario> read = read_scenario(write_json(perceptron_scenario()), settings);
  ASSERT_TRUE(read.ok()) << read.error().message;
  const Scenario& scenario = read.value();
  const auto& data = std::get<SyntheticData>(scenario.data);
  EXPECT_EQ(data.rows, 40);
  EXPECT_EQ(data.features, 6);
  EXPECT_EQ(data.noise, 0);
  const auto& layers = std::get<MultilayerPerceptron>(scenario.model).layers;
  EXPECT_EQ(layers[0].width, 64);
  EXPECT_EQ(layers[1].width, 64);
  EXPECT_EQ(layers[2].width, 3);
  EXPECT_TRUE(layers[1].bias);
  EXPECT_EQ(scenario.optimizer.learning_rates, std::vector<double>{0.5});
  EXPECT_EQ(scenario.dtype, Dtype::f32);
  EXPECT_EQ(scenario.steps, 1000);
  EXPECT_EQ(scenario.purpose, "why?");
  EXPECT_EQ(scenario.batch.rows, 16);
  EXPECT_EQ(scenario.batch.seed, 3U) << "batch=16 must leave the object's other keys";
}

TEST_F(ScenarioFile, BatchIsSetOnEverySpelling) {
  for (const json& spelling : {json("full"), json(4), json{{"rows", 4}}, json{{"rows", "full"}}, json()}) {
    json scenario = linear_scenario();
    if (!spelling.is_null()) scenario["batch"] = spelling;
    for (const Setting& setting :
         std::vector<Setting>{{"batch", "7"}, {"batch.rows", "7"}, {"batch", R"({"rows":7})"}}) {
      const Result<Scenario> read = read_scenario(write_json(scenario), {setting});
      ASSERT_TRUE(read.ok()) << read.error().message;
      EXPECT_EQ(read->batch.rows, 7) << spelling << " " << setting.key;
    }
    const Result<Scenario> full = read_scenario(write_json(scenario), {{"batch", "full"}});
    ASSERT_TRUE(full.ok()) << full.error().message;
    EXPECT_FALSE(full->batch.rows.has_value());
    const Result<Scenario> fixed = read_scenario(write_json(scenario), {{"batch.shuffle", "false"}});
    ASSERT_TRUE(fixed.ok()) << fixed.error().message;
    EXPECT_FALSE(fixed->batch.shuffle);
  }
}

TEST_F(ScenarioFile, LaterSettingsBeatEarlierOnes) {
  const Result<Scenario> read = read_scenario(write_json(linear_scenario()), {{"rows", "5"}, {"data.rows", "6"}});
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(std::get<SyntheticData>(read->data).rows, 6);
}

TEST(ParseSetting, SplitsAtTheFirstEqualsSign) {
  EXPECT_EQ(parse_setting("a.b=c=d").value().key, "a.b");
  EXPECT_EQ(parse_setting("a.b=c=d").value().value, "c=d");
  EXPECT_EQ(parse_setting("a=").value().value, "");
  EXPECT_EQ(parse_setting("abc").error().kind, ErrorKind::usage);
  EXPECT_EQ(parse_setting("abc").error().message, "--set \"abc\": found no KEY before a \"=\", expected KEY=VALUE");
  EXPECT_FALSE(parse_setting("=abc").ok());
}

TEST(FindSetting, KnowsShortNames) {
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

template <class Enum>
std::string names_of() {
  return joined(catalogue::names_of_mask<Enum>(catalogue::kAll<Enum>));
}

struct Fault {
  const char* pointer;  // where `value` is put
  const char* value;    // JSON; "" removes the key
  std::string message;
};

TEST_F(ScenarioFile, SaysWhatIsWrongInOneLine) {
  const std::vector<Fault> faults = {
      {"/optimizer/learning_rate", "\"abc\"",
       "s.json: /optimizer/learning_rate: found \"abc\", expected a positive number"},
      {"/optimizer/learning_rate", "0", "s.json: /optimizer/learning_rate: found 0, expected a positive number"},
      {"/optimizer/learning_rate", "", "s.json: /optimizer/learning_rate: found nothing, expected a positive number"},
      {"/optimizer/momentum", "0.9",
       "s.json: /optimizer/momentum: found an unknown key, expected one of kind, learning_rate, weight_decay, "
       "decoupled_weight_decay, schedule"},
      {"/optimizer", R"({"kind": "momentum", "learning_rate": 0.1, "momentum": 1})",
       "s.json: /optimizer/momentum: found 1, expected a number from 0.0 to below 1.0"},
      {"/optimizer", R"({"kind": "adam", "learning_rate": 0.1, "epsilon": 0})",
       "s.json: /optimizer/epsilon: found 0, expected a positive number"},
      {"/optimizer", R"({"kind": "adamw", "learning_rate": 0.1, "decoupled_weight_decay": false})",
       "s.json: /optimizer/decoupled_weight_decay: found false with adamw, expected true, or an optimizer whose "
       "decay may be coupled"},
      {"/optimizer", R"({"learning_rate": 0.1, "schedule": {"kind": "cosine", "warm_up": 200}})",
       "s.json: /optimizer/schedule/steps: found nothing, expected an integer from 201 to 1000000"},
      {"/optimizer", R"({"learning_rate": 0.1, "schedule": {"kind": "step"}})",
       "s.json: /optimizer/schedule/every: found nothing, expected an integer from 1 to 1000000"},
      {"/batch", R"({"rows": 8, "micro_batches": 9})",
       "s.json: /batch/micro_batches: found 9, expected at most 8, the batch's rows"},
      {"/optimizer/kind", "\"sdg\"",
       "s.json: /optimizer/kind: found \"sdg\", expected one of " + names_of<OptimizerKind>() + " (did you mean sgd?)"},
      {"/task", "\"update\"",
       "s.json: /model/kind: found a model with the task \"update\", expected tensors, whose given gradients are all "
       "that the task needs"},
      {"/task", "\"gradients\"",
       "s.json: /task: found \"gradients\" with the loss \"softmax_cross_entropy\", expected train, or a "
       "loss that is a sum over output columns: mse, half_mse, huber"},
      {"/task", "\"trian\"",
       "s.json: /task: found \"trian\", expected one of train, update, gradients, floor (did you mean train?)"},
      {"/name", "\"a b\"", "s.json: /name: found \"a b\", expected letters, digits, '.', '_' and '-'"},
      {"/name", "", "s.json: /name: found nothing, expected text on one line"},
      {"/model", "[]", "s.json: /model: found an empty array, expected an object"},
      {"/model", "", "s.json: /model: found nothing, expected an object"},
      {"/model/layers", "[]", "s.json: /model/layers: found an empty array, expected an array of objects"},
      {"/model/layers/1", "7", "s.json: /model/layers/1: found 7, expected an object"},
      {"/model/layers/0/width", "0", "s.json: /model/layers/0/width: found 0, expected an integer from 1 to 1048576"},
      {"/model/layers/0/width", "2.5",
       "s.json: /model/layers/0/width: found 2.5, expected an integer from 1 to 1048576"},
      {"/model/layers/0/bias", "1", "s.json: /model/layers/0/bias: found 1, expected true or false"},
      {"/model/layers/0/activation", "\"Relu\"",
       "s.json: /model/layers/0/activation: found \"Relu\", expected one of " + names_of<Activation>() +
           " (did you mean relu?)"},
      {"/model/layers/0/wdith", "3",
       "s.json: /model/layers/0/wdith: found an unknown key, expected one of width, activation, bias (did you mean "
       "width?)"},
      {"/model/layers/2/width", "4", "s.json: /model/layers/2/width: found 4, expected 3, for the data have 3 classes"},
      {"/model/layers/2/activation", "\"relu\"",
       "s.json: /model/layers/2/activation: found \"relu\", expected identity, for softmax_cross_entropy takes logits"},
      {"/loss", "\"mse\"",
       "s.json: /loss: found \"mse\" with data that have labels, expected softmax_cross_entropy, or data with numeric "
       "targets"},
      {"/data/kind", "\"linear\"",
       "s.json: /loss: found \"softmax_cross_entropy\" with data that have numeric targets, expected mse, half_mse, "
       "binary_cross_entropy, huber, or data with labels"},
      {"/data/source", "\"cvs\"",
       "s.json: /data/source: found \"cvs\", expected one of synthetic, csv, npy, idx, stream (did you mean csv?)"},
      {"/data/rows", "-1", "s.json: /data/rows: found -1, expected an integer from 1 to 2147483647"},
      {"/data/rows", "1e300", "s.json: /data/rows: found 1e+300, expected an integer from 1 to 2147483647"},
      {"/data/outputs", "1", "s.json: /data/outputs: found 1, expected an integer from 2 to 30"},
      {"/data/noise", "-0.5", "s.json: /data/noise: found -0.5, expected a number of at least 0"},
      {"/data/seed", "18446744073709551615",
       "s.json: /data/seed: found 18446744073709551615, expected an integer from 0 to 9223372036854775807"},
      {"/standardise/targets", "true",
       "s.json: /standardise/targets: found true with labels as targets, expected false"},
      {"/standardise", "true", "s.json: /standardise: found true, expected an object"},
      {"/batch", "0", "s.json: /batch: found 0, expected an integer from 1 to 2147483647"},
      {"/batch", "\"half\"", "s.json: /batch: found \"half\", expected \"full\" or a positive number of rows"},
      {"/batch/rows", "31", "s.json: /batch/rows: found 31, expected \"full\" or from 1 to 30, the data's rows"},
      {"/batch", "31", "s.json: /batch: found 31, expected \"full\" or from 1 to 30, the data's rows"},
      {"/dtype", "\"bf17\"",
       "s.json: /dtype: found \"bf17\", expected one of f32, f64, bf16, f16 (did you mean bf16?)"},
      {"/dtype", "64", "s.json: /dtype: found 64, expected one of f32, f64, bf16, f16"},
      {"/steps", "0", "s.json: /steps: found 0, expected an integer from 1 to 1000000000000"},
      {"/purpose", "\"a\\nb\"", "s.json: /purpose: found \"a\\u000ab\", expected text on one line"},
      {"/optimiser", "{}",
       "s.json: /optimiser: found an unknown key, expected one of name, purpose, favours, task, model, loss, data, "
       "standardise, batch, optimizer, dtype, loss_scaling, steps, initial_seed, target (did you mean optimizer?)"},
  };
  for (const Fault& fault : faults) {
    json scenario = perceptron_scenario();
    const json::json_pointer pointer(fault.pointer);
    if (*fault.value != '\0') {
      scenario[pointer] = json::parse(fault.value);
    } else {
      scenario[pointer.parent_pointer()].erase(pointer.back());
    }
    EXPECT_EQ(read_error(scenario), fault.message);
  }
}

TEST_F(ScenarioFile, SaysWhichSettingIsWrong) {
  const std::vector<std::pair<Setting, std::string>> faults = {
      {{"learning_rate", "abc"}, "s.json: --set learning_rate: found \"abc\", expected a positive number"},
      {{"optimizer.learning_rate", "-1"},
       "s.json: --set optimizer.learning_rate: found -1, expected a positive number"},
      {{"lerning_rate", "1"},
       "s.json: --set lerning_rate: found an unknown key, expected one of name, purpose, favours, task, model, loss, "
       "data, standardise, batch, optimizer, dtype, loss_scaling, steps, initial_seed, target (did you mean "
       "learning_rate?)"},
      {{"optimiser.learning_rate", "1"},
       "s.json: --set optimiser.learning_rate: found an unknown key, expected one of name, purpose, favours, task, "
       "model, loss, data, standardise, batch, optimizer, dtype, loss_scaling, steps, initial_seed, target (did you "
       "mean "
       "optimizer?)"},
      {{"width", "none"}, "s.json: --set width: found \"none\", expected an integer from 1 to 1048576"},
      {{"model.layers.7.width", "3"}, "s.json: --set model.layers.7.width: found \"7\", expected an index below 3"},
      {{"model.layers.-1.width", "3"}, "s.json: --set model.layers.-1.width: found \"-1\", expected an index below 3"},
      {{"loss.kind", "mse"},
       "s.json: --set loss.kind: found \"softmax_cross_entropy\" at /loss, expected an object there"},
      {{"batch", "31"}, "s.json: --set batch: found 31, expected \"full\" or from 1 to 30, the data's rows"},
      {{"batch.row", "3"},
       "s.json: --set batch.row: found an unknown key, expected one of rows, shuffle, seed, micro_batches "
       "(did you mean rows?)"},
      {{"data", R"({"source": "synthetic"})"},
       "s.json: --set data (/data/kind): found nothing, expected one of linear, teacher, blobs, gradients"},
      {{"dtype", "f3\n2"},
       "s.json: --set dtype: found \"f3\\u000a2\", expected one of f32, f64, bf16, f16 (did you mean f32?)"},
      {{"", "1"},
       "s.json: --set : found an unknown key, expected one of name, purpose, favours, task, model, loss, data, "
       "standardise, batch, optimizer, dtype, loss_scaling, steps, initial_seed, target"},
  };
  for (const auto& [setting, message] : faults) EXPECT_EQ(read_error(perceptron_scenario(), {setting}), message);
  EXPECT_EQ(read_error(linear_scenario(), {{"width", "3"}}),
            "s.json: --set width: found a model without hidden layers, expected one whose hidden layers get "
            "this width");
}

TEST_F(ScenarioFile, RefusesTextThatIsNoScenario) {
  const auto error = [&](const std::string& text) {
    const Result<Scenario> read = read_scenario(write("s.json", text), {});
    return read.ok() ? "" : read.error().message.substr(folder_.string().size() + 1);
  };
  EXPECT_EQ(error("{\n \"name\": \"x\",\n oops}"),
            "s.json: line 3, column 2: found text that is no JSON, expected JSON");
  EXPECT_EQ(error(""), "s.json: line 1, column 1: found text that is no JSON, expected JSON");
  EXPECT_EQ(error("[]"), "s.json: /: found an empty array, expected a scenario (a JSON object)");
  EXPECT_EQ(error(R"({"steps": 1, "steps": 2})"), "s.json: found key \"steps\" twice in one object, expected once");
  EXPECT_EQ(error(std::string(100000, '[')),
            "s.json: line 1, column 100001: found text that is no JSON, expected JSON");
  EXPECT_EQ(error("{\"a\":" + std::string(100000, '[') + std::string(100000, ']') + "}"),
            "s.json: found nesting deeper than 32, expected less");
  EXPECT_NE(error(R"({"steps": 1e999})").find("found a value that cannot be read"), std::string::npos);
}

TEST_F(ScenarioFile, RefusesFilesThatAreMissing) {
  EXPECT_EQ(read_scenario(folder_ / "none.json", {}).error().message,
            (folder_ / "none.json").string() + ": found no such file, expected a scenario (a JSON object)");
  EXPECT_EQ(read_scenario(folder_, {}).error().message,
            folder_.string() + ": found a folder, expected a scenario (a JSON object)");
  EXPECT_EQ(read_error(csv_scenario()),
            "s.json: /data/path: found \"table.csv\" (no such file), expected a file that can be read");
  EXPECT_EQ(read_error(csv_scenario(), {{"data.path", "other.csv"}}),
            "s.json: --set data.path: found \"other.csv\" (no such file), expected a file that can be read");
  EXPECT_EQ(read_scenario(folder_ / "none.json", {}).error().kind, ErrorKind::usage);
}

TEST_F(ScenarioFile, ChecksColumnsOfCsv) {
  write("table.csv", "a,b,y\n1,2,3\n");
  json scenario = csv_scenario();
  scenario["data"]["features"] = {"a", "a"};
  EXPECT_EQ(read_error(scenario), "s.json: /data/features/1: found \"a\", expected no text twice");
  scenario["data"]["features"] = {"a", "y"};
  EXPECT_EQ(read_error(scenario),
            "s.json: /data/targets: found \"y\", which is a feature as well, expected other columns than the features");
  scenario["data"]["features"] = "a";
  EXPECT_EQ(read_error(scenario), "s.json: /data/features: found \"a\", expected an array of distinct texts");
  scenario["data"]["features"] = {"a", 1};
  EXPECT_EQ(read_error(scenario), "s.json: /data/features/1: found 1, expected text");
  scenario["data"].erase("features");
  scenario["data"]["targets"] = json::array();
  EXPECT_EQ(read_error(scenario), "s.json: /data/targets: found an empty array, expected at least one column");
  scenario["data"]["targets"] = {"a", "y"};
  scenario["loss"] = "softmax_cross_entropy";
  EXPECT_EQ(read_error(scenario),
            "s.json: /data/targets: found 2 columns, expected one column of labels, which softmax_cross_entropy needs");
}

}  // namespace
}  // namespace gdbench::scenario
