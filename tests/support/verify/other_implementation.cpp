#include "tests/support/verify/other_implementation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "harness/abi/processor.h"
#include "harness/verify/network.h"
#include "harness/verify/reference_trajectory.h"

namespace gdbench::verify::testing {

namespace {

using catalogue::ParameterRounding;
using scenario::Problem;

template <class T>
T pairwise_sum(const T* terms, std::size_t count) {
  if (count == 0) return T(0);
  if (count == 1) return terms[0];
  return pairwise_sum(terms, count / 2) + pairwise_sum(terms + count / 2, count - count / 2);
}

double cut_to_tf32(double value) { return value; }
float cut_to_tf32(float value) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & ~0x1fffU); }

// To the nearest bfloat16, ties to even, or to the next one towards zero.
float rounded_to_bfloat16(float value, bool cut) {
  auto bits = std::bit_cast<std::uint32_t>(value);
  if (!cut) bits += 0x7fff + (bits >> 16 & 1);
  return std::bit_cast<float>(bits & 0xffff0000U);
}

// To the nearest binary16 or the next one towards zero, which is what the compiler's own type is for.
float rounded_to_binary16(float value, bool cut) {
  const auto nearest = static_cast<processor::Binary16>(value);
  const auto result = static_cast<float>(nearest);
  if (!cut || std::abs(result) <= std::abs(value)) return result;
  return static_cast<float>(
      std::bit_cast<processor::Binary16>(static_cast<std::uint16_t>(std::bit_cast<std::uint16_t>(nearest) - 1)));
}

// Sum of a[i] * b[i].
template <class T>
T dot(std::vector<T> a, std::vector<T> b, Summation summation) {
  T sum = 0;
  switch (summation) {
    case Summation::reversed:
      std::reverse(a.begin(), a.end());
      std::reverse(b.begin(), b.end());
      [[fallthrough]];
    case Summation::forward:
      for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
      return sum;
    case Summation::fused:
      for (std::size_t i = 0; i < a.size(); ++i) sum = std::fma(a[i], b[i], sum);
      return sum;
    case Summation::tf32:
      for (std::size_t i = 0; i < a.size(); ++i) sum += cut_to_tf32(a[i]) * cut_to_tf32(b[i]);
      return sum;
    case Summation::pairwise:
      for (std::size_t i = 0; i < a.size(); ++i) a[i] *= b[i];
      return pairwise_sum(a.data(), a.size());
    case Summation::blocked: {
      T lanes[8] = {};
      for (std::size_t i = 0; i < a.size(); ++i) lanes[i % 8] += a[i] * b[i];
      for (const T lane : lanes) sum += lane;
      return sum;
    }
  }
  return sum;
}

// `count` entries from `first` on, `stride` apart: a row or a column of a matrix.
template <class T>
std::vector<T> entries(const std::vector<T>& matrix, std::size_t first, std::size_t stride, std::size_t count) {
  std::vector<T> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(matrix[first + i * stride]);
  return values;
}

// What a fault makes of the rule of an update.
Problem with_fault(Problem problem, Fault fault) {
  if (fault == Fault::unrounded_parameters) problem.parameter_rounding = ParameterRounding::none;
  if (fault == Fault::nearest_parameters) problem.parameter_rounding = ParameterRounding::nearest;
  if (fault == Fault::stochastic_parameters) problem.parameter_rounding = ParameterRounding::stochastic;
  if (fault == Fault::other_stream) problem.rounding_seed += 7;
  if (fault == Fault::constant_scale) problem.loss_scaling.growth_interval = std::numeric_limits<std::int64_t>::max();
  return problem;
}

template <class T>
class Trainer {
 public:
  Trainer(const Case& problem_case, Summation summation, Fault fault)
      : case_(problem_case),
        problem_(with_fault(problem_case.problem, fault)),
        wide_(uniform_of(problem_)),
        summation_(summation),
        sums_(summation == Summation::tf32 ? Summation::forward : summation),
        fault_(fault),
        state_(to_reference<T>(problem_case.start)) {}

