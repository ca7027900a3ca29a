#include "harness/scenario/problem.h"

namespace gdbench::scenario {

using catalogue::LayerPart;

namespace {

std::string name_of(LayerPart part) {
  switch (part) {
    case LayerPart::weights:
      return "w";
    case LayerPart::bias:
      return "b";
    case LayerPart::scale:
      return "scale";
    case LayerPart::shift:
      return "shift";
  }
  return {};
}

// Of an update.
double operations_of_update(const Problem& problem) {
  const Optimizer& optimizer = problem.optimizer;
  const double per_entry =
      catalogue::operations_of(optimizer.kind, optimizer.weight_decay != 0, optimizer.decoupled_weight_decay);
  const auto layers = static_cast<std::int64_t>(problem.layers.size());
  double operations = 0;
  std::int64_t layer = -1;
  for (const ParameterShape& shape : parameter_shapes(problem)) {
    if (shape.part == LayerPart::weights) ++layer;
    operations += per_entry * static_cast<double>(shape.size());
    if (!catalogue::moves_as_matrix(optimizer.kind, layer, layers, shape.part)) continue;
    operations +=
        catalogue::orthogonalization_operations(static_cast<double>(shape.rows), static_cast<double>(shape.columns));
  }
  return operations;
}

}  // namespace

std::vector<ParameterShape> parameter_shapes(const Problem& problem) {
  std::vector<ParameterShape> shapes;
  for (std::size_t l = 0; l < problem.layers.size(); ++l) {
    const Layer& layer = problem.layers[l];
    catalogue::for_each_parameter(
        layer.inputs, layer.outputs, layer.bias, layer.normalization,
        [&](LayerPart part, std::int64_t rows, std::int64_t columns) {
          shapes.push_back({name_of(part) + std::to_string(l), rows, columns, part, layer.inputs});
        });
  }
  return shapes;
}

std::vector<ParameterShape> state_shapes(const Problem& problem) {
  std::vector<ParameterShape> shapes = parameter_shapes(problem);
  if (problem.task == Task::forward) shapes.push_back({"loss_sum", 1, 1});
  return shapes;
}

double operations_per_step(const Problem& problem) {
  const double update = operations_of_update(problem);
  double parameters = 0;
  for (const ParameterShape& shape : parameter_shapes(problem)) parameters += static_cast<double>(shape.size());
  if (problem.task == Task::update) return update;
  const auto batch = static_cast<double>(problem.batch_rows);
  if (problem.task == Task::floor) return 0;
  const bool forward = problem.task == Task::forward;
  const double sweeps = problem.task == Task::gradients ? static_cast<double>(problem.outputs()) : forward ? 0 : 1;
  const catalogue::LossRow& loss = catalogue::row_of(problem.loss.kind);
  double operations =
      batch * static_cast<double>(problem.outputs()) * (forward ? loss.operations : sweeps * loss.gradient_operations);
  for (std::size_t l = 0; l < problem.layers.size(); ++l) {
    const Layer& layer = problem.layers[l];
    const auto outputs = static_cast<double>(layer.outputs);
    const double weights = static_cast<double>(layer.inputs) * outputs;
    // Forward; in each sweep the gradient of W and, unless A_previous is X, of A_previous.
    operations += (1 + sweeps * (l == 0 ? 1 : 2)) * 2 * batch * weights;
    if (layer.bias) operations += (1 + sweeps) * batch * outputs;  // addition, column sum
    const catalogue::ActivationRow& activation = catalogue::row_of(layer.activation);
    operations += (activation.operations + sweeps * activation.gradient_operations) * batch * outputs;
    const catalogue::NormalizationRow& normalization = catalogue::row_of(layer.normalization);
    operations += (normalization.operations + sweeps * normalization.gradient_operations) * batch * outputs;
  }
  if (forward) return operations;
  operations += (sweeps - 1) * parameters;  // additions of the sweeps' gradients
  return operations + update;
}

}  // namespace gdbench::scenario
