#include "harness/verify/rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gdbench::verify {

namespace {

using scenario::Loss;

template <class T>
double sum_of_squares(const std::vector<T>& values) {
  return gdbench::verify::sum_of_squares(values.data(), static_cast<std::int64_t>(values.size()));
}

double ratio(double numerator, double denominator) { return denominator > 0 ? numerator / denominator : 0.0; }

}  // namespace

double product_epsilon(const scenario::Problem& problem) {
  return problem.tf32_products ? 0x1p-10 : epsilon_of(problem.dtype);
}

template <class T>
double sum_of_squares(const T* values, std::int64_t count) {
  // Four sums side by side: a single one would wait for each addition.
  double sums[4] = {0, 0, 0, 0};
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (int lane = 0; lane < 4; ++lane) {
      const double value = static_cast<double>(values[i + lane]);
      sums[lane] += value * value;
    }
  }
  for (; i < count; ++i) sums[0] += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <class T>
RoundingModel<T>::RoundingModel(const scenario::Problem& problem, const std::vector<LayerView<T>>& layers)
    : problem_(problem), layers_(layers), squares_(layers.size()) {
  for (std::size_t index = 0; index < layers.size(); ++index) {
    const LayerView<T>& layer = layers[index];
    squares_[index].weights = verify::sum_of_squares(layer.weights, layer.inputs * layer.outputs);
    if (layer.bias != nullptr) squares_[index].bias = verify::sum_of_squares(layer.bias, layer.outputs);
  }
}

template <class T>
void RoundingModel<T>::add_forward(std::size_t index, const Chunk<T>& chunk) {
  if (index == 0) rows_ += static_cast<double>(chunk.rows);
  squares_[index].inputs += sum_of_squares(chunk.activations[index]);
  squares_[index].pre_activations += sum_of_squares(chunk.activations[index + 1]);
}

template <class T>
void RoundingModel<T>::add_backward(const Chunk<T>& chunk) {
  for (std::size_t index = 0; index < squares_.size(); ++index) {
    squares_[index].upstream += sum_of_squares(chunk.upstream[index]);
    squares_[index].deltas += sum_of_squares(chunk.deltas[index]);
  }
}

template <class T>
std::vector<double> RoundingModel<T>::activation_errors() const {
  std::vector<double> errors = {0.0};  // the data are exact
  for (std::size_t index = 0; index < layers_.size(); ++index) {
    const Squares& squares = squares_[index];
    const double width = static_cast<double>(layers_[index].inputs);
    const double inputs = std::sqrt(squares.inputs);
    const double weights = std::sqrt(squares.weights);
    const double pre_activations = std::sqrt(squares.pre_activations);
    const double own = inputs * weights + std::sqrt(width) * pre_activations + std::sqrt(rows_ * squares.bias);
    const double gain = std::max(ratio(pre_activations, inputs), weights / std::sqrt(width));
    // An activation's own evaluation costs about an ulp of a value that is at most |Z| or 1.
    const double steepest = catalogue::row_of(layers_[index].activation).steepest;
    errors.push_back(steepest * (own + gain * errors.back()) + pre_activations);
  }
  return errors;
}

template <class T>
double RoundingModel<T>::output_gradient_error(double output_error) const {
  const double entries = rows_ * static_cast<double>(problem_.outputs());
  const double gradient = std::sqrt(squares_.back().upstream);
  switch (problem_.loss.kind) {
    case Loss::mse:
      return 2 / entries * output_error + 2 * gradient;
    case Loss::half_mse:
    case Loss::huber:  // whose slope is that of half_mse, or 0
      return 1 / entries * output_error + 2 * gradient;
    case Loss::softmax_cross_entropy:
      // A row's softmax has norm at most 1 and slope at most 1/2.
      return (output_error + 2 * std::sqrt(rows_)) / rows_ + 2 * gradient;
    case Loss::binary_cross_entropy:
      // A sigmoid is at most 1, its slope at most 1/4.
      return (output_error / 4 + 2 * std::sqrt(entries)) / entries + 2 * gradient;
  }
  return 0;
}