  void step() {
    std::vector<std::int64_t> rows = batch();
    const auto divisor = static_cast<std::int64_t>(rows.size());
    if (fault_ == Fault::dropped_last_row) rows.pop_back();
    const std::vector<LayerView<T>> layers = layers_of(wide_, state_);
    const Chunk<T> chunk = forward(layers, rows);
    std::vector<T> upstream;
    loss_of(problem_.loss, chunk, problem_.outputs(), divisor, &upstream);
    T factor = fault_ == Fault::doubled_loss_gradient ? T(2) : T(1);
    if (fault_ == Fault::summed_loss) factor = static_cast<T>(divisor);
    for (T& value : upstream) value *= factor;
    std::vector<std::vector<T>> gradients = state_.parameters;
    for (std::size_t l = layers.size(); l-- > 0;) upstream = backward(layers[l], l, chunk, upstream, gradients);
    take_step(problem_, gradients, state_);
    if (fault_ != Fault::narrow_parameters) return;
    for (std::vector<T>& values : state_.parameters) std::ranges::transform(values, values.begin(), rounding());
  }

  double loss() const {
    std::vector<std::int64_t> rows(static_cast<std::size_t>(problem_.rows));
    std::iota(rows.begin(), rows.end(), 0);
    const ReferenceState<T> evaluated = at_average(problem_, state_);
    const Chunk<T> chunk = forward(layers_of(wide_, evaluated), rows);
    return static_cast<double>(loss_of<T>(problem_.loss, chunk, problem_.outputs(), problem_.rows, nullptr));
  }

  scenario::State state() const { return to_state(state_); }

 private:
  std::vector<std::int64_t> batch() const {
    const std::int64_t count = case_.dataset.batch_size(problem_, state_.step);
    std::vector<std::int64_t> rows(static_cast<std::size_t>(count));
    if (fault_ == Fault::unshuffled) {
      std::iota(rows.begin(), rows.end(), state_.step % problem_.steps_per_epoch() * problem_.batch_rows);
    } else {
      case_.dataset.rows_of(problem_, state_.step, 0, count, rows.data());
    }
    return rows;
  }

  // [inputs, outputs]
  std::vector<T> weights_of(const LayerView<T>& layer) const {
    const std::vector<T> stored(layer.weights, layer.weights + layer.inputs * layer.outputs);
    if (fault_ != Fault::transposed_weight || layer.weights_index > 0) return stored;
    const auto width = static_cast<std::size_t>(layer.inputs);
    std::vector<T> transposed;
    for (std::size_t i = 0; i < stored.size(); ++i) transposed.push_back(stored[i % width * width + i / width]);
    return transposed;
  }

