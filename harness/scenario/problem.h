// The arithmetic of a scenario as typed data: what one training step is. Everything that runs or checks a step (the
// reference, the worker, the coordinator) reads these structs and nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gdbench::scenario {

enum class Task { train, update, gradients, floor };  // gdbench_task says what each one is
enum class Dtype { f32, f64 };
enum class Activation { identity, relu, tanh, sigmoid };
enum class Loss { mse, half_mse, softmax_cross_entropy };
enum class OptimizerKind { sgd, momentum, nesterov, adagrad, rmsprop, adam, adamw };

// The names used in scenario files, reports and messages: "train", "f32", "relu", "half_mse", "sgd" ...
const char* name_of(Task task);
const char* name_of(Dtype dtype);
const char* name_of(Activation activation);
const char* name_of(Loss loss);
const char* name_of(OptimizerKind kind);

// Bytes of one element.
constexpr std::size_t size_of(Dtype dtype) { return dtype == Dtype::f32 ? 4 : 8; }

// A fully connected layer: A = activation(A_previous W + b), W is [inputs, outputs], b is [outputs].
struct Layer {
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  Activation activation = Activation::identity;
  bool bias = true;
};

// Each kind reads its own; the update rules are those of gdbench_optimizer_kind in plugin.h.
struct Optimizer {
  OptimizerKind kind = OptimizerKind::sgd;
  std::vector<double> learning_rates = {0.01};  // of step t: entry t, later the last one
  double momentum = 0.9;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double rho = 0.99;
  double epsilon = 1e-8;
  double weight_decay = 0;
  bool decoupled_weight_decay = false;  // always so for adamw
};

struct Problem {
  Task task = Task::train;
  Dtype dtype = Dtype::f32;
  std::vector<Layer> layers;
  Loss loss = Loss::mse;
  std::int64_t rows = 0;           // of the training data
  std::int64_t batch_rows = 0;     // of one step; equal to rows for full-batch training
  std::int64_t micro_batches = 1;  // parts that a batch is processed in, their gradients accumulated
  Optimizer optimizer;
  // Products round their operands to TF32, 10 bits after the point; only with f32. Never a scenario's wish: what an
  // implementation says of itself, and the reference then does.
  bool tf32_products = false;

  // Columns of the targets, or classes; the task update has none.
  std::int64_t outputs() const { return task == Task::update ? 0 : layers.back().outputs; }
  std::int64_t steps_per_epoch() const { return (rows + batch_rows - 1) / batch_rows; }
};

// Shape of one parameter; names are w0 b0 w1 b1 ... A bias has one row.
struct ParameterShape {
  std::string name;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t size() const { return rows * columns; }
};

// For the task update each layer is a tensor of its own: w0 w1 ...
std::vector<ParameterShape> parameter_shapes(const Problem& problem);

// Optimizer state tensors per parameter: 0 for sgd, 1 for momentum, 2 for adam ...
int slot_count(OptimizerKind kind);

// Floating-point operations of one step on a full batch, counted as the algorithm needs them: 2 m n k for a product,
// one per element for a bias, an activation and its derivative, a loss gradient, a column sum; for the update what its
// rule says, a square root and a division being one each.
// The gradient with respect to X is not computed. The task gradients counts the forward pass once, a whole backward
// sweep per output (its zeros included), and the additions of the sweeps' gradients.
double operations_per_step(const Problem& problem);

// Parameters and optimizer slots at one moment, one row-major vector per parameter, in double (exact for f32 cells).
struct State {
  std::int64_t step = 0;
  std::vector<std::vector<double>> parameters;
  std::vector<std::vector<double>> slots;  // [slot, parameter] flattened: slots[slot * parameters.size() + p]
};

}  // namespace gdbench::scenario
