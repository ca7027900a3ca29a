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

// The estimates of what a tensor is off by, spread evenly over its entries, are some tens of times the typical entry's
// error; they exclude the effect of numbers near a middle, which concerns some rows more than others.
constexpr double kTypicalShare = 0.05;
constexpr double kUnevenness = 0.1;

// Of numbers that are off by `error`, once they are rounded to the operands of a mixed dtype.
RoundingError narrowed_error(RoundingError error, double count, const Middles& middles) {
  const double typical = (kTypicalShare * error.own + kUnevenness * error.narrowed) / std::sqrt(count);
  return {error.own, std::hypot(error.narrowed, middles.undecided(typical))};
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
    squares_[index].weights = verify::sum_of_squares(layer.weights, size);
    if (layer.bias != nullptr) squares_[index].bias = verify::sum_of_squares(layer.bias, layer.outputs);
    if (!rounded_.empty()) rounded_[index].weights.add(layer.weights, size, layer.operands);
  }
}

template <class T>
void RoundingModel<T>::add_forward(std::size_t index, const Chunk<T>& chunk) {
  if (index == 0) rows_ += static_cast<double>(chunk.rows);
  squares_[index].inputs += sum_of_squares(chunk.activations[index]);
  squares_[index].pre_activations += sum_of_squares(chunk.activations[index + 1]);
  if (rounded_.empty() || index == 0) return;
  rounded_[index - 1].activations.add(chunk.wide_activations[index - 1], layers_[index].operands);
}

