#include "harness/verify/ties.h"

#include <cmath>
#include <set>

#include "harness/verify/rounding.h"

namespace gdbench::verify {

namespace {

using scenario::Activation;

// The pre-activation a w + b is a sum of k products, whose rounding errors grow like epsilon sqrt(k) times the
// products' size. |a| |w|, both 2-norms, is sqrt(k) times the products' typical size (and by Cauchy-Schwarz at least
// the sum of their magnitudes). 4 leaves room for unlucky orders of summation and for parameters that are themselves a
// few roundings off; every layer below adds its own errors.
constexpr double kTieFactor = 4;

// 2-norm of what a row's ties in the layer below leave open about its activations: a unit that is a tie is either zero
// or as small as its uncertainty.
double input_uncertainty(std::size_t index, std::int64_t row, const std::vector<Tie>& ties) {
  double sum = 0;
  for (const Tie& tie : ties) {
    if (tie.layer + 1 == index && tie.row == row) sum += tie.uncertainty * tie.uncertainty;
  }
  return std::sqrt(sum);
}

}  // namespace

template <class T>
TieFinder<T>::TieFinder(const scenario::Problem& problem, const std::vector<LayerView<T>>& layers)
    : layers_(layers), epsilon_(product_epsilon(problem)), column_norms_(layers.size()) {
  for (std::size_t index = 0; index < layers.size(); ++index) {
    const LayerView<T>& layer = layers[index];
    if (layer.activation != Activation::relu) continue;
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
  if (layer.activation != Activation::relu) return;
  const double factor = kTieFactor * epsilon_ * static_cast<double>(index + 1);
  for (std::int64_t row = 0; row < chunk.rows; ++row) {
    const double input_norm =
        std::sqrt(sum_of_squares(chunk.activations[index].data() + row * layer.inputs, layer.inputs));
    const double uncertainty = input_uncertainty(index, row, chunk.ties);
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

template <class T>
void TieFinder<T>::add_allowance(const Chunk<T>& chunk, std::vector<double>& allowance) const {
  std::set<std::int64_t> rows;
  for (const Tie& tie : chunk.ties) rows.insert(tie.row);
  for (const std::int64_t row : rows) add_row_allowance(chunk, row, allowance);
}

// For one row, `change` bounds entry by entry how far dL/dZ of a layer may move: at a tie by all of dL/dA, as that is
// either passed on or not, and below ties by what reaches it through the weights' magnitudes. The gradient of W moves
// by the outer product of the row's input and that change, whose norm is the product of norms.
template <class T>
void TieFinder<T>::add_row_allowance(const Chunk<T>& chunk, std::int64_t row, std::vector<double>& allowance) const {
  std::vector<double> upstream_change(static_cast<std::size_t>(layers_.back().outputs), 0.0);
  for (std::size_t index = layers_.size(); index-- > 0;) {
    const LayerView<T>& layer = layers_[index];
    std::vector<double> change(upstream_change.size());
    for (std::int64_t unit = 0; unit < layer.outputs; ++unit) {
      const T output = chunk.activations[index + 1][static_cast<std::size_t>(row * layer.outputs + unit)];
      change[static_cast<std::size_t>(unit)] = static_cast<double>(derivative_of(layer.activation, output)) *
                                               upstream_change[static_cast<std::size_t>(unit)];
    }
    for (const Tie& tie : chunk.ties) {
      if (tie.layer != index || tie.row != row) continue;
      const std::size_t unit = static_cast<std::size_t>(tie.unit);
      const T upstream = chunk.upstream[index][static_cast<std::size_t>(row * layer.outputs + tie.unit)];
      change[unit] = std::abs(static_cast<double>(upstream)) + upstream_change[unit];
    }

    const double change_norm = std::sqrt(sum_of_squares(change.data(), layer.outputs));
    const double input_norm =
        std::sqrt(sum_of_squares(chunk.activations[index].data() + row * layer.inputs, layer.inputs));
    allowance[layer.weights_index] += change_norm * input_norm;
    if (layer.bias != nullptr) allowance[layer.bias_index] += change_norm;
    if (index == 0) break;

    upstream_change.assign(static_cast<std::size_t>(layer.inputs), 0.0);
    if (change_norm == 0.0) continue;
    for (std::int64_t i = 0; i < layer.inputs; ++i) {
      for (std::int64_t j = 0; j < layer.outputs; ++j) {
        upstream_change[static_cast<std::size_t>(i)] +=
            change[static_cast<std::size_t>(j)] * std::abs(static_cast<double>(layer.weights[i * layer.outputs + j]));
      }
    }
  }
}

template class TieFinder<float>;
template class TieFinder<double>;
template class TieFinder<long double>;

}  // namespace gdbench::verify
