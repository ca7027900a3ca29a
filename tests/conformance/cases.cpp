#include "tests/conformance/cases.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/base/random.h"

namespace gdbench::conformance {

namespace {

using nlohmann::json;

// Below, at and above the lengths of vectors and blocks; one and primes among them.
const std::vector<int> kWidths = {1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 33, 64, 67, 130};
const std::vector<int> kRows = {2, 3, 5, 16, 29, 64, 101};
const std::vector<const char*> kActivations = {"identity", "relu", "tanh", "sigmoid"};
const std::vector<const char*> kLosses = {"mse", "half_mse", "softmax_cross_entropy"};

template <class T>
const T& pick(Random& random, const std::vector<T>& values) {
  return values[random.below(values.size())];
}

json batch_for(Random& random, int rows) {
  switch (random.below(4)) {
    case 0:
      return "full";
    case 1:
      return {{"rows", 1}, {"shuffle", true}, {"seed", random.below(1000)}};
    default: {
      // Rarely a divisor of the rows: the last batch is a partial one.
      const std::uint64_t size = 1 + random.below(static_cast<std::uint64_t>(rows));
      return {{"rows", size}, {"shuffle", random.below(4) != 0}, {"seed", random.below(1000)}};
    }
  }
}

// Each kind in turn, so that every one meets every loss and dtype; decay and schedule are drawn.
json optimizer_for(Random& random, std::uint64_t seed) {
  const std::vector<const char*> kinds = {"sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam", "adamw"};
  json optimizer = {{"kind", kinds[seed % kinds.size()]}, {"learning_rate", seed % kinds.size() < 3 ? 0.02 : 0.01}};
  if (random.below(2) == 0) {
    optimizer["weight_decay"] = 0.05;
    optimizer["decoupled_weight_decay"] = optimizer["kind"] == "adamw" || random.below(2) == 0;
  }
  switch (random.below(4)) {
    case 0:
      optimizer["schedule"] = {{"kind", "cosine"}, {"warm_up", 2}, {"steps", 9}, {"final_rate", 0.001}};
      break;
    case 1:
      optimizer["schedule"] = {{"kind", "step"}, {"every", 2}, {"steps", 8}, {"factor", 0.5}};
      break;
    default:
      break;
  }
  return optimizer;
}

// Accumulation in up to four parts, where the batch has the rows.
void split_batch(Random& random, json& scenario) {
  json& batch = scenario["batch"];
  const std::uint64_t rows =
      batch == "full" ? scenario["data"]["rows"].get<std::uint64_t>() : batch["rows"].get<std::uint64_t>();
  const std::uint64_t parts = 1 + random.below(std::min<std::uint64_t>(4, rows));
  if (parts == 1) return;
  if (batch == "full") batch = {{"rows", "full"}};
  batch["micro_batches"] = parts;
}

json layers_for(Random& random, int outputs) {
  json layers = json::array();
  const std::uint64_t count = 1 + random.below(4);
  for (std::uint64_t i = 0; i + 1 < count; ++i) {
    layers.push_back(
        {{"width", pick(random, kWidths)}, {"activation", pick(random, kActivations)}, {"bias", random.below(3) != 0}});
  }
  layers.push_back({{"width", outputs}, {"activation", "identity"}, {"bias", random.below(3) != 0}});
  return layers;
}

json frame(Random& random, std::uint64_t seed, const char* loss, const char* data_kind, int outputs) {
  const int rows = pick(random, kRows);
  return {{"name", "case-" + std::to_string(seed)},
          {"loss", loss},
          {"dtype", seed / kLosses.size() % 2 == 0 ? "f32" : "f64"},
          {"data",
           {{"source", "synthetic"},
            {"kind", data_kind},
            {"rows", rows},
            {"features", pick(random, kWidths)},
            {"outputs", outputs},
            {"noise", 0.3},
            {"seed", seed + 1}}},
          {"batch", batch_for(random, rows)},
          {"optimizer", optimizer_for(random, seed)},
          {"steps", 10},
          {"initial_seed", seed + 1}};
}

json linear_regression(std::uint64_t seed) {
  Random random(seed, 2);
  const int outputs = static_cast<int>(1 + random.below(3));
  json scenario = frame(random, seed, seed % 2 == 0 ? "mse" : "half_mse", "linear", outputs);
  scenario["model"] = {{"kind", "linear_regression"}, {"bias", random.below(2) == 0}};
  return scenario;
}

json random_training(std::uint64_t seed) {
  Random random(seed, 1);
  const char* loss = kLosses[seed % kLosses.size()];
  const bool classes = seed % kLosses.size() == 2;
  if (!classes && random.below(4) == 0) return linear_regression(seed);
  const int outputs = static_cast<int>(classes ? 2 + random.below(9) : 1 + random.below(4));
  json scenario = frame(random, seed, loss, classes ? "blobs" : "teacher", outputs);
  // Every class has a row at least.
  if (classes) scenario["data"]["rows"] = std::max(scenario["data"]["rows"].get<int>(), outputs);
  scenario["model"] = {{"kind", "multilayer_perceptron"}, {"layers", layers_for(random, outputs)}};
  return scenario;
}

}  // namespace

json random_scenario(std::uint64_t seed) {
  json scenario = random_training(seed);
  constexpr std::uint64_t kRound = 6;  // each loss with each dtype
  if (scenario["loss"] != "softmax_cross_entropy" && seed / kRound % 2 == 1) scenario["task"] = "gradients";
  Random random(seed, 3);
  if (!scenario.contains("task")) split_batch(random, scenario);
  return scenario;
}

json random_linear_regression(std::uint64_t seed) {
  json scenario = linear_regression(seed);
  scenario["optimizer"] = {{"kind", "sgd"}, {"learning_rate", 0.05}};
  return scenario;
}

json random_full_batch_regression(std::uint64_t seed) {
  json scenario = linear_regression(seed);
  scenario["batch"] = {{"rows", "full"}};
  return scenario;
}

}  // namespace gdbench::conformance