template <class T>
void RoundingModel<T>::add_backward(const Chunk<T>& chunk) {
  for (std::size_t index = 0; index < squares_.size(); ++index) {
    squares_[index].upstream += sum_of_squares(chunk.upstream[index]);
    squares_[index].deltas += sum_of_squares(chunk.deltas[index]);
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
std::vector<RoundingError> RoundingModel<T>::activation_errors() const {
  std::vector<RoundingError> errors = {{}};  // the data are exact
  for (std::size_t index = 0; index < layers_.size(); ++index) {
    const LayerView<T>& layer = layers_[index];
    const Squares& squares = squares_[index];
    const double width = static_cast<double>(layer.inputs);
    const double inputs = std::sqrt(squares.inputs);
    const double weights = std::sqrt(squares.weights);
    const double pre_activations = std::sqrt(squares.pre_activations);
    const double own = inputs * weights + std::sqrt(width) * pre_activations + std::sqrt(rows_ * squares.bias);
    const double gain = std::max(ratio(pre_activations, inputs), weights / std::sqrt(width));
    const double weights_gain = std::max(ratio(pre_activations, weights), inputs / std::sqrt(width));
    const RoundingError sums = RoundingError{epsilon_ * own} + gain * errors.back() +
                               weights_gain * weights_error(index) + std::sqrt(rows_) * bias_error(index) +
                               result_error(pre_activations, rows_ * static_cast<double>(layer.outputs));
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

template <class T>
TieFinder<T>::TieFinder(const scenario::Problem& problem, const std::vector<LayerView<T>>& layers,
                        const std::vector<RoundingError>& parameter_errors)
    : layers_(layers),
      epsilon_(product_epsilon(problem)),
      column_norms_(layers.size()),
      undecided_norms_(layers.size()) {
  for (std::size_t index = 0; index < layers.size(); ++index) {
    const LayerView<T>& layer = layers[index];
    const bool mixed = layer.operands.bits != 0;
    if (!has_ties(layer) && !mixed) continue;
    const double count = static_cast<double>(layer.inputs * layer.outputs);
    const double error = parameter_errors[layer.weights_index].total() / std::sqrt(count);
    std::vector<double>& norms = column_norms_[index];
    std::vector<double>& undecided = undecided_norms_[index];
    norms.assign(static_cast<std::size_t>(layer.outputs), 0.0);
    undecided.assign(norms.size(), 0.0);
    for (std::int64_t i = 0; i < layer.inputs; ++i) {
      for (std::int64_t j = 0; j < layer.outputs; ++j) {
        const double weight = static_cast<double>(layer.weights[i * layer.outputs + j]);
        norms[static_cast<std::size_t>(j)] += weight * weight;
        if (mixed) undecided[static_cast<std::size_t>(j)] += square_undecided(weight, error, layer.operands);
      }
    }
    for (double& norm : norms) norm = std::sqrt(norm);
    for (double& norm : undecided) norm = std::sqrt(norm);
  }
}

template <class T>
std::vector<double> TieFinder<T>::input_uncertainties(std::size_t index, const Chunk<T>& chunk) const {
  std::vector<double> squares(size_of(chunk.rows), 0.0);
  // A unit that is a tie is either zero or as small as its uncertainty.
  for (const Tie& tie : chunk.ties) {
    if (tie.layer + 1 == index) squares[size_of(tie.row)] += tie.uncertainty * tie.uncertainty;
  }
  if (index == 0 || layers_[index].operands.bits == 0) return squares;
  const LayerView<T>& below = layers_[index - 1];
  const double steepest = catalogue::row_of(below.activation).steepest;
  for (std::size_t i = 0; i < thresholds_.size(); ++i) {
    squares[i / size_of(below.outputs)] +=
        square_undecided(chunk.wide_activations[index - 1][i], steepest * thresholds_[i], below.operands);
  }
  return squares;
}

template <class T>
void TieFinder<T>::find(std::size_t index, Chunk<T>& chunk) {
  const LayerView<T>& layer = layers_[index];
  const bool mixed = layer.operands.bits != 0;
  if (!has_ties(layer) && !mixed) return;
  const double factor = kTieFactor * epsilon_ * static_cast<double>(index + 1);
  // Changes by whole spacings are large and many with a mixed dtype: a random direction's gain is taken for them.
  const double gain = mixed ? std::min(1.0, kTieFactor / std::sqrt(static_cast<double>(layer.inputs))) : 1;
  const std::vector<double> uncertainties = input_uncertainties(index, chunk);
  thresholds_.clear();
  for (std::int64_t row = 0; row < chunk.rows; ++row) {
    const double input_norm =
        std::sqrt(sum_of_squares(chunk.activations[index].data() + row * layer.inputs, layer.inputs));
    const double rounded = layer.rounds_results ? std::ldexp(input_norm, -layer.operands.bits) : 0;
    const double uncertainty = std::hypot(std::sqrt(uncertainties[static_cast<std::size_t>(row)]), rounded);
    const T* const pre_activations = chunk.activations[index + 1].data() + row * layer.outputs;
    for (std::int64_t unit = 0; unit < layer.outputs; ++unit) {
      const double bias = layer.bias == nullptr ? 0.0 : std::abs(static_cast<double>(layer.bias[unit]));
      const double weights_norm = column_norms_[index][static_cast<std::size_t>(unit)];
      const double undecided_norm = undecided_norms_[index][static_cast<std::size_t>(unit)];
      const double threshold = factor * (input_norm * weights_norm + bias) +
                               gain * (uncertainty * weights_norm + input_norm * undecided_norm);
      if (mixed) thresholds_.push_back(threshold);
      // Strictly below: where all terms are zero, every implementation gets zero.
      if (has_ties(layer) && std::abs(static_cast<double>(pre_activations[unit])) < threshold) {
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
    const std::vector<T> arguments = derivative_arguments(layer, index, chunk);
    for (const auto& [row, place] : places) {
      const T* const row_arguments = arguments.data() + row * layer.outputs;
      double* const row_change = change.data() + place * layer.outputs;
      for (std::int64_t unit = 0; unit < layer.outputs; ++unit) {
        row_change[unit] *= std::abs(static_cast<double>(derivative_of(layer.activation, row_arguments[unit])));
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
