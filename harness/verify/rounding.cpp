#include "harness/verify/rounding.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/verify/products.h"

namespace gdbench::verify {

namespace {

using scenario::Loss;

template <class T>
double square(T value) {
  return static_cast<double>(value) * static_cast<double>(value);
}

double ratio(double numerator, double denominator) { return denominator > 0 ? numerator / denominator : 0.0; }

// The estimates of what a tensor is off by, spread evenly over its entries, are some tens of times the typical entry's
// error; they exclude the effect of numbers near a middle, which concerns some rows more than others.
constexpr double kTypicalShare = 0.05;
constexpr double kUnevenness = 0.1;

// Of numbers that are off by `error`, once they are rounded to the operands of a mixed dtype.
RoundingError narrowed_error(RoundingError error, double count, const Middles& middles) {
  const double typical = (kTypicalShare * error.own + kUnevenness * error.narrowed) / std::sqrt(count);
  return {error.own, std::hypot(error.narrowed, middles.undecided(typical))};
}

std::size_t size_of(std::int64_t value) { return static_cast<std::size_t>(value); }

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
RoundingModel<T>::RoundingModel(const scenario::Problem& problem, const std::vector<LayerView<T>>& layers,
                                const std::vector<RoundingError>& parameter_errors)
    : problem_(problem),
      layers_(layers),
      parameter_errors_(parameter_errors),
      epsilon_(product_epsilon(problem)),
      loss_scale_(static_cast<double>(layers.front().loss_scale)),
      squares_(layers.size()) {
  if (catalogue::is_mixed(problem.dtype)) rounded_.resize(layers.size());
  if (problem.rounds_results) {
    for (const LayerView<T>& layer : layers) narrow_sums_.emplace_back(size_of(layer.outputs), T(0));
  }
  for (std::size_t index = 0; index < layers.size(); ++index) {
    const LayerView<T>& layer = layers[index];
    const std::int64_t size = layer.inputs * layer.outputs;
    squares_[index].weights = sum_of_squares(layer.weights, size);
    if (layer.bias != nullptr) squares_[index].bias = sum_of_squares(layer.bias, layer.outputs);
    if (layer.scale != nullptr) squares_[index].scale = sum_of_squares(layer.scale, layer.outputs);
    if (!rounded_.empty()) rounded_[index].weights.add(layer.weights, size, layer.operands);
  }
}

template <class T>
void RoundingModel<T>::add_forward(std::size_t index, const Chunk<T>& chunk) {
  if (index == 0) rows_ += static_cast<double>(chunk.rows);
  squares_[index].inputs += sum_of_squares(chunk.activations[index]);
  squares_[index].pre_activations += sum_of_squares(chunk.activations[index + 1]);
  if (layers_[index].scale != nullptr) {
    const Normalized<T>& normalized = chunk.normalized[index];
    const auto width = size_of(layers_[index].outputs);
    squares_[index].sums += sum_of_squares(normalized.sums);
    squares_[index].normalized += sum_of_squares(normalized.values);
    squares_[index].factors += sum_of_squares(normalized.factors);
    for (std::size_t i = 0; i < normalized.values.size(); ++i) {
      squares_[index].scaled += square(layers_[index].scale[i % width] * normalized.values[i]);
      squares_[index].magnified += square(normalized.factors[i / width] * normalized.sums[i]);
    }
  } else {
    squares_[index].sums = squares_[index].pre_activations;
  }
  if (rounded_.empty() || index == 0) return;
  rounded_[index - 1].activations.add(chunk.wide_activations[index - 1], layers_[index].operands);
}

template <class T>
void RoundingModel<T>::add_backward(const Chunk<T>& chunk) {
  for (std::size_t index = 0; index < squares_.size(); ++index) {
    squares_[index].upstream += sum_of_squares(chunk.upstream[index]);
    squares_[index].deltas += sum_of_squares(chunk.deltas[index]);
    const T* const scale = layers_[index].scale;
    for (std::size_t i = 0; scale != nullptr && i < chunk.deltas[index].size(); ++i) {
      const Normalized<T>& normalized = chunk.normalized[index];
      const auto width = size_of(layers_[index].outputs);
      squares_[index].outer_deltas += square(normalized.deltas[i]);
      squares_[index].scale_terms += square(normalized.deltas[i] * normalized.values[i]);
      const T magnified = normalized.factors[i / width] * normalized.deltas[i] * scale[i % width];
      squares_[index].magnified_deltas += square(magnified);
      squares_[index].twice_magnified_deltas += square(normalized.factors[i / width] * magnified);
    }
    if (!rounded_.empty()) rounded_[index].deltas.add(chunk.wide_deltas[index], layers_[index].operands, loss_scale_);
    if (narrow_sums_.empty() || layers_[index].bias == nullptr) continue;
    std::vector<T>& sums = narrow_sums_[index];
    for (std::size_t i = 0; i < chunk.deltas[index].size(); ++i) {
      T& sum = sums[i % sums.size()];
      sum = narrowed(sum + chunk.deltas[index][i] * layers_[index].loss_scale, layers_[index].operands);
    }
  }
}

// A normal number is rounded by at most 2^-bits of its value, a subnormal one by that of the least normal one.
template <class T>
RoundingError RoundingModel<T>::result_error(double norm, double count, double scale) const {
  if (!problem_.rounds_results) return {};
  const NumberFormat& format = layers_.front().operands;
  const double least = std::sqrt(count) * std::ldexp(1.0, format.least_exponent) / scale;
  return {0, std::ldexp(std::hypot(norm, least), -format.bits)};
}

template <class T>
RoundingError RoundingModel<T>::narrow_sum_error(std::size_t index, const std::vector<T>& gradient) const {
  if (narrow_sums_.empty()) return {};
  // Twice as much (kFloor of the reference trajectory) must leave a bias that stays put beyond the tolerance.
  constexpr double kMostOfGradient = 0.25;
  double sum = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const double difference =
        static_cast<double>(narrow_sums_[index][i]) / loss_scale_ - static_cast<double>(gradient[i]);
    sum += difference * difference;
  }
  return {0, std::min(kMostOfGradient * std::sqrt(sum_of_squares(gradient)), std::sqrt(sum))};
}

template <class T>
RoundingError RoundingModel<T>::weights_error(std::size_t index) const {
  const LayerView<T>& layer = layers_[index];
  const RoundingError error = parameter_errors_[layer.weights_index];
  if (rounded_.empty()) return error;
  return narrowed_error(error, static_cast<double>(layer.inputs * layer.outputs), rounded_[index].weights);
}

template <class T>
RoundingError RoundingModel<T>::bias_error(std::size_t index) const {
  return layers_[index].bias == nullptr ? RoundingError() : parameter_errors_[layers_[index].bias_index];
}

template <class T>
RoundingError RoundingModel<T>::sums_error(std::size_t index, RoundingError input_error) const {
  const LayerView<T>& layer = layers_[index];
  const Squares& squares = squares_[index];
  const double width = static_cast<double>(layer.inputs);
  const double inputs = std::sqrt(squares.inputs);
  const double weights = std::sqrt(squares.weights);
  const double sums = std::sqrt(squares.sums);
  const double own = inputs * weights + std::sqrt(width) * sums + std::sqrt(rows_ * squares.bias);
  const double gain = std::max(ratio(sums, inputs), weights / std::sqrt(width));
  const double weights_gain = std::max(ratio(sums, weights), inputs / std::sqrt(width));
  return RoundingError{epsilon_ * own} + gain * input_error + weights_gain * weights_error(index) +
         std::sqrt(rows_) * bias_error(index) + result_error(sums, rows_ * static_cast<double>(layer.outputs));
}

// A row's difference from its mean is rounded as its entries are, and the factor then magnifies it.
template <class T>
RoundingError RoundingModel<T>::normalized_error(std::size_t index, RoundingError sums) const {
  const Squares& squares = squares_[index];
  return RoundingError{epsilon_ * (std::sqrt(squares.magnified) + std::sqrt(squares.normalized))} +
         std::sqrt(squares.factors / rows_) * sums;
}

template <class T>
RoundingError RoundingModel<T>::normalization_gradient_error(std::size_t index, RoundingError deltas,
                                                             RoundingError sums,
                                                             const std::vector<std::vector<T>>& gradients,
                                                             std::vector<RoundingError>& result) const {
  const LayerView<T>& layer = layers_[index];
  const Squares& squares = squares_[index];
  const RoundingError normalized = normalized_error(index, sums);
  const double width = static_cast<double>(layer.outputs);
  const double outer = std::sqrt(squares.outer_deltas);
  const double scale_gradient = std::sqrt(sum_of_squares(gradients[layer.scale_index]));
  const double shift_gradient = std::sqrt(sum_of_squares(gradients[layer.shift_index]));
  result[layer.shift_index] = RoundingError{epsilon_ * std::sqrt(rows_) * (outer + shift_gradient)} +
                              std::max(1.0, ratio(shift_gradient, outer)) * deltas;
  const double largest = std::sqrt(squares.normalized / rows_ / width);
  result[layer.scale_index] =
      RoundingError{epsilon_ * std::sqrt(rows_) * (std::sqrt(squares.scale_terms) + scale_gradient)} +
      std::max(largest, ratio(scale_gradient, outer)) * deltas + outer / std::sqrt(rows_) * normalized;
  // G - mean(G) - N mean(G .* N) is a projection, which may cancel most of G; N and the factor, each with its error,
  // are in two of its terms. Those errors are largest where the factor is.
  const double magnified = std::sqrt(squares.magnified_deltas);
  const double factor = std::sqrt(squares.factors / rows_);
  const double scale = std::sqrt(squares.scale / width);
  const double twice_magnified = std::sqrt(squares.twice_magnified_deltas);
  return RoundingError{epsilon_ * 3 * magnified} +
         std::max(factor * scale, ratio(std::sqrt(squares.deltas), outer)) * deltas +
         3 * twice_magnified / std::sqrt(rows_ * width) * sums;
}

template <class T>
std::vector<RoundingError> RoundingModel<T>::activation_errors() const {
  std::vector<RoundingError> errors = {{}};  // the data are exact
  for (std::size_t index = 0; index < layers_.size(); ++index) {
    const LayerView<T>& layer = layers_[index];
    const Squares& squares = squares_[index];
    const double pre_activations = std::sqrt(squares.pre_activations);
    RoundingError sums = sums_error(index, errors.back());
    if (layer.scale != nullptr) {
      const double normalized = std::sqrt(squares.normalized);
      const double gain = std::max(ratio(std::sqrt(squares.scaled), normalized),
                                   std::sqrt(squares.scale / static_cast<double>(layer.outputs)));
      sums = gain * normalized_error(index, sums) +
             RoundingError{epsilon_ * (std::sqrt(squares.scaled) + pre_activations)};
    }
    // An activation's own evaluation costs about an ulp of a value that is at most |Z| or 1.
    const double steepest = catalogue::row_of(layer.activation).steepest;
    RoundingError result = steepest * sums + RoundingError{epsilon_ * pre_activations};
    if (!rounded_.empty()) {
      result = narrowed_error(result, rows_ * static_cast<double>(layer.outputs), rounded_[index].activations);
    }
    errors.push_back(result);
  }
  return errors;
}

template <class T>
RoundingError RoundingModel<T>::output_gradient_error(RoundingError output_error) const {
  const double entries = rows_ * static_cast<double>(problem_.outputs());
  const double gradient = std::sqrt(squares_.back().upstream);
  const RoundingError evaluation =
      RoundingError{2 * epsilon_ * gradient} + result_error(gradient, entries, loss_scale_);
  switch (problem_.loss.kind) {
    case Loss::mse:
      return 2 / entries * output_error + evaluation;
    case Loss::half_mse:
    case Loss::huber:  // whose slope is that of half_mse, or 0
      return 1 / entries * output_error + evaluation;
    case Loss::softmax_cross_entropy:
      // A row's softmax has norm at most 1 and slope at most 1/2.
      return 1 / rows_ * (output_error + RoundingError{2 * epsilon_ * std::sqrt(rows_)}) + evaluation;
    case Loss::binary_cross_entropy:
      // A sigmoid is at most 1, its slope at most 1/4.
      return 1 / entries * (0.25 * output_error + RoundingError{2 * epsilon_ * std::sqrt(entries)}) + evaluation;
  }
  return {};
}

template <class T>
RoundingError RoundingModel<T>::loss_error(double loss) const {
  const RoundingError output_error = activation_errors().back();
  const double entries = rows_ * static_cast<double>(problem_.outputs());
  // By Cauchy-Schwarz, with |P - Y| read off the loss, or what rounding leaves of it at a perfect fit; the sum over
  // rows has terms of one sign.
  // Of huber, too: the square of its slope is at most twice the loss.
  const double factor = problem_.loss.kind == Loss::mse ? 1.0 : 0.5;
  const double left = output_error.total();
  const double distance = std::sqrt(loss / factor * entries + left * left);
  switch (problem_.loss.kind) {
    case Loss::mse:
    case Loss::half_mse:
    case Loss::huber:
      return factor * 2 * distance / entries * output_error + RoundingError{epsilon_ * std::sqrt(entries) * loss};
    case Loss::softmax_cross_entropy:
      return 2 / std::sqrt(rows_) * output_error + RoundingError{epsilon_ * (std::sqrt(rows_) * loss + 4)};
    case Loss::binary_cross_entropy:
      // An entry's term has slopes of at most 1.
      return 1 / std::sqrt(entries) * output_error + RoundingError{epsilon_ * (std::sqrt(entries) * loss + 4)};
  }
  return {};
}

template <class T>
std::vector<RoundingError> RoundingModel<T>::gradient_errors(const std::vector<std::vector<T>>& gradients) const {
  const std::vector<RoundingError> activation_error = activation_errors();
  std::vector<RoundingError> result(gradients.size());
  RoundingError upstream_error = output_gradient_error(activation_error.back());
  for (std::size_t index = layers_.size(); index-- > 0;) {
    const LayerView<T>& layer = layers_[index];
    const Squares& squares = squares_[index];
    const double outputs = static_cast<double>(layer.outputs);
    const double inputs_norm = std::sqrt(squares.inputs);
    const double upstream = std::sqrt(squares.upstream);
    const double deltas = std::sqrt(squares.deltas);
    const double steepest = catalogue::row_of(layer.activation).steepest;
    RoundingError delta_error = steepest * upstream_error;
    if (catalogue::row_of(layer.activation).slope == catalogue::Slope::varies) {
      // Through dL/dZ = dL/dA * f': f' is off by its own evaluation and by the error of its argument, A or Z,
      // of which that of Z is the smaller one.
      delta_error = delta_error + upstream / std::sqrt(rows_ * outputs) * activation_error[index + 1] +
                    RoundingError{2 * epsilon_ * upstream};
    }
    if (!rounded_.empty()) delta_error = narrowed_error(delta_error, rows_ * outputs, rounded_[index].deltas);
    if (layer.scale != nullptr) {
      const RoundingError sums = sums_error(index, activation_error[index]);
      delta_error = normalization_gradient_error(index, delta_error, sums, gradients, result);
    }

    const double weights_gradient = std::sqrt(sum_of_squares(gradients[layer.weights_index]));
    result[layer.weights_index] =
        RoundingError{epsilon_ * (inputs_norm * deltas + std::sqrt(rows_) * weights_gradient)} +
        std::max(inputs_norm / std::sqrt(rows_), ratio(weights_gradient, deltas)) * delta_error +
        deltas / std::sqrt(rows_) * activation_error[index] +
        result_error(weights_gradient, static_cast<double>(layer.inputs) * outputs, loss_scale_);
    if (layer.bias != nullptr) {
      const double bias_gradient = std::sqrt(sum_of_squares(gradients[layer.bias_index]));
      result[layer.bias_index] = RoundingError{epsilon_ * std::sqrt(rows_) * (deltas + bias_gradient)} +
                                 std::max(1.0, ratio(bias_gradient, deltas)) * delta_error +
                                 result_error(bias_gradient, outputs, loss_scale_) +
                                 narrow_sum_error(index, gradients[layer.bias_index]);
    }
    if (index == 0) break;

    const double below = std::sqrt(squares_[index - 1].upstream);
    const double weights = std::sqrt(squares.weights);
    upstream_error = RoundingError{epsilon_ * (deltas * weights + std::sqrt(outputs) * below)} +
                     std::max(ratio(below, deltas), weights / std::sqrt(outputs)) * delta_error +
                     deltas / std::sqrt(outputs) * weights_error(index) +
                     result_error(below, rows_ * static_cast<double>(layer.inputs), loss_scale_);
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
