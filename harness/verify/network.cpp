#include "harness/verify/network.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <type_traits>

#include "harness/verify/narrow.h"
#include "harness/verify/products.h"

namespace gdbench::verify {

namespace {

using scenario::Activation;
using scenario::Loss;

std::size_t index_of(std::int64_t value) { return static_cast<std::size_t>(value); }

// The nearest number with 10 bits after the point, away from zero where two are equally near.
float rounded_to_tf32(float value) {
  if (!std::isfinite(value)) return value;
  constexpr std::uint32_t kDroppedBits = 13;
  constexpr std::uint32_t kHalf = 1U << (kDroppedBits - 1);
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + kHalf) >> kDroppedBits << kDroppedBits);
}

// Nothing where the layer's dtype is uniform.
template <class T>
void narrow(const LayerView<T>& layer, std::vector<T>& values) {
  if (layer.operands.bits == 0) return;
  for (T& value : values) value = narrowed(value, layer.operands);
}

// Of numbers that the loss's gradient is a factor of. Dividing by the scale, a power of two, rounds nothing.
template <class T>
void narrow_gradient(const LayerView<T>& layer, std::vector<T>& values, Chunk<T>& chunk) {
  if (layer.operands.bits == 0) return;
  const T overflow = overflow_of<T>(layer.operands);
  T nearest = 1;
  for (T& value : values) {
    const T scaled = value * layer.loss_scale;
    nearest = std::min(nearest, std::abs(std::abs(scaled) / overflow - 1));
    value = narrowed(scaled, layer.operands) / layer.loss_scale;
  }
  chunk.distance_to_overflow = std::min(chunk.distance_to_overflow, static_cast<double>(nearest));
}

// A matrix as a layer's products read it.
template <class T>
class ProductOperand {
 public:
  // `narrowed`: it was rounded to a mixed dtype's operands before.
  ProductOperand(const LayerView<T>& layer, const T* values, std::int64_t count, bool narrowed = false)
      : values_(values) {
    if (layer.operands.bits != 0 && !narrowed) {
      rounded_.assign(values, values + count);
      narrow(layer, rounded_);
      values_ = rounded_.data();
    }
    if constexpr (std::is_same_v<T, float>) {
      if (!layer.tf32_products) return;
      rounded_.resize(index_of(count));
      std::transform(values, values + count, rounded_.begin(), rounded_to_tf32);
      values_ = rounded_.data();
    }
  }
  ProductOperand(const ProductOperand&) = delete;
  ProductOperand& operator=(const ProductOperand&) = delete;
  const T* data() const { return values_; }

 private:
  const T* values_;
  std::vector<T> rounded_;
};

template <class Stored, class T>
void copy_rows(const Stored* source, const std::int64_t* rows, std::int64_t count, std::int64_t width,
               std::vector<T>& target) {
  target.resize(index_of(count * width));
  for (std::int64_t row = 0; row < count; ++row) {
    const Stored* const from = source + rows[row] * width;
    T* const to = target.data() + row * width;
    for (std::int64_t column = 0; column < width; ++column) to[column] = static_cast<T>(from[column]);
  }
}

template <class T>
T normal_distribution(T z) {
  return std::erfc(-z / std::numbers::sqrt2_v<T>) / 2;
}

template <class T>
T softplus(T z) {
  return (z < T(0) ? T(0) : z) + std::log1p(std::exp(-std::abs(z)));
}

// sqrt(2 / pi) (z + 0.044715 z^3)
template <class T>
constexpr T gelu_cube = T(0.044715L);
template <class T>
const T gelu_scale = std::sqrt(2 * std::numbers::inv_pi_v<T>);
template <class T>
T gelu_argument(T z) {
  return gelu_scale<T> * (z + gelu_cube<T> * z * z * z);
}

// Sum of squared errors; gradient factor * (P - Y).
template <class T>
T squared_error(const Chunk<T>& chunk, T factor, std::vector<T>* gradient) {
  const std::vector<T>& outputs = chunk.activations.back();
  T sum = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const T error = outputs[i] - chunk.targets[i];
    sum += error * error;
    if (gradient != nullptr) (*gradient)[i] = factor * error;
  }
  return sum;
}

// Sum of E^2 / 2 for E = |P - Y| up to delta, else delta (E - delta / 2); gradient factor * (P - Y), clipped at delta.
template <class T>
T huber(const Chunk<T>& chunk, T delta, T factor, std::vector<T>* gradient) {
  const std::vector<T>& outputs = chunk.activations.back();
  T sum = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const T error = outputs[i] - chunk.targets[i];
    const bool squared = std::abs(error) <= delta;
    sum += squared ? error * error / 2 : delta * (std::abs(error) - delta / 2);
    if (gradient != nullptr) (*gradient)[i] = factor * (squared ? error : std::copysign(delta, error));
  }
  return sum;
}

