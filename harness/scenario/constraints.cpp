#include "harness/scenario/constraints.h"

#include <algorithm>
#include <cmath>
#include <functional>
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
  return Targets::either;
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

template <class Condition>
std::string losses_where(const Condition& holds) {
  std::vector<std::string> names;
  for (const catalogue::LossRow& row : catalogue::kLosses) {
    if (holds(row)) names.emplace_back(row.name);
  }
  return joined(names);
}

// What the optimizer computes with must neither vanish nor overflow in the arithmetic's type. A schedule may end at 0.
std::optional<Fault> find_optimizer_fault(const Scenario& scenario) {
  const auto fits = [&](double value) {
    return catalogue::with_element(scenario.dtype, [&](auto zero) {
      const auto narrow = static_cast<decltype(zero)>(value);
      return (std::isfinite(narrow) && narrow > 0) || value == 0;
    });
  };
  const auto outside = [&](const char* pointer) {
    const std::string dtype = name_of(scenario.dtype);
    return Fault{pointer, "a number outside the range of " + dtype, "a positive number that " + dtype + " can hold"};
  };
  const Optimizer& optimizer = scenario.optimizer;
  if (!std::all_of(optimizer.learning_rates.begin(), optimizer.learning_rates.end(), fits)) {
    return outside("/optimizer/learning_rate");
  }
  if (!fits(optimizer.epsilon)) return outside("/optimizer/epsilon");
  return std::nullopt;
}

// The task update takes tensors, gradients and whole batches; nothing else takes tensors or gradients.
std::optional<Fault> find_update_fault(const Scenario& scenario) {
  const bool update = scenario.task == Task::update;
  const bool tensors = std::holds_alternative<Tensors>(scenario.model);
  const auto* synthetic = std::get_if<SyntheticData>(&scenario.data);
  const bool gradients = synthetic != nullptr && synthetic->kind == SyntheticKind::gradients;
  if (tensors != update) {
    return Fault{"/model/kind",
                 std::string(tensors ? "tensors" : "a model") + " with the task " + in_quotes(name_of(scenario.task)),
                 update ? "tensors, whose given gradients are all that the task needs"
                        : "linear_regression or multilayer_perceptron, or the task update"};
  }
  if (gradients != update) {
    return Fault{
        "/data/kind",
        std::string(gradients ? "gradients" : "other data") + " with the task " + in_quotes(name_of(scenario.task)),
        update ? "synthetic data of the kind gradients" : "other data, or the task update"};
  }
  if (!update) return std::nullopt;
  if (scenario.loss.kind != Loss::mse)
    return Fault{"/loss", in_quotes(name_of(scenario.loss.kind)), "none for the task update"};
  if (scenario.batch.rows || scenario.batch.micro_batches > 1) {
    return Fault{"/batch", "batches for the task update", "\"full\", for there are no rows"};
  }
  if (scenario.standardise.features || scenario.standardise.targets) {
    return Fault{"/standardise", "true for the task update", "false"};
  }
  return std::nullopt;
}

std::optional<Fault> find_normalization_fault(const Scenario& scenario) {
  const auto* perceptron = std::get_if<MultilayerPerceptron>(&scenario.model);
  for (std::size_t l = 0; perceptron != nullptr && l < perceptron->layers.size(); ++l) {
    const PerceptronLayer& layer = perceptron->layers[l];
    if (layer.normalization == Normalization::none) continue;
    const auto refused = [&](const std::string& with, const std::string& expected) {
      return Fault{"/model/layers/" + std::to_string(l) + "/normalization",
                   in_quotes(name_of(layer.normalization)) + " with " + with, "\"none\", or " + expected};
    };
    // The sign of a difference, in place of two.
    constexpr std::int64_t kLeast = 3;
    if (layer.width < kLeast)
      return refused(plural(layer.width, "output"), "three outputs or more: of fewer nothing or a sign is left");
    if (catalogue::is_mixed(scenario.dtype))
      return refused("the dtype " + in_quotes(name_of(scenario.dtype)), "f32 or f64");
    if (scenario.task == Task::gradients)
      return refused("the task " + in_quotes(name_of(scenario.task)), "the task train");
  }
  return std::nullopt;
}

