#include "harness/scenario/constraints.h"

#include <cmath>
#include <utility>

#include "harness/base/text.h"

namespace gdbench::scenario {

namespace {

// What the data source offers as targets.
enum class Targets { values, labels, either };

Targets targets_of(const Data& data) {
  if (const auto* synthetic = std::get_if<SyntheticData>(&data)) {
    return synthetic->kind == SyntheticKind::blobs ? Targets::labels : Targets::values;
  }
  return std::holds_alternative<IdxData>(data) ? Targets::labels : Targets::either;
}

// Null where the source does not name them.
const std::vector<std::string>* target_columns_of(const Data& data) {
  if (const auto* csv = std::get_if<CsvData>(&data)) return &csv->targets;
  if (const auto* stream = std::get_if<StreamData>(&data)) return &stream->targets;
  return nullptr;
}

std::string plural(std::int64_t count, const std::string& noun, const std::string& ending = "s") {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : ending);
}

// The rate in the arithmetic's own type must neither vanish nor overflow.
std::optional<Fault> find_rate_fault(const Scenario& scenario) {
  for (const double rate : scenario.optimizer.learning_rates) {
    const auto narrow = static_cast<float>(rate);
    if (scenario.dtype == Dtype::f64 || (std::isfinite(narrow) && narrow > 0)) continue;
    return Fault{"/optimizer/learning_rate", "a number outside the range of f32",
                 "a positive number that f32 can hold"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Fault> find_target_fault(const Scenario& scenario) {
  const bool softmax = scenario.loss == Loss::softmax_cross_entropy;
  const Targets targets = targets_of(scenario.data);
  const std::string loss = in_quotes(name_of(scenario.loss));
  if (softmax && targets == Targets::values) {
    return Fault{"/loss", loss + " with data that have numeric targets", "mse or half_mse, or data with labels"};
  }
  if (!softmax && targets == Targets::labels) {
    return Fault{"/loss", loss + " with data that have labels", "softmax_cross_entropy, or data with numeric targets"};
  }
  if (softmax && scenario.task == Task::gradients) {
    return Fault{"/task", in_quotes(name_of(scenario.task)) + " with the loss " + loss,
                 "train, or mse or half_mse, which are sums over output columns"};
  }
  if (std::holds_alternative<StreamData>(scenario.data) && scenario.batch.rows && scenario.batch.shuffle) {
    return Fault{"/batch/shuffle", "true", "false (set batch.shuffle to false: a stream is read in order)"};
  }
  const std::vector<std::string>* columns = target_columns_of(scenario.data);
  if (softmax && columns != nullptr && columns->size() != 1) {
    return Fault{"/data/targets", plural(static_cast<std::int64_t>(columns->size()), "column"),
                 "one column of labels, which softmax_cross_entropy needs"};
  }
  if (softmax && scenario.standardise.targets) {
    return Fault{"/standardise/targets", "true with labels as targets", "false"};
  }
  const auto* perceptron = std::get_if<MultilayerPerceptron>(&scenario.model);
  if (softmax && perceptron != nullptr && perceptron->layers.back().activation != Activation::identity) {
    const std::string last = std::to_string(perceptron->layers.size() - 1);
    return Fault{"/model/layers/" + last + "/activation", in_quotes(name_of(perceptron->layers.back().activation)),
                 "identity, for softmax_cross_entropy takes logits"};
  }
  return find_rate_fault(scenario);
}

std::optional<Fault> find_shape_fault(const Scenario& scenario, const DataShape& shape) {
  const bool softmax = scenario.loss == Loss::softmax_cross_entropy;
  if (const auto* perceptron = std::get_if<MultilayerPerceptron>(&scenario.model)) {
    const std::int64_t width = perceptron->layers.back().width;
    if (width != shape.outputs) {
      const std::string last = std::to_string(perceptron->layers.size() - 1);
      return Fault{"/model/layers/" + last + "/width", std::to_string(width),
                   std::to_string(shape.outputs) + ", for the data have " +
                       (softmax ? plural(shape.outputs, "class", "es") : plural(shape.outputs, "target"))};
    }
  }
  if (scenario.batch.rows && *scenario.batch.rows > shape.rows) {
    return Fault{"/batch", std::to_string(*scenario.batch.rows),
                 "\"full\" or from 1 to " + std::to_string(shape.rows) + ", the data's rows"};
  }
  double parameters = 0;
  for (const Layer& layer : layers_of(scenario.model, shape)) {
    parameters += static_cast<double>(layer.inputs + 1) * static_cast<double>(layer.outputs);
  }
  if (parameters > static_cast<double>(kMostParameters)) {
    return Fault{"/model", "more than " + std::to_string(kMostParameters) + " parameters", "fewer"};
  }
  return std::nullopt;
}

std::vector<Layer> layers_of(const Model& model, const DataShape& shape) {
  if (const auto* regression = std::get_if<LinearRegression>(&model)) {
    return {{shape.features, shape.outputs, Activation::identity, regression->bias}};
  }
  std::vector<Layer> layers;
  std::int64_t inputs = shape.features;
  for (const PerceptronLayer& layer : std::get<MultilayerPerceptron>(model).layers) {
    layers.push_back({inputs, layer.width, layer.activation, layer.bias});
    inputs = layer.width;
  }
  return layers;
}

}  // namespace gdbench::scenario