template <class T>
double RoundingModel<T>::loss_error(double loss) const {
  const double output_error = activation_errors().back();
  const double entries = rows_ * static_cast<double>(problem_.outputs());
  // By Cauchy-Schwarz, with |P - Y| read off the loss, or what rounding leaves of it at a perfect fit; the sum over
  // rows has terms of one sign.
  // Of huber, too: the square of its slope is at most twice the loss.
  const double factor = problem_.loss.kind == Loss::mse ? 1.0 : 0.5;
  const double left = product_epsilon(problem_) * output_error;
  const double distance = std::sqrt(loss / factor * entries + left * left);
  switch (problem_.loss.kind) {
    case Loss::mse:
    case Loss::half_mse:
    case Loss::huber:
      return factor * 2 * distance / entries * output_error + std::sqrt(entries) * loss;
    case Loss::softmax_cross_entropy:
      return 2 / std::sqrt(rows_) * output_error + std::sqrt(rows_) * loss + 4;
    case Loss::binary_cross_entropy:
      // An entry's term has slopes of at most 1.
      return output_error / std::sqrt(entries) + std::sqrt(entries) * loss + 4;
  }
  return 0;
}

template <class T>
std::vector<double> RoundingModel<T>::gradient_errors(const std::vector<std::vector<T>>& gradients) const {
  const std::vector<double> activation_error = activation_errors();
  std::vector<double> result(gradients.size());
  double upstream_error = output_gradient_error(activation_error.back());
  for (std::size_t index = layers_.size(); index-- > 0;) {
    const LayerView<T>& layer = layers_[index];
    const Squares& squares = squares_[index];
    const double outputs = static_cast<double>(layer.outputs);
    const double inputs_norm = std::sqrt(squares.inputs);
    const double upstream = std::sqrt(squares.upstream);
    const double deltas = std::sqrt(squares.deltas);
    const bool varies = catalogue::row_of(layer.activation).slope == catalogue::Slope::varies;
    // Through dL/dZ = dL/dA * f': f' is off by its own evaluation and by the error of what it is told from, A or Z, of
    // which that of Z is the smaller one.
    const double slope_error = varies ? 2 + activation_error[index + 1] / std::sqrt(rows_ * outputs) : 0.0;
    const double steepest = catalogue::row_of(layer.activation).steepest;
    const double delta_error = steepest * upstream_error + upstream * slope_error;

    const double weights_gradient = std::sqrt(sum_of_squares(gradients[layer.weights_index]));
    result[layer.weights_index] =
        inputs_norm * deltas + std::sqrt(rows_) * weights_gradient +
        std::max(inputs_norm / std::sqrt(rows_), ratio(weights_gradient, deltas)) * delta_error +
        activation_error[index] * deltas / std::sqrt(rows_);
    if (layer.bias != nullptr) {
      const double bias_gradient = std::sqrt(sum_of_squares(gradients[layer.bias_index]));
      result[layer.bias_index] =
          std::sqrt(rows_) * (deltas + bias_gradient) + std::max(1.0, ratio(bias_gradient, deltas)) * delta_error;
    }
    if (index == 0) break;

    const double below = std::sqrt(squares_[index - 1].upstream);
    const double weights = std::sqrt(squares.weights);
    upstream_error = deltas * weights + std::sqrt(outputs) * below +
                     std::max(ratio(below, deltas), weights / std::sqrt(outputs)) * delta_error;
  }
  return result;
}

#define GDBENCH_INSTANTIATE(T)     \
  template class RoundingModel<T>; \
  template double sum_of_squares(const T*, std::int64_t);

GDBENCH_INSTANTIATE(float)
GDBENCH_INSTANTIATE(double)
GDBENCH_INSTANTIATE(long double)
#undef GDBENCH_INSTANTIATE

}  // namespace gdbench::verify