// Muon moves the weights of hidden layers as matrices: where there are none, it is AdamW under another name.
std::optional<Fault> find_muon_fault(const Scenario& scenario) {
  if (scenario.optimizer.kind != OptimizerKind::muon) return std::nullopt;
  const auto refused = [](const std::string& with, const std::string& expected) {
    return Fault{"/optimizer/kind", in_quotes("muon") + " with " + with, "another optimizer, or " + expected};
  };
  constexpr std::size_t kLeastLayers = 3;
  const auto* perceptron = std::get_if<MultilayerPerceptron>(&scenario.model);
  if (perceptron == nullptr || perceptron->layers.size() < kLeastLayers) {
    return refused("no weights between a first and a last layer", "a multilayer_perceptron of three layers or more");
  }
  if (catalogue::is_mixed(scenario.dtype))
    return refused("the dtype " + in_quotes(name_of(scenario.dtype)), "f32 or f64");
  return std::nullopt;
}

std::optional<Fault> find_schedule_free_fault(const Scenario& scenario) {
  if (scenario.optimizer.kind != OptimizerKind::schedule_free_sgd) return std::nullopt;
  if (scenario.optimizer.momentum == 0) {
    return Fault{"/optimizer/momentum", "0", "a number above 0: without it, the average is not known from a step"};
  }
  // Which steps are skipped would have to be among its state.
  if (!catalogue::scales_loss(scenario.dtype)) return std::nullopt;
  return Fault{"/dtype", in_quotes(name_of(scenario.dtype)) + " with the optimizer schedule_free_sgd", "another dtype"};
}

}  // namespace

std::optional<Fault> find_target_fault(const Scenario& scenario) {
  if (std::optional<Fault> fault = find_update_fault(scenario)) return fault;
  if (scenario.task == Task::forward && scenario.target) {
    return Fault{"/target", "one with the task \"forward\"",
                 "none: what does not train does not come nearer to a loss"};
  }
  if (catalogue::is_mixed(scenario.dtype) && scenario.task != Task::train && scenario.task != Task::floor) {
    return Fault{"/dtype", in_quotes(name_of(scenario.dtype)) + " with the task " + in_quotes(name_of(scenario.task)),
                 "f32 or f64, or the task train: a mixed dtype is about the products of a training step"};
  }
  const catalogue::LossRow& row = catalogue::row_of(scenario.loss.kind);
  const bool labels = takes_labels(scenario.loss);
  const auto has_labels = [](const catalogue::LossRow& other) { return takes_labels(other.value); };
  const Targets targets = targets_of(scenario.data);
  const std::string loss = in_quotes(name_of(scenario.loss.kind));
  if (labels && targets == Targets::values) {
    return Fault{"/loss", loss + " with data that have numeric targets",
                 losses_where(std::not_fn(has_labels)) + ", or data with labels"};
  }
  if (!labels && targets == Targets::labels) {
    return Fault{"/loss", loss + " with data that have labels",
                 losses_where(has_labels) + ", or data with numeric targets"};
  }
  if (!row.sums_over_columns && scenario.task == Task::gradients) {
    return Fault{"/task", in_quotes(name_of(scenario.task)) + " with the loss " + loss,
                 "train, or a loss that is a sum over output columns: " +
                     losses_where([](const catalogue::LossRow& other) { return other.sums_over_columns; })};
  }
  if (std::holds_alternative<StreamData>(scenario.data) && scenario.batch.rows && scenario.batch.shuffle) {
    return Fault{"/batch/shuffle", "true", "false (set batch.shuffle to false: a stream is read in order)"};
  }
  const std::vector<std::string>* columns = target_columns_of(scenario.data);
  if (labels && columns != nullptr && columns->size() != 1) {
    return Fault{"/data/targets", plural(static_cast<std::int64_t>(columns->size()), "column"),
                 std::string("one column of labels, which ") + row.name + " needs"};
  }
  if (row.targets != catalogue::Targets::numbers && scenario.standardise.targets) {
    return Fault{"/standardise/targets", labels ? "true with labels as targets" : "true with targets from 0 to 1",
                 "false"};
  }
  const auto* perceptron = std::get_if<MultilayerPerceptron>(&scenario.model);
  if (row.takes_logits && perceptron != nullptr && perceptron->layers.back().activation != Activation::identity) {
    const std::string last = std::to_string(perceptron->layers.size() - 1);
    return Fault{"/model/layers/" + last + "/activation", in_quotes(name_of(perceptron->layers.back().activation)),
                 std::string("identity, for ") + row.name + " takes logits"};
  }
  if (std::optional<Fault> fault = find_normalization_fault(scenario)) return fault;
  if (std::optional<Fault> fault = find_muon_fault(scenario)) return fault;
  if (std::optional<Fault> fault = find_schedule_free_fault(scenario)) return fault;
  return find_optimizer_fault(scenario);
}