// Sum of log(1 + exp(P)) - P Y; gradient factor * (sigmoid(P) - Y).
template <class T>
T binary_cross_entropy(const Chunk<T>& chunk, T factor, std::vector<T>* gradient) {
  const std::vector<T>& outputs = chunk.activations.back();
  T sum = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    // log(1 + exp(P)) = P + log(1 + exp(-P)): whichever does not overflow.
    const T power = std::exp(-std::abs(outputs[i]));
    sum += std::log1p(power) + std::max(outputs[i], T(0)) - outputs[i] * chunk.targets[i];
    const T sigmoid = (outputs[i] < 0 ? power : T(1)) / (T(1) + power);
    if (gradient != nullptr) (*gradient)[i] = factor * (sigmoid - chunk.targets[i]);
  }
  return sum;
}

// Sum of log(sum(exp(P))) - P[label] per row, with the row's maximum subtracted first, which changes neither it nor the
// gradient factor * (softmax(P) - onehot(label)) and keeps exp from overflowing.
template <class T>
T softmax_cross_entropy(const Chunk<T>& chunk, std::int64_t classes, T factor, std::vector<T>* gradient) {
  T sum = 0;
  for (std::int64_t row = 0; row < chunk.rows; ++row) {
    const T* const logits = chunk.activations.back().data() + row * classes;
    const std::int32_t label = chunk.labels[index_of(row)];
    const T largest = *std::max_element(logits, logits + classes);
    T exponentials = 0;
    for (std::int64_t j = 0; j < classes; ++j) exponentials += std::exp(logits[j] - largest);
    sum += std::log(exponentials) - (logits[label] - largest);
    if (gradient == nullptr) continue;
    T* const row_gradient = gradient->data() + row * classes;
    for (std::int64_t j = 0; j < classes; ++j) {
      const T probability = std::exp(logits[j] - largest) / exponentials;
      row_gradient[j] = factor * (probability - (j == label ? T(1) : T(0)));
    }
  }
  return sum;
}

template <class T>
void apply(Activation activation, std::vector<T>& values) {
  switch (activation) {
    case Activation::identity:
      return;
    case Activation::relu:
      // Written so that a NaN stays one.
      for (T& value : values) value = value < T(0) ? T(0) : value;
      return;
    case Activation::tanh:
      for (T& value : values) value = std::tanh(value);
      return;
    case Activation::sigmoid:
      for (T& value : values) value = T(1) / (T(1) + std::exp(-value));
      return;
    case Activation::leaky_relu:
      for (T& value : values) value = value > T(0) ? value : value / T(100);
      return;
    case Activation::silu:
      for (T& value : values) value = value / (T(1) + std::exp(-value));
      return;
    case Activation::gelu:
      for (T& value : values) value = value * normal_distribution(value);
      return;
    case Activation::gelu_tanh:
      for (T& value : values) value = value / 2 * (T(1) + std::tanh(gelu_argument(value)));
      return;
    case Activation::softplus:
      for (T& value : values) value = softplus(value);
      return;
  }
}

}  // namespace

template <class T>
std::vector<LayerView<T>> layers_of(const scenario::Problem& problem, const ReferenceState<T>& state) {
  std::vector<LayerView<T>> views;
  std::size_t next = 0;
  for (const scenario::Layer& layer : problem.layers) {
    LayerView<T> view;
    view.inputs = layer.inputs;
    view.outputs = layer.outputs;
    view.activation = layer.activation;
    view.tf32_products = problem.tf32_products;
    view.operands = catalogue::row_of(problem.dtype).operands;
    view.loss_scale = state.loss_scale;
    view.rounds_results = problem.rounds_results;
    view.hidden = views.size() + 1 < problem.layers.size();
    view.weights_index = next++;
    view.weights = state.parameters[view.weights_index].data();
    if (layer.bias) {
      view.bias_index = next++;
      view.bias = state.parameters[view.bias_index].data();
    }
    if (layer.normalization != scenario::Normalization::none) {
      view.scale_index = next++;
      view.shift_index = next++;
      view.scale = state.parameters[view.scale_index].data();
      view.shift = state.parameters[view.shift_index].data();
    }
    views.push_back(view);
  }
  return views;
}

// Rows of a stream are asked for in order.
template <class T>
void load_streamed_rows(const data::Dataset& dataset, std::int64_t first, std::int64_t count, Chunk<T>& chunk) {
  std::vector<double> x;
  std::vector<double> targets;
  dataset.stream->read(first, count, x, targets);
  chunk.activations[0].assign(x.begin(), x.end());
  chunk.targets.assign(targets.begin(), targets.end());
  chunk.labels.clear();
  if (!dataset.has_labels) return;
  // After a fault there are none: any class will do.
  for (const double label : targets) chunk.labels.push_back(label >= 0 ? static_cast<std::int32_t>(label) : 0);
}

