// The arithmetic of a scenario as typed data: what one training step is. Everything that runs or checks a step (the
// reference, the worker, the coordinator) reads these structs and nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/abi/catalogue.h"

namespace gdbench::scenario {

using catalogue::Activation;
using catalogue::Dtype;
using catalogue::Loss;
using catalogue::name_of;
using catalogue::Normalization;
using catalogue::Optimizer;
using catalogue::OptimizerKind;
using catalogue::size_of;
using catalogue::slot_count;
using catalogue::Task;

// A fully connected layer: A = activation(A_previous W + b), W is [inputs, outputs], b is [outputs]; see
// gdbench_normalization for what may stand between.
struct Layer {
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  Activation activation = Activation::identity;
  bool bias = true;
  Normalization normalization = Normalization::none;
};

struct Problem {
  Task task = Task::train;
  Dtype dtype = Dtype::f32;
  std::vector<Layer> layers;
  catalogue::LossFunction loss;
  std::int64_t rows = 0;           // of the training data
  std::int64_t batch_rows = 0;     // of one step; equal to rows for full-batch training
  std::int64_t micro_batches = 1;  // parts that a batch is processed in, their gradients accumulated
  bool drops_last_batch = false;   // of an epoch; true only where it would be smaller
  Optimizer optimizer;
  catalogue::LossScaling loss_scaling = {};  // of dtypes that have one
  // Products round their operands to TF32, 10 bits after the point; only with f32. Never a scenario's wish: what an
  // implementation says of itself, and the reference then does.
  bool tf32_products = false;
  // With a mixed dtype results of products and activations are rounded as operands are. Likewise.
  bool rounds_results = false;
  // With bf16. Likewise; its random numbers are the scenario's.
  catalogue::ParameterRounding parameter_rounding = catalogue::ParameterRounding::none;
  std::uint64_t rounding_seed = 0;
  // Subnormal operands and results count as zeros, which is within any tolerance.
  bool flushes_denormals = false;

  bool rounds_parameters() const { return parameter_rounding != catalogue::ParameterRounding::none; }
  // Columns of the targets, or classes; the task update has none.
  std::int64_t outputs() const { return task == Task::update ? 0 : layers.back().outputs; }
  std::int64_t steps_per_epoch() const {
    return drops_last_batch ? rows / batch_rows : (rows + batch_rows - 1) / batch_rows;
  }
};

// Shape of one parameter; names are w0 b0 w1 b1 ..., and scale0 shift0 of a normalised layer. All but weights have one
// row.
struct ParameterShape {
  std::string name;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  catalogue::LayerPart part = catalogue::LayerPart::weights;
  std::int64_t inputs = 0;  // of its layer
  std::int64_t size() const { return rows * columns; }
};

// For the task update each layer is a tensor of its own: w0 w1 ...
std::vector<ParameterShape> parameter_shapes(const Problem& problem);
// Of what a state has: the parameters and, of the task forward, the sum of losses behind them.
std::vector<ParameterShape> state_shapes(const Problem& problem);

// Floating-point operations of one step on a full batch, counted as the algorithm needs them: 2 m n k for a product,
// one per element for a bias and a column sum, and what the catalogue says of activations, normalisations, losses and
// update rules.
// The gradient with respect to X is not computed. The task gradients counts the forward pass once, a whole backward
// sweep per output (its zeros included), and the additions of the sweeps' gradients. The task forward counts the
// forward pass and the loss.
double operations_per_step(const Problem& problem);

// Parameters and optimizer slots at one moment, one row-major vector for each of state_shapes, in double (exact for f32
// cells).
struct State {
  std::int64_t step = 0;
  std::vector<std::vector<double>> parameters;
  std::vector<std::vector<double>> slots;  // [slot, parameter] flattened: slots[slot * parameters.size() + p]
  std::vector<double> loss_scaling =
      {};  // [3], as gdbench_state has it; says nothing where the dtype does not scale the loss
};

// How many of the steps before it were skipped; nothing where `loss_scaling` is empty.
inline std::optional<std::int64_t> skipped_steps(const std::vector<double>& loss_scaling) {
  if (loss_scaling.empty()) return std::nullopt;
  return static_cast<std::int64_t>(loss_scaling[2]);
}

}  // namespace gdbench::scenario