std::optional<Fault> find_shape_fault(const Scenario& scenario, const DataShape& shape) {
  if (const auto* perceptron = std::get_if<MultilayerPerceptron>(&scenario.model)) {
    const std::int64_t width = perceptron->layers.back().width;
    if (width != shape.outputs) {
      const std::string last = std::to_string(perceptron->layers.size() - 1);
      return Fault{
          "/model/layers/" + last + "/width", std::to_string(width),
          std::to_string(shape.outputs) + ", for the data have " +
              (takes_labels(scenario.loss) ? plural(shape.outputs, "class", "es") : plural(shape.outputs, "target"))};
    }
  }
  if (scenario.batch.rows && *scenario.batch.rows > shape.rows) {
    return Fault{"/batch", std::to_string(*scenario.batch.rows),
                 "\"full\" or from 1 to " + std::to_string(shape.rows) + ", the data's rows"};
  }
  const std::int64_t batch_rows = scenario.batch.rows.value_or(shape.rows);
  if (scenario.batch.micro_batches > batch_rows) {
    return Fault{"/batch/micro_batches", std::to_string(scenario.batch.micro_batches),
                 "at most " + std::to_string(batch_rows) + ", the batch's rows"};
  }
  double parameters = 0;
  for (const Layer& layer : layers_of(scenario.model, shape)) {
    parameters += static_cast<double>(layer.inputs + 1) * static_cast<double>(layer.outputs);
  }
  if (parameters > static_cast<double>(kMaxParameters)) {
    return Fault{"/model", "more than " + std::to_string(kMaxParameters) + " parameters", "fewer"};
  }
  return std::nullopt;
}

std::vector<Layer> layers_of(const Model& model, const DataShape& shape) {
  std::vector<Layer> layers;
  if (const auto* tensors = std::get_if<Tensors>(&model)) {
    for (const TensorGroup& group : tensors->groups) {
      layers.insert(layers.end(), static_cast<std::size_t>(group.count),
                    {group.rows, group.columns, Activation::identity, false});
    }
    return layers;
  }
  if (const auto* regression = std::get_if<LinearRegression>(&model)) {
    return {{shape.features, shape.outputs, Activation::identity, regression->bias}};
  }
  std::int64_t inputs = shape.features;
  for (const PerceptronLayer& layer : std::get<MultilayerPerceptron>(model).layers) {
    layers.push_back({inputs, layer.width, layer.activation, layer.bias, layer.normalization});
    inputs = layer.width;
  }
  return layers;
}

}  // namespace gdbench::scenario
