// What a report's figures and sentences rest on of a resolved scenario, with the catalogue's types. What the report
// does not say, as older ones do not, has the value here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/report/named.h"

namespace gdbench::report {

using catalogue::Activation;
using catalogue::Dtype;
using catalogue::Loss;
using catalogue::ModelKind;
using catalogue::OptimizerKind;
using catalogue::Task;

struct LayerRecord {
  std::int64_t width = 0;
  Activation activation = Activation::identity;
  bool bias = true;
  catalogue::Normalization normalization = catalogue::Normalization::none;
};

// `count` parameters of one shape.
struct TensorsRecord {
  std::int64_t rows = 0;
  std::int64_t columns = 1;
  std::int64_t count = 1;
};

struct ResolvedScenario {
  // The whole scenario as JSON text: for comparing it key by key, and for writing the report again.
  std::string text = "{}";

  Task task = Task::train;
  std::optional<Dtype> dtype;
  std::optional<Loss> loss;
  std::optional<ModelKind> model;
  bool bias = true;                    // of a linear regression
  std::vector<LayerRecord> layers;     // of a perceptron
  std::vector<TensorsRecord> tensors;  // without a model
  std::optional<double> density;       // of the features, absent where none is 0 on purpose
  std::int64_t micro_batches = 1;
  bool drop_last = false;
  std::optional<OptimizerKind> optimizer;
  double learning_rate = 0;
  double weight_decay = 0;
  bool decoupled_weight_decay = false;
  std::string schedule;
  std::optional<std::int64_t> schedule_steps;  // absent for a constant rate
  std::int64_t warm_up = 0;
  std::optional<std::int64_t> evaluate_every;  // of a training to a target, as the next one
  std::optional<std::int64_t> max_steps;

  std::string dtype_name() const { return dtype ? name_of(*dtype) : ""; }
};

// Errors: `origin`, which names the file in messages, the place, what was found and what was expected.
Result<ResolvedScenario> resolved_scenario(const Json& json, const std::string& origin);

}  // namespace gdbench::report
