#include "harness/scenario/problem.h"

namespace gdbench::scenario {

const char* name_of(Task task) {
  switch (task) {
    case Task::train:
      return "train";
    case Task::update:
      return "update";
    case Task::gradients:
      return "gradients";
    case Task::floor:
      return "floor";
  }
  return "?";
}

const char* name_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f32:
      return "f32";
    case Dtype::f64:
      return "f64";
  }
  return "?";
}

const char* name_of(Activation activation) {
  switch (activation) {
    case Activation::identity:
      return "identity";
    case Activation::relu:
      return "relu";
    case Activation::tanh:
      return "tanh";
    case Activation::sigmoid:
      return "sigmoid";
  }
  return "?";
}

const char* name_of(Loss loss) {
  switch (loss) {
    case Loss::mse:
      return "mse";
    case Loss::half_mse:
      return "half_mse";
    case Loss::softmax_cross_entropy:
      return "softmax_cross_entropy";
  }
  return "?";
}

const char* name_of(OptimizerKind kind) {
  switch (kind) {
    case OptimizerKind::sgd:
      return "sgd";
    case OptimizerKind::momentum:
      return "momentum";
    case OptimizerKind::nesterov:
      return "nesterov";
    case OptimizerKind::adagrad:
      return "adagrad";
    case OptimizerKind::rmsprop:
      return "rmsprop";
    case OptimizerKind::adam:
      return "adam";
    case OptimizerKind::adamw:
      return "adamw";
  }
  return "?";
}

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

int slot_count(OptimizerKind kind) {
  switch (kind) {
    case OptimizerKind::sgd:
      return 0;
    case OptimizerKind::momentum:
    case OptimizerKind::nesterov:
    case OptimizerKind::adagrad:
    case OptimizerKind::rmsprop:
      return 1;
    case OptimizerKind::adam:
    case OptimizerKind::adamw:
      return 2;
  }
  return 0;
}

namespace {

// Operations per entry of a parameter.
double update_operations(const Optimizer& optimizer) {
  const double decay = optimizer.weight_decay == 0 ? 0 : (optimizer.decoupled_weight_decay ? 1 : 2);
  switch (optimizer.kind) {
    case OptimizerKind::sgd:
      return decay + 2;
    case OptimizerKind::momentum:
      return decay + 4;
    case OptimizerKind::nesterov:
      return decay + 6;
    case OptimizerKind::adagrad:
      return decay + 7;  // 2 for the sum of squares; root, addition, division, product, subtraction
    case OptimizerKind::rmsprop:
      return decay + 9;  // 4 for the mean of squares
    case OptimizerKind::adam:
    case OptimizerKind::adamw:
      return decay + 14;  // 3 and 4 for the moments, 2 for their corrections
  }
  return 0;
}

}  // namespace

double operations_per_step(const Problem& problem) {
  const double update = update_operations(problem.optimizer);
  if (problem.task == Task::update) {
    double entries = 0;
    for (const ParameterShape& shape : parameter_shapes(problem)) entries += static_cast<double>(shape.size());
    return update * entries;
  }
  const auto batch = static_cast<double>(problem.batch_rows);
  if (problem.task == Task::floor) return 0;
  const double sweeps = problem.task == Task::gradients ? static_cast<double>(problem.outputs()) : 1;
  double operations = sweeps * batch * static_cast<double>(problem.outputs());  // gradient of the loss
  for (std::size_t l = 0; l < problem.layers.size(); ++l) {
    const Layer& layer = problem.layers[l];
    const auto outputs = static_cast<double>(layer.outputs);
    const double weights = static_cast<double>(layer.inputs) * outputs;
    const double parameters = weights + (layer.bias ? outputs : 0);
    // Forward; in each sweep the gradient of W and, unless A_previous is X, of A_previous.
    operations += (1 + sweeps * (l == 0 ? 1 : 2)) * 2 * batch * weights;
    if (layer.bias) operations += (1 + sweeps) * batch * outputs;                                // addition, column sum
    if (layer.activation != Activation::identity) operations += (1 + sweeps) * batch * outputs;  // function, derivative
    operations += (sweeps - 1) * parameters;  // additions of the sweeps' gradients
    operations += update * parameters;
  }
  return operations;
}

}  // namespace gdbench::scenario