template <class T>
void load_rows(const data::Dataset& dataset, const std::int64_t* rows, std::int64_t count, Chunk<T>& chunk) {
  chunk.rows = count;
  chunk.ties.clear();
  if (chunk.activations.empty()) chunk.activations.resize(1);
  if (dataset.stream) {
    load_streamed_rows(dataset, rows[0], count, chunk);
    return;
  }
  if (dataset.has_labels) copy_rows(dataset.labels(), rows, count, 1, chunk.labels);
  catalogue::with_element(dataset.dtype, [&](auto zero) {
    using Element = decltype(zero);
    copy_rows(dataset.x<Element>(), rows, count, dataset.features, chunk.activations[0]);
    if (!dataset.has_labels) copy_rows(dataset.y<Element>(), rows, count, dataset.outputs, chunk.targets);
  });
}

template <class T>
void narrow_result(const LayerView<T>& layer, std::vector<T>& values) {
  if (layer.rounds_results) narrow(layer, values);
}

template <class T>
void narrow_gradient_result(const LayerView<T>& layer, std::vector<T>& values, Chunk<T>& chunk) {
  if (layer.rounds_results) narrow_gradient(layer, values, chunk);
}

template <class T>
void forward_product(const LayerView<T>& layer, std::size_t index, Chunk<T>& chunk) {
  std::vector<T>& result = chunk.activations[index + 1];
  result.assign(index_of(chunk.rows * layer.outputs), T(0));
  if (layer.bias != nullptr) {
    for (std::int64_t row = 0; row < chunk.rows; ++row) {
      std::copy(layer.bias, layer.bias + layer.outputs, result.begin() + row * layer.outputs);
    }
  }
  const ProductOperand<T> inputs(layer, chunk.activations[index].data(), chunk.rows * layer.inputs);
  const ProductOperand<T> weights(layer, layer.weights, layer.inputs * layer.outputs);
  add_product(inputs.data(), weights.data(), result.data(), chunk.rows, layer.inputs, layer.outputs);
  narrow_result(layer, result);
  if (layer.scale != nullptr) normalize(layer, index, chunk);
}

template <class T>
void activate(const LayerView<T>& layer, std::size_t index, Chunk<T>& chunk) {
  std::vector<T>& values = chunk.activations[index + 1];
  if (catalogue::reads_input(layer.activation)) chunk.pre_activations[index] = values;
  apply(layer.activation, values);
  if (layer.operands.bits == 0 || (!layer.hidden && !layer.rounds_results)) return;
  chunk.wide_activations[index] = values;
  narrow(layer, values);
}

template <class T>
std::vector<T> derivative_arguments(const LayerView<T>& layer, std::size_t index, const Chunk<T>& chunk) {
  std::vector<T> arguments =
      catalogue::reads_input(layer.activation) ? chunk.pre_activations[index] : chunk.activations[index + 1];
  narrow(layer, arguments);
  return arguments;
}

template <class T>
T derivative_of(Activation activation, T argument) {
  switch (activation) {
    case Activation::identity:
      return T(1);
    case Activation::relu:
      return argument > T(0) ? T(1) : T(0);
    case Activation::tanh:
      return T(1) - argument * argument;
    case Activation::sigmoid:
      return argument * (T(1) - argument);
    case Activation::leaky_relu:
      return argument > T(0) ? T(1) : T(1) / T(100);
    case Activation::silu: {
      const T gate = T(1) / (T(1) + std::exp(-argument));
      return gate * (T(1) + argument * (T(1) - gate));
    }
    case Activation::gelu: {
      const T density = std::exp(-argument * argument / 2) / std::sqrt(2 * std::numbers::pi_v<T>);
      return normal_distribution(argument) + argument * density;
    }
    case Activation::gelu_tanh: {
      const T tangent = std::tanh(gelu_argument(argument));
      const T slope = gelu_scale<T> * (T(1) + 3 * gelu_cube<T> * argument * argument);
      return (T(1) + tangent + argument * (T(1) - tangent * tangent) * slope) / 2;
    }
    case Activation::softplus:
      return -std::expm1(-argument);
  }
  return T(0);
}

