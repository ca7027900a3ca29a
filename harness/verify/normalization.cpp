// Layers that are normalised (gdbench_normalization): forward and backward.
#include <cmath>

#include "harness/verify/network.h"

namespace gdbench::verify {

template <class T>
void normalize(const LayerView<T>& layer, std::size_t index, Chunk<T>& chunk) {
  const auto width = static_cast<std::size_t>(layer.outputs);
  Normalized<T>& normalized = chunk.normalized[index];
  std::vector<T>& values = chunk.activations[index + 1];
  normalized.sums = values;
  normalized.values.resize(values.size());
  normalized.factors.clear();
  for (std::size_t first = 0; first < values.size(); first += width) {
    T mean = 0;
    for (std::size_t j = 0; j < width; ++j) mean += values[first + j] / static_cast<T>(width);
    T variance = 0;
    for (std::size_t j = 0; j < width; ++j) {
      const T difference = values[first + j] - mean;
      variance += difference * difference / static_cast<T>(width);
    }
    const T factor = T(1) / std::sqrt(variance + T(GDBENCH_LAYER_NORM_EPSILON));
    normalized.factors.push_back(factor);
    for (std::size_t j = 0; j < width; ++j) {
      T& value = normalized.values[first + j];
      value = (values[first + j] - mean) * factor;
      values[first + j] = layer.scale[j] * value + layer.shift[j];
    }
  }
}

// With G = scale .* deltas, a row of dL/dZ is factor (G - mean(G) - N mean(G .* N)).
template <class T>
void normalization_gradient(const LayerView<T>& layer, std::size_t index, Chunk<T>& chunk, std::vector<T>& deltas,
                            std::vector<std::vector<T>>& gradients) {
  if (layer.scale == nullptr) return;
  const auto width = static_cast<std::size_t>(layer.outputs);
  Normalized<T>& normalized = chunk.normalized[index];
  normalized.deltas = deltas;
  for (std::size_t row = 0; row < normalized.factors.size(); ++row) {
    const T* const values = normalized.values.data() + row * width;
    T* const delta = deltas.data() + row * width;
    T mean = 0;
    T correlation = 0;
    for (std::size_t j = 0; j < width; ++j) {
      gradients[layer.scale_index][j] += delta[j] * values[j];
      gradients[layer.shift_index][j] += delta[j];
      delta[j] *= layer.scale[j];
      mean += delta[j] / static_cast<T>(width);
      correlation += delta[j] * values[j] / static_cast<T>(width);
    }
    for (std::size_t j = 0; j < width; ++j) {
      delta[j] = normalized.factors[row] * (delta[j] - mean - values[j] * correlation);
    }
  }
}

#define GDBENCH_INSTANTIATE(T)                                                                       \
  template void normalize(const LayerView<T>&, std::size_t, Chunk<T>&);                              \
  template void normalization_gradient(const LayerView<T>&, std::size_t, Chunk<T>&, std::vector<T>&, \
                                       std::vector<std::vector<T>>&);

GDBENCH_INSTANTIATE(float)
GDBENCH_INSTANTIATE(double)
GDBENCH_INSTANTIATE(long double)
#undef GDBENCH_INSTANTIATE

}  // namespace gdbench::verify