  Chunk<T> forward(const std::vector<LayerView<T>>& layers, const std::vector<std::int64_t>& rows) const {
    Chunk<T> chunk;
    chunk.activations.resize(layers.size() + 1);
    chunk.pre_activations.resize(layers.size());
    chunk.normalized.resize(layers.size());
    load_rows(case_.dataset, rows.data(), static_cast<std::int64_t>(rows.size()), chunk);
    for (std::size_t l = 0; l < layers.size(); ++l) {
      const auto inputs = static_cast<std::size_t>(layers[l].inputs);
      const auto outputs = static_cast<std::size_t>(layers[l].outputs);
      const std::vector<T> weights = weights_of(layers[l]);
      std::vector<T>& values = chunk.activations[l + 1];
      for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t j = 0; j < outputs; ++j) {
          const T bias = layers[l].bias != nullptr ? result(layers[l].bias[j]) : T(0);
          const T sum =
              product(entries(chunk.activations[l], r * inputs, 1, inputs), entries(weights, j, outputs, inputs));
          values.push_back(result(sum + bias));
        }
      }
      if (layers[l].scale != nullptr) normalize(layers[l], chunk.normalized[l], values);
      activate(layers[l], l, chunk);
      if (problem_.rounds_results) std::ranges::transform(values, values.begin(), rounding());
    }
    return chunk;
  }

  T mean(const std::vector<T>& values) const {
    return dot(values, std::vector<T>(values.size(), T(1)), sums_) / static_cast<T>(values.size());
  }

  void normalize(const LayerView<T>& layer, Normalized<T>& normalized, std::vector<T>& values) const {
    const auto width = static_cast<std::size_t>(layer.outputs);
    const auto epsilon = static_cast<T>(GDBENCH_LAYER_NORM_EPSILON);
    normalized.values = values;
    for (std::size_t first = 0; first < values.size(); first += width) {
      const T middle = mean(entries(values, first, 1, width));
      std::vector<T> squares;
      for (std::size_t j = 0; j < width; ++j) {
        normalized.values[first + j] -= middle;
        squares.push_back(normalized.values[first + j] * normalized.values[first + j]);
      }
      T variance = mean(squares);
      if (fault_ == Fault::unbiased_variance) variance *= static_cast<T>(width) / static_cast<T>(width - 1);
      const T root = fault_ == Fault::epsilon_of_root ? std::sqrt(variance) + epsilon : std::sqrt(variance + epsilon);
      normalized.factors.push_back(T(1) / root);
      for (std::size_t j = 0; j < width; ++j) {
        normalized.values[first + j] /= root;
        values[first + j] = layer.scale[j] * normalized.values[first + j] + layer.shift[j];
      }
    }
  }

  // In place.
  void add_normalization_gradients(const LayerView<T>& layer, const Normalized<T>& normalized, std::vector<T>& delta,
                                   std::vector<std::vector<T>>& gradients) const {
    const auto width = static_cast<std::size_t>(layer.outputs);
    const std::size_t rows = normalized.factors.size();
    std::vector<T> products;
    for (std::size_t i = 0; i < delta.size(); ++i) products.push_back(delta[i] * normalized.values[i]);
    for (std::size_t j = 0; j < width; ++j) {
      gradients[layer.shift_index][j] = mean(entries(delta, j, width, rows)) * static_cast<T>(rows);
      gradients[layer.scale_index][j] =
          fault_ == Fault::frozen_scale ? T(0) : mean(entries(products, j, width, rows)) * static_cast<T>(rows);
    }
    for (std::size_t i = 0; i < delta.size(); ++i) {
      delta[i] *= layer.scale[i % width];
      products[i] = delta[i] * normalized.values[i];
    }
    for (std::size_t row = 0; row < rows; ++row) {
      const T middle = mean(entries(delta, row * width, 1, width));
      const T correlation = mean(entries(products, row * width, 1, width));
      for (std::size_t i = row * width; i < (row + 1) * width; ++i) {
        if (fault_ != Fault::straight_gradient) delta[i] -= middle + normalized.values[i] * correlation;
        delta[i] *= normalized.factors[row];
      }
    }
  }

  // From dL/dA of a layer to its gradients and to what it hands on.
  std::vector<T> backward(const LayerView<T>& layer, std::size_t l, const Chunk<T>& chunk,
                          const std::vector<T>& upstream, std::vector<std::vector<T>>& gradients) const {
    const auto rows = static_cast<std::size_t>(chunk.rows);
    const auto inputs = static_cast<std::size_t>(layer.inputs);
    const auto outputs = static_cast<std::size_t>(layer.outputs);
    std::vector<T> delta = derivative_arguments(layer, l, chunk);
    for (std::size_t i = 0; i < delta.size(); ++i) {
      delta[i] = gradient_operand(upstream[i] * derivative_of(layer.activation, operand(delta[i])));
    }
    if (layer.scale != nullptr) add_normalization_gradients(layer, chunk.normalized[l], delta, gradients);
    for (std::size_t j = 0; j < outputs && layer.bias != nullptr; ++j) {
      gradients[layer.bias_index][j] = bias_gradient(layer, entries(delta, j, outputs, rows));
    }
    for (std::size_t i = 0; i < inputs * outputs; ++i) {
      const std::vector<T> column = entries(chunk.activations[l], i / outputs, inputs, rows);
      gradients[layer.weights_index][i] = gradient_product(column, entries(delta, i % outputs, outputs, rows));
    }
    const std::vector<T> weights = weights_of(layer);
    std::vector<T> below;
    for (std::size_t i = 0; i < rows * inputs; ++i) {
      below.push_back(gradient_product(entries(weights, i % inputs * outputs, 1, outputs),
                                       entries(delta, i / inputs * outputs, 1, outputs)));
    }
    return below;
  }

  T bias_gradient(const LayerView<T>& layer, const std::vector<T>& deltas) const {
    const std::vector<T> ones(deltas.size(), T(1));
    if (fault_ == Fault::frozen_bias && !layer.hidden) return 0;
    if (fault_ == Fault::narrow_bias_sums) return gradient_result(narrow_gradient_dot(ones, deltas));
    return updated_by(gradient_result(dot(deltas, ones, sums_)));
  }

  // `deltas` were rounded before.
  T gradient_product(std::vector<T> a, const std::vector<T>& deltas) const {
    std::ranges::transform(a, a.begin(), rounding());
    const T sum = fault_ == Fault::narrow_sums ? narrow_gradient_dot(a, deltas) : dot(std::move(a), deltas, summation_);
    return updated_by(gradient_result(sum));
  }

  T updated_by(T gradient) const {
    return fault_ == Fault::updates_on_overflow && !std::isfinite(gradient) ? T(0) : gradient;
  }

  // What a product multiplies in place of `value`.
  T operand(T value) const {
    if (!catalogue::is_mixed(problem_.dtype) || fault_ == Fault::wide_operands) return value;
    const bool cut = fault_ == Fault::cut_operands;
    const auto single = static_cast<float>(value);
    return static_cast<T>(catalogue::scales_loss(problem_.dtype) ? rounded_to_binary16(single, cut)
                                                                 : rounded_to_bfloat16(single, cut));
  }
  auto rounding() const {
    return [this](T value) { return operand(value); };
  }
  T result(T value) const { return problem_.rounds_results ? operand(value) : value; }

  // What the loss's gradient is a factor of is rounded with the scale of the loss.
  T gradient_operand(T value) const {
    const T scale = fault_ == Fault::unscaled_loss ? T(1) : state_.loss_scale;
    return operand(value * scale) / scale;
  }
  T gradient_result(T value) const { return problem_.rounds_results ? gradient_operand(value) : value; }

  T product(std::vector<T> a, std::vector<T> b) const {
    std::ranges::transform(a, a.begin(), rounding());
    std::ranges::transform(b, b.begin(), rounding());
    return fault_ == Fault::narrow_sums ? narrow_dot(a, b, rounding()) : dot(std::move(a), std::move(b), summation_);
  }

  template <class Round>
  T narrow_dot(const std::vector<T>& a, const std::vector<T>& b, const Round& round) const {
    T sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::size_t next = summation_ == Summation::reversed ? a.size() - 1 - i : i;
      sum = round(sum + a[next] * b[next]);
    }
    return sum;
  }
  T narrow_gradient_dot(const std::vector<T>& a, const std::vector<T>& b) const {
    return narrow_dot(a, b, [this](T sum) { return gradient_operand(sum); });
  }

  const Case& case_;
  Problem problem_;
  Problem wide_;  // without roundings, which are made here
  Summation summation_;
  Summation sums_;  // of what is no product
  Fault fault_;
  ReferenceState<T> state_;
};

template <class T>
Outcome train_in(const Case& problem_case, std::int64_t steps, Summation summation, Fault fault) {
  Trainer<T> trainer(problem_case, summation, fault);
  std::int64_t made = steps;
  if (fault == Fault::extra_step) ++made;
  if (fault == Fault::missing_step) --made;
  for (std::int64_t step = 0; step < made; ++step) trainer.step();
  Outcome outcome{trainer.state(), trainer.loss()};
  outcome.state.step = problem_case.start.step + steps;
  if (fault == Fault::wrong_entry) outcome.state.parameters[0].back() *= 1.001;
  return outcome;
}

}  // namespace

Outcome train_otherwise(const Case& problem_case, std::int64_t steps, Summation summation, Fault fault) {
  const bool wide = problem_case.problem.dtype == scenario::Dtype::f64;
  return wide ? train_in<double>(problem_case, steps, summation, fault)
              : train_in<float>(problem_case, steps, summation, fault);
}

}  // namespace gdbench::verify::testing
