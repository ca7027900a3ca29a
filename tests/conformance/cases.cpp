#include "tests/conformance/cases.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/abi/catalogue.h"
#include "harness/base/random.h"

namespace gdbench::conformance {

namespace {

using nlohmann::json;

// Below, at and above the lengths of vectors and blocks; one and primes among them.
const std::vector<int> kWidths = {1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 33, 64, 67, 130};
const std::vector<int> kRows = {2, 3, 5, 16, 29, 64, 101};
const auto kActivations = catalogue::all_of<catalogue::Activation>();
const std::vector<catalogue::Dtype> kDtypes = {catalogue::Dtype::f32, catalogue::Dtype::f64};
const auto kLosses = catalogue::all_of<catalogue::Loss>();
const auto kOptimizers = catalogue::all_of<catalogue::OptimizerKind>();

template <class T>
const T& pick(Random& random, const std::vector<T>& values) {
  return values[random.below(values.size())];
}

json batch_for(Random& random, int rows) {
  const std::uint64_t kind = random.below(4);
  if (kind == 0) return "full";
  // Rarely a divisor of the rows: the last batch is a partial one.
  const std::uint64_t size = kind == 1 ? 1 : 1 + random.below(static_cast<std::uint64_t>(rows));
  return {{"rows", size},
          {"shuffle", kind == 1 || random.below(4) != 0},
          {"seed", random.below(1000)},
          {"drop_last", kind == 2}};
}

// Each kind in turn, so that every one meets every loss and dtype; decay and schedule are drawn.
json optimizer_for(Random& random, std::uint64_t seed) {
  const catalogue::OptimizerRow& row = catalogue::row_of(kOptimizers[seed % kOptimizers.size()]);
  // Rules that divide by a root move every entry by about the rate.
  const bool has_epsilon = std::any_of(row.keys.begin(), row.keys.end(), [](const catalogue::OptimizerKey& key) {
    return &key.constant == &catalogue::kEpsilon;
  });
  json optimizer = {{"kind", row.name}, {"learning_rate", has_epsilon ? 0.01 : 0.02}};
  if (random.below(2) == 0) {
    optimizer["weight_decay"] = 0.05;
    optimizer["decoupled_weight_decay"] = row.always_decoupled || random.below(2) == 0;
  }
  if (row.other_place != catalogue::EpsilonPlace::outside && seed / kOptimizers.size() % 3 == 0) {
    optimizer["epsilon"] = 1e-3;  // one that its place shows
    optimizer["epsilon_place"] = name_of(row.other_place);
  }
  const std::uint64_t schedule = random.below(4);
  if (schedule == 0) {
    optimizer["schedule"] = {{"kind", "cosine"}, {"warm_up", 2}, {"steps", 9}, {"final_rate", 0.001}};
  } else if (schedule == 1) {
    optimizer["schedule"] = {{"kind", "step"}, {"every", 2}, {"steps", 8}, {"factor", 0.5}};
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

// A third of those that may be.
void normalize_layers(Random& random, json& layers) {
  for (json& layer : layers) {
    if (layer["width"] > 2 && random.below(3) == 0) layer["normalization"] = "layer";
  }
}

json layers_for(Random& random, int outputs, std::uint64_t fewest) {
  json layers = json::array();
  const std::uint64_t count = std::max(fewest, 1 + random.below(4));
  for (std::uint64_t i = 0; i + 1 < count; ++i) {
    layers.push_back({{"width", pick(random, kWidths)},
                      {"activation", name_of(pick(random, kActivations))},
                      {"bias", random.below(3) != 0}});
  }
  layers.push_back({{"width", outputs}, {"activation", "identity"}, {"bias", random.below(3) != 0}});
  return layers;
}

json frame(Random& random, std::uint64_t seed, catalogue::Loss loss, const char* data_kind, int outputs) {
  const int rows = pick(random, kRows);
  json scenario = {{"name", "case-" + std::to_string(seed)},
                   {"loss", name_of(loss)},
                   {"dtype", name_of(kDtypes[seed / kLosses.size() % kDtypes.size()])},
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
  if (loss == catalogue::Loss::huber) scenario["huber_delta"] = 0.3;
  return scenario;
}

bool is_muon(const json& scenario) { return scenario["optimizer"]["kind"] == name_of(catalogue::OptimizerKind::muon); }

// What has no matrices for muon, or another dtype than its.
void leave_to_adamw(json& scenario) {
  if (is_muon(scenario)) scenario["optimizer"]["kind"] = name_of(catalogue::OptimizerKind::adamw);
}

// What has no scale of the loss.
void leave_to_sgd(json& scenario) {
  if (scenario["dtype"] == name_of(catalogue::Dtype::f16) &&
      scenario["optimizer"]["kind"] == name_of(catalogue::OptimizerKind::schedule_free_sgd)) {
    scenario["optimizer"]["kind"] = name_of(catalogue::OptimizerKind::sgd);
  }
}

json linear_regression(std::uint64_t seed, catalogue::Loss loss) {
  Random random(seed, 2);
  const int outputs = static_cast<int>(1 + random.below(3));
  json scenario = frame(random, seed, loss, "linear", outputs);
  scenario["model"] = {{"kind", "linear_regression"}, {"bias", random.below(2) == 0}};
  leave_to_adamw(scenario);
  return scenario;
}

// Of the squared error, whose products can be computed once.
json squared_error_regression(std::uint64_t seed) {
  return linear_regression(seed, seed % 2 == 0 ? catalogue::Loss::mse : catalogue::Loss::half_mse);
}

json random_training(std::uint64_t seed) {
  Random random(seed, 1);
  const catalogue::Loss loss = kLosses[seed % kLosses.size()];
  const bool classes = takes_labels(loss);
  if (!classes && random.below(4) == 0) return linear_regression(seed, loss);
  const int outputs = static_cast<int>(classes ? 2 + random.below(9) : 1 + random.below(4));
  json scenario = frame(random, seed, loss, classes ? "blobs" : "teacher", outputs);
  // Every class has a row at least.
  if (classes) scenario["data"]["rows"] = std::max(scenario["data"]["rows"].get<int>(), outputs);
  constexpr std::uint64_t kFewestOfMuon = 3;
  const std::uint64_t fewest = is_muon(scenario) ? kFewestOfMuon : 1;
  scenario["model"] = {{"kind", "multilayer_perceptron"}, {"layers", layers_for(random, outputs, fewest)}};
  return scenario;
}

}  // namespace

json random_scenario(std::uint64_t seed) {
  json scenario = random_training(seed);
  const std::uint64_t round = kLosses.size() * kDtypes.size();  // each loss with each dtype
  const bool by_column = catalogue::row_of(kLosses[seed % kLosses.size()]).sums_over_columns;
  if (by_column && seed / round % 2 == 1) scenario["task"] = "gradients";
  Random random(seed, 3);
  if (scenario.contains("task")) return scenario;
  if (seed % 4 == 3) scenario["task"] = "forward";
  split_batch(random, scenario);
  if (scenario["model"].contains("layers")) normalize_layers(random, scenario["model"]["layers"]);
  return scenario;
}

json random_mixed_training(std::uint64_t seed, const std::string& dtype) {
  json scenario = random_training(seed);
  scenario["dtype"] = dtype;
  leave_to_adamw(scenario);
  leave_to_sgd(scenario);
  scenario["loss_scaling"] = {{"initial", std::int64_t{1} << seed % 24}, {"growth_interval", 1 + seed % 3}};
  Random random(seed, 3);
  split_batch(random, scenario);
  return scenario;
}

json random_linear_regression(std::uint64_t seed) {
  json scenario = squared_error_regression(seed);
  scenario["optimizer"] = {{"kind", "sgd"}, {"learning_rate", 0.05}};
  return scenario;
}

json random_full_batch_regression(std::uint64_t seed) {
  json scenario = squared_error_regression(seed);
  scenario["batch"] = {{"rows", "full"}};
  return scenario;
}

}  // namespace gdbench::conformance
