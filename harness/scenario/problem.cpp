#include "harness/scenario/problem.h"

namespace gdbench::scenario {

std::vector<ParameterShape> parameter_shapes(const Problem& problem) {
  std::vector<ParameterShape> shapes;
  for (std::size_t l = 0; l < problem.layers.size(); ++l) {
    const Layer& layer = problem.layers[l];
    const std::string number = std::to_string(l);
    shapes.push_back({"w" + number, layer.inputs, layer.outputs});
    if (layer.bias) shapes.push_back({"b" + number, 1, layer.outputs});
  }
  return shapes;
}

double operations_per_step(const Problem& problem) {
  const Optimizer& optimizer = problem.optimizer;
  const double update =
      catalogue::operations_of(optimizer.kind, optimizer.weight_decay != 0, optimizer.decoupled_weight_decay);
  if (problem.task == Task::update) {
    double entries = 0;
    for (const ParameterShape& shape : parameter_shapes(problem)) entries += static_cast<double>(shape.size());
    return update * entries;
  }
  const auto batch = static_cast<double>(problem.batch_rows);
  if (problem.task == Task::floor) return 0;
  const double sweeps = problem.task == Task::gradients ? static_cast<double>(problem.outputs()) : 1;
  double operations = sweeps * batch * static_cast<double>(problem.outputs()) *
                      catalogue::row_of(problem.loss.kind).gradient_operations;
  for (std::size_t l = 0; l < problem.layers.size(); ++l) {
    const Layer& layer = problem.layers[l];
    const auto outputs = static_cast<double>(layer.outputs);
    const double weights = static_cast<double>(layer.inputs) * outputs;
    const double parameters = weights + (layer.bias ? outputs : 0);
    // Forward; in each sweep the gradient of W and, unless A_previous is X, of A_previous.
    operations += (1 + sweeps * (l == 0 ? 1 : 2)) * 2 * batch * weights;
    if (layer.bias) operations += (1 + sweeps) * batch * outputs;  // addition, column sum
    const catalogue::ActivationRow& activation = catalogue::row_of(layer.activation);
    operations += (activation.operations + sweeps * activation.gradient_operations) * batch * outputs;
    operations += (sweeps - 1) * parameters;  // additions of the sweeps' gradients
    operations += update * parameters;
  }
  return operations;
}

}  // namespace gdbench::scenario
