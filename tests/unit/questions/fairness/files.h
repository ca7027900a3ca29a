// Descriptions for tests: one that says everything, changed by JSON merge patches (null removes a key).
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "harness/questions/fairness/description.h"
#include "tests/support/reports/temporary_folder.h"

namespace gdbench::fairness {

using nlohmann::json;

inline Result<Description> read_text(const std::string& text) {
  const tests::TemporaryFolder folder;
  tests::write_text(folder.file("x.json"), text);
  return read_description(folder.file("x.json"));
}

inline json whole_description() {
  return json::parse(R"({"name": "x", "loss": "mse", "loss_reduction": "mean", "batch": 32, "rows": 1024, "epochs": 10,
    "parameters_dtype": "f32", "data_dtype": "f32", "casts_per_step": 0,
    "optimizer": {"kind": "adam", "learning_rate": 0.01, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8,
                  "epsilon_place": "outside", "weight_decay": {"value": 0.1, "decoupled": false}},
    "initial": "same", "warm_up_steps": 5, "timed": [], "compiled": "function", "weights_shape": [10, 4],
    "target_shape": ["N", 4], "prediction_shape": ["N", 4], "normalisation": "none",
    "accumulation": {"steps": 2, "divides": true}, "update": "in_place", "shuffle": true, "threads": 1,
    "device": "cpu", "synchronises": true})");
}

// The same with plain gradient descent.
inline json plain_description() {
  json plain = whole_description();
  plain["optimizer"] = {{"kind", "sgd"}, {"learning_rate", 0.01}};
  return plain;
}

inline Description described(json base, const std::string& patch) {
  base.merge_patch(json::parse(patch));
  const Result<Description> description = read_text(base.dump());
  EXPECT_TRUE(description.ok()) << description.error().message;
  return description.ok() ? description.value() : Description{};
}

}  // namespace gdbench::fairness
