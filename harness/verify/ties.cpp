#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "harness/verify/products.h"
#include "harness/verify/rounding.h"

namespace gdbench::verify {

namespace {

// The pre-activation a w + b is a sum of k products, whose rounding errors grow like epsilon sqrt(k) times the
// products' size. |a| |w|, both 2-norms, is sqrt(k) times the products' typical size (and by Cauchy-Schwarz at least
// the sum of their magnitudes). 4 leaves room for unlucky orders of summation and for parameters that are themselves a
// few roundings off; every layer below adds its own errors.
constexpr double kTieFactor = 4;

template <class T>
bool has_ties(const LayerView<T>& layer) {
  return catalogue::row_of(layer.activation).slope == catalogue::Slope::jumps_at_zero;
}

std::size_t place_of(std::int64_t value) { return static_cast<std::size_t>(value); }

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
  std::vector<double> squares(place_of(chunk.rows), 0.0);
  // A unit that is a tie is either zero or as small as its uncertainty.
  for (const Tie& tie : chunk.ties) {
    if (tie.layer + 1 == index) squares[place_of(tie.row)] += tie.uncertainty * tie.uncertainty;
  }
  if (index == 0 || layers_[index].operands.bits == 0) return squares;
  const LayerView<T>& below = layers_[index - 1];
  const double steepest = catalogue::row_of(below.activation).steepest;
  for (std::size_t i = 0; i < thresholds_.size(); ++i) {
    squares[i / place_of(below.outputs)] +=
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
  std::vector<double> row_thresholds(place_of(layer.outputs));
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
      row_thresholds[place_of(unit)] = threshold;
    }
    if (layer.scale != nullptr) normalize_thresholds(index, row, chunk, factor, row_thresholds);
    for (std::int64_t unit = 0; unit < layer.outputs; ++unit) {
      const double threshold = row_thresholds[place_of(unit)];
      // Strictly below: where all terms are zero, every implementation gets zero.
      if (has_ties(layer) && std::abs(static_cast<double>(pre_activations[unit])) < threshold) {
        chunk.ties.push_back({index, row, unit, threshold});
      }
    }
  }
}

// A difference from the mean is off as an entry is, and as all of them are in the mean and in the factor.
template <class T>
void TieFinder<T>::normalize_thresholds(std::size_t index, std::int64_t row, const Chunk<T>& chunk, double factor,
                                        std::vector<double>& thresholds) const {
  const LayerView<T>& layer = layers_[index];
  const Normalized<T>& normalized = chunk.normalized[index];
  const double width = static_cast<double>(layer.outputs);
  const double typical = std::sqrt(sum_of_squares(thresholds) / width);
  const auto magnified = static_cast<double>(normalized.factors[place_of(row)]);
  for (std::size_t unit = 0; unit < thresholds.size(); ++unit) {
    const auto value = static_cast<double>(normalized.values[place_of(row * layer.outputs) + unit]);
    const auto scale = static_cast<double>(layer.scale[unit]);
    const double off = magnified * (thresholds[unit] + (1 + std::abs(value)) * typical);
    thresholds[unit] =
        std::abs(scale) * off + factor * (std::abs(scale * value) + std::abs(static_cast<double>(layer.shift[unit])));
  }
}

// What changes of the deltas of scale .* N + shift make of those of Z; adds what they make of the gradients of scale
// and shift to `bounds`.
template <class T>
void TieFinder<T>::add_normalization_bounds(std::size_t index, const std::map<std::int64_t, std::int64_t>& places,
                                            const Chunk<T>& chunk, std::vector<double>& change,
                                            std::vector<std::vector<double>>& bounds) const {
  const LayerView<T>& layer = layers_[index];
  const Normalized<T>& normalized = chunk.normalized[index];
  const auto width = place_of(layer.outputs);
  bounds[layer.scale_index].resize(width);
  bounds[layer.shift_index].resize(width);
  for (const auto& [row, place] : places) {
    const std::vector<double> values =
        magnitudes(normalized.values.data() + row * layer.outputs, {{0, 0}}, layer.outputs);
    double* const row_change = change.data() + place * layer.outputs;
    double mean = 0;
    double correlation = 0;
    for (std::size_t j = 0; j < width; ++j) {
      bounds[layer.scale_index][j] += row_change[j] * values[j];
      bounds[layer.shift_index][j] += row_change[j];
      row_change[j] *= std::abs(static_cast<double>(layer.scale[j]));
      mean += row_change[j] / static_cast<double>(width);
      correlation += row_change[j] * values[j] / static_cast<double>(width);
    }
    const auto factor = static_cast<double>(normalized.factors[place_of(row)]);
    for (std::size_t j = 0; j < width; ++j) row_change[j] = factor * (row_change[j] + mean + values[j] * correlation);
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
  std::vector<double> upstream_change(place_of(count * layers_.back().outputs), 0.0);
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
      const std::size_t place = place_of(places.at(tie.row) * layer.outputs + tie.unit);
      const T upstream = chunk.upstream[index][place_of(tie.row * layer.outputs + tie.unit)];
      change[place] = std::abs(static_cast<double>(upstream)) + upstream_change[place];
    }

    if (layer.scale != nullptr) add_normalization_bounds(index, places, chunk, change, bounds);
    const std::vector<double> inputs = magnitudes(chunk.activations[index].data(), places, layer.inputs);
    std::vector<double>& weights_bound = bounds[layer.weights_index];
    weights_bound.resize(place_of(layer.inputs * layer.outputs));
    add_transposed_product(inputs.data(), change.data(), weights_bound.data(), count, layer.inputs, layer.outputs);
    if (layer.bias != nullptr) {
      std::vector<double>& bias_bound = bounds[layer.bias_index];
      bias_bound.resize(place_of(layer.outputs));
      for (std::size_t i = 0; i < change.size(); ++i) bias_bound[i % bias_bound.size()] += change[i];
    }
    if (index == 0) break;

    upstream_change.assign(place_of(count * layer.inputs), 0.0);
    std::vector<double> weights(place_of(layer.inputs * layer.outputs));
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = std::abs(static_cast<double>(layer.weights[i]));
    product_with_transposed(change.data(), weights.data(), upstream_change.data(), count, layer.outputs, layer.inputs);
  }
}

template class TieFinder<float>;
template class TieFinder<double>;
template class TieFinder<long double>;

}  // namespace gdbench::verify
