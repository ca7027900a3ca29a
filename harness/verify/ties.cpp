#include "harness/verify/ties.h"

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

template class TieFinder<float>;
template class TieFinder<double>;
template class TieFinder<long double>;

}  // namespace gdbench::verify
