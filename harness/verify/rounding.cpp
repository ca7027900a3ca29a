#include "harness/verify/rounding.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "harness/verify/products.h"

namespace gdbench::verify {

namespace {

using scenario::Loss;

template <class T>
double sum_of_squares(const std::vector<T>& values) {
  return gdbench::verify::sum_of_squares(values.data(), static_cast<std::int64_t>(values.size()));
}

double ratio(double numerator, double denominator) { return denominator > 0 ? numerator / denominator : 0.0; }

// The pre-activation a w + b is a sum of k products, whose rounding errors grow like epsilon sqrt(k) times the
// products' size. |a| |w|, both 2-norms, is sqrt(k) times the products' typical size (and by Cauchy-Schwarz at least
// the sum of their magnitudes). 4 leaves room for unlucky orders of summation and for parameters that are themselves a
// few roundings off; every layer below adds its own errors.
constexpr double kTieFactor = 4;

// For each row, squared, the 2-norm of what its ties in the layer below leave open about its activations: a unit that
// is a tie is either zero or as small as its uncertainty.
std::vector<double> input_uncertainties(std::size_t index, std::int64_t rows, const std::vector<Tie>& ties) {
  std::vector<double> squares(static_cast<std::size_t>(rows), 0.0);
  for (const Tie& tie : ties) {
    if (tie.layer + 1 == index) squares[static_cast<std::size_t>(tie.row)] += tie.uncertainty * tie.uncertainty;
  }
  return squares;
}

template <class T>
bool has_ties(const LayerView<T>& layer) {
  return catalogue::row_of(layer.activation).slope == catalogue::Slope::jumps_at_zero;
}

std::size_t size_of(std::int64_t value) { return static_cast<std::size_t>(value); }

// |entries| of the chosen rows, one after the other.
template <class T>
std::vector<double> magnitudes(const T* matrix, const std::map<std::int64_t, std::int64_t>& rows, std::int64_t width) {
  std::vector<double> result;
  for (const auto& [row, place] : rows) {
    for (std::int64_t i = 0; i < width; ++i) result.push_back(std::abs(static_cast<double>(matrix[row * width + i])));
  }
  return result;
}

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

template <class T>
TieFinder<T>::TieFinder(const scenario::Problem& problem, const std::vector<LayerView<T>>& layers)
    : layers_(layers), epsilon_(product_epsilon(problem)), column_norms_(layers.size()) {
  for (std::size_t index = 0; index < layers.size(); ++index) {
    const LayerView<T>& layer = layers[index];
    if (!has_ties(layer)) continue;
    std::vector<double>& norms = column_norms_[index];
    norms.assign(static_cast<std::size_t>(layer.outputs), 0.0);
    for (std::int64_t i = 0; i < layer.inputs; ++i) {
      for (std::int64_t j = 0; j < layer.outputs; ++j) {
        const double weight = static_cast<double>(layer.weights[i * layer.outputs + j]);
        norms[static_cast<std::size_t>(j)] += weight * weight;
      }
    }
    for (double& norm : norms) norm = std::sqrt(norm);
  }
}

template <class T>
void TieFinder<T>::find(std::size_t index, Chunk<T>& chunk) const {
  const LayerView<T>& layer = layers_[index];
  if (!has_ties(layer)) return;
  const double factor = kTieFactor * epsilon_ * static_cast<double>(index + 1);
  const std::vector<double> uncertainties = input_uncertainties(index, chunk.rows, chunk.ties);
  for (std::int64_t row = 0; row < chunk.rows; ++row) {
    const double input_norm =
        std::sqrt(sum_of_squares(chunk.activations[index].data() + row * layer.inputs, layer.inputs));
    const double uncertainty = std::sqrt(uncertainties[static_cast<std::size_t>(row)]);
    const T* const pre_activations = chunk.activations[index + 1].data() + row * layer.outputs;
    for (std::int64_t unit = 0; unit < layer.outputs; ++unit) {
      const double bias = layer.bias == nullptr ? 0.0 : std::abs(static_cast<double>(layer.bias[unit]));
      const double weights_norm = column_norms_[index][static_cast<std::size_t>(unit)];
      const double threshold = factor * (input_norm * weights_norm + bias) + uncertainty * weights_norm;
      // Strictly below: where all terms are zero, every implementation gets zero.
      if (std::abs(static_cast<double>(pre_activations[unit])) < threshold) {
        chunk.ties.push_back({index, row, unit, threshold});
      }
    }
  }
}

// For the rows that have ties, `change` [rows, outputs] bounds how far dL/dZ of a layer may move: at a tie by all of
// dL/dA, as that is either passed on or not, and below ties by what reaches it through the weights' magnitudes. A row
// moves the gradient of W by the outer product of its input and its change.
template <class T>
void TieFinder<T>::add_bounds(const Chunk<T>& chunk, std::vector<std::vector<double>>& bounds) const {
  std::map<std::int64_t, std::int64_t> places;  // of rows that have ties, among those
  for (const Tie& tie : chunk.ties) places.emplace(tie.row, 0);
  if (places.empty()) return;
  std::int64_t count = 0;
  for (auto& [row, place] : places) place = count++;
  std::vector<double> upstream_change(size_of(count * layers_.back().outputs), 0.0);
  for (std::size_t index = layers_.size(); index-- > 0;) {
    const LayerView<T>& layer = layers_[index];
    std::vector<double> change = upstream_change;
    for (const auto& [row, place] : places) {
      const T* const told = told_by(layer, index, chunk).data() + row * layer.outputs;
      double* const row_change = change.data() + place * layer.outputs;
      for (std::int64_t unit = 0; unit < layer.outputs; ++unit) {
        row_change[unit] *= std::abs(static_cast<double>(derivative_of(layer.activation, told[unit])));
      }
    }
    for (const Tie& tie : chunk.ties) {
      if (tie.layer != index) continue;
      const std::size_t place = size_of(places.at(tie.row) * layer.outputs + tie.unit);
      const T upstream = chunk.upstream[index][size_of(tie.row * layer.outputs + tie.unit)];
      change[place] = std::abs(static_cast<double>(upstream)) + upstream_change[place];
    }

    const std::vector<double> inputs = magnitudes(chunk.activations[index].data(), places, layer.inputs);
    std::vector<double>& weights_bound = bounds[layer.weights_index];
    weights_bound.resize(size_of(layer.inputs * layer.outputs));
    add_transposed_product(inputs.data(), change.data(), weights_bound.data(), count, layer.inputs, layer.outputs);
    if (layer.bias != nullptr) {
      std::vector<double>& bias_bound = bounds[layer.bias_index];
      bias_bound.resize(size_of(layer.outputs));
      for (std::size_t i = 0; i < change.size(); ++i) bias_bound[i % bias_bound.size()] += change[i];
    }
    if (index == 0) break;

    upstream_change.assign(size_of(count * layer.inputs), 0.0);
    std::vector<double> weights(size_of(layer.inputs * layer.outputs));
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = std::abs(static_cast<double>(layer.weights[i]));
    product_with_transposed(change.data(), weights.data(), upstream_change.data(), count, layer.outputs, layer.inputs);
  }
}

#define GDBENCH_INSTANTIATE(T)     \
  template class RoundingModel<T>; \
  template class TieFinder<T>;     \
  template double sum_of_squares(const T*, std::int64_t);

GDBENCH_INSTANTIATE(float)
GDBENCH_INSTANTIATE(double)
GDBENCH_INSTANTIATE(long double)
#undef GDBENCH_INSTANTIATE

}  // namespace gdbench::verify