template <class T>
T loss_of(const catalogue::LossFunction& loss, const Chunk<T>& chunk, std::int64_t outputs, std::int64_t batch_rows,
          std::vector<T>* gradient) {
  if (gradient != nullptr) gradient->resize(chunk.activations.back().size());
  const T rows = static_cast<T>(batch_rows);
  const T entries = static_cast<T>(batch_rows * outputs);
  switch (loss.kind) {
    case Loss::mse:
      return squared_error(chunk, T(2) / entries, gradient) / entries;
    case Loss::half_mse:
      return squared_error(chunk, T(1) / entries, gradient) / (T(2) * entries);
    case Loss::softmax_cross_entropy:
      return softmax_cross_entropy(chunk, outputs, T(1) / rows, gradient) / rows;
    case Loss::binary_cross_entropy:
      return binary_cross_entropy(chunk, T(1) / entries, gradient) / entries;
    case Loss::huber:
      return huber(chunk, static_cast<T>(loss.huber_delta), T(1) / entries, gradient) / entries;
  }
  return T(0);
}

// The slope on the other side of 0.
template <class T>
T flipped_derivative_of(Activation activation, T value) {
  const T below = derivative_of(activation, T(-1));
  const T above = derivative_of(activation, T(1));
  return derivative_of(activation, value) == above ? below : above;
}

template <class T>
void backward(const std::vector<LayerView<T>>& layers, Ties ties, Chunk<T>& chunk,
              std::vector<std::vector<T>>& gradients) {
  for (std::size_t index = layers.size(); index-- > 0;) {
    const LayerView<T>& layer = layers[index];
    narrow_gradient_result(layer, chunk.upstream[index], chunk);
    std::vector<T>& delta = chunk.deltas[index];
    delta = chunk.upstream[index];
    const std::vector<T> arguments =
        layer.activation == Activation::identity ? std::vector<T>() : derivative_arguments(layer, index, chunk);
    for (std::size_t i = 0; i < arguments.size(); ++i) delta[i] *= derivative_of(layer.activation, arguments[i]);
    if (ties == Ties::flipped) {
      for (const Tie& tie : chunk.ties) {
        if (tie.layer != index) continue;
        const std::size_t i = index_of(tie.row * layer.outputs + tie.unit);
        delta[i] = chunk.upstream[index][i] * flipped_derivative_of(layer.activation, arguments[i]);
      }
    }
    normalization_gradient(layer, index, chunk, delta, gradients);
    if (layer.operands.bits != 0) chunk.wide_deltas[index] = delta;
    narrow_gradient(layer, delta, chunk);

    const ProductOperand<T> inputs(layer, chunk.activations[index].data(), chunk.rows * layer.inputs);
    const ProductOperand<T> deltas(layer, delta.data(), chunk.rows * layer.outputs, true);
    add_transposed_product(inputs.data(), deltas.data(), gradients[layer.weights_index].data(), chunk.rows,
                           layer.inputs, layer.outputs);
    if (layer.bias != nullptr) {
      T* const bias_gradient = gradients[layer.bias_index].data();
      for (std::int64_t row = 0; row < chunk.rows; ++row) {
        for (std::int64_t j = 0; j < layer.outputs; ++j) bias_gradient[j] += delta[index_of(row * layer.outputs + j)];
      }
    }
    if (index == 0) return;
    chunk.upstream[index - 1].resize(index_of(chunk.rows * layer.inputs));
    const ProductOperand<T> weights(layer, layer.weights, layer.inputs * layer.outputs);
    product_with_transposed(deltas.data(), weights.data(), chunk.upstream[index - 1].data(), chunk.rows, layer.outputs,
                            layer.inputs);
  }
}

#define GDBENCH_INSTANTIATE(T)                                                                                      \
  template std::vector<LayerView<T>> layers_of(const scenario::Problem&, const ReferenceState<T>&);                 \
  template void load_rows(const data::Dataset&, const std::int64_t*, std::int64_t, Chunk<T>&);                      \
  template void narrow_result(const LayerView<T>&, std::vector<T>&);                                                \
  template void narrow_gradient_result(const LayerView<T>&, std::vector<T>&, Chunk<T>&);                            \
  template void forward_product(const LayerView<T>&, std::size_t, Chunk<T>&);                                       \
  template void activate(const LayerView<T>&, std::size_t, Chunk<T>&);                                              \
  template std::vector<T> derivative_arguments(const LayerView<T>&, std::size_t, const Chunk<T>&);                  \
  template T derivative_of(Activation, T);                                                                          \
  template T loss_of(const catalogue::LossFunction&, const Chunk<T>&, std::int64_t, std::int64_t, std::vector<T>*); \
  template void backward(const std::vector<LayerView<T>>&, Ties, Chunk<T>&, std::vector<std::vector<T>>&);

GDBENCH_INSTANTIATE(float)
GDBENCH_INSTANTIATE(double)
GDBENCH_INSTANTIATE(long double)
#undef GDBENCH_INSTANTIATE

}  // namespace gdbench::verify
