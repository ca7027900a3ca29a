// Internal to plain: what rows of a batch add to the gradient. A thread has one of these for its rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "gdbench/plugin.h"
#include "implementations/common/mixed_precision/narrow_formats.h"
#include "implementations/strategies/loop/layer.h"

namespace gdbench::loop {

using catalogue::Loss;

template <catalogue::Dtype dtype>
class Rows {
 public:
  using T = typename catalogue::ElementOf<dtype>::Type;
  static constexpr bool mixed = catalogue::is_mixed(dtype);

  // The parameters lie as w0 b0 w1 b1 ..., one after the other, and so does the gradient. All outlive this.
  Rows(const gdbench_data& data, const gdbench_problem& problem, const Array<T>& parameters)
      : data_(data), problem_(problem), parameters_(parameters.data()), gradient_(parameters.size()) {
    const bool regression = !mixed && problem.layer_count == 1 && problem.layers[0].outputs == 1 &&
                            problem.layers[0].activation == GDBENCH_IDENTITY &&
                            (problem.loss == GDBENCH_MSE || problem.loss == GDBENCH_HALF_MSE);
    add_gradients_ = regression ? &Rows::linear_regression : &Rows::perceptron;
    if (mixed) rounded_.resize(parameters.size());
    if (mixed) input_.resize(static_cast<std::size_t>(data.features));
    const T* weights = parameters_;
    T* gradient = gradient_.data();
    for (std::int64_t l = 0; l < problem.layer_count; ++l) {
      const auto& [inputs, outputs, value, has_bias] = problem.layers[l];
      const Activation activation = catalogue::activation_of(problem.layers[l]);
      const std::int64_t bias = inputs * outputs;
      const auto width = static_cast<std::size_t>(outputs);
      const T* const read = mixed ? rounded_.data() + (weights - parameters_) : weights;
      layers_.push_back({inputs, outputs, activation, read, has_bias != 0 ? weights + bias : nullptr, gradient,
                         gradient + bias, Array<T>(catalogue::reads_input(activation) ? width : 0), Array<T>(width),
                         Array<T>(width)});
      weights += bias + has_bias * outputs;
      gradient += bias + has_bias * outputs;
    }
    whole_delta_.resize(layers_.back().output.size());
  }
  // Layers point into the gradient.
  Rows(Rows&&) = default;

  // The gradient of rows number `first` to `last` of the order, without `factor`, which all rows share; with `mixed`
  // times it, for what is rounded must not depend on when it is multiplied.
  void find_gradient(const std::uint32_t* order, std::int64_t first, std::int64_t last, T factor) {
    std::fill(gradient_.begin(), gradient_.end(), T(0));
    factor_ = factor;
    round_weights();
    (this->*add_gradients_)(order, first, last);
  }
  Array<T>& gradient() { return gradient_; }

  // The sum of the losses of rows, those that `order` names from `first` to before `last`; null: of these numbers.
  double loss_sum(const T* x, const T* y, const std::int32_t* labels, const std::uint32_t* order, std::int64_t first,
                  std::int64_t last) {
    const Array<T>& output = layers_.back().output;
    double sum = 0;
    round_weights();
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t row = order != nullptr ? order[i] : i;
      forward_all(x + row * data_.features);
      if (problem_.loss == GDBENCH_SOFTMAX_CROSS_ENTROPY) {
        const T shift = *std::max_element(output.begin(), output.end());
        double exponentials = 0;
        for (const T p : output) exponentials += std::exp(static_cast<double>(p - shift));
        sum += std::log(exponentials) - static_cast<double>(output[labels[row]] - shift);
      } else {
        for (std::size_t j = 0; j < output.size(); ++j) {
          const double target = static_cast<double>(y[static_cast<std::size_t>(row * data_.outputs) + j]);
          sum += term(static_cast<double>(output[j]), target) / static_cast<double>(data_.outputs);
        }
      }
    }
    return sum;
  }

 private:
  void linear_regression(const std::uint32_t* order, std::int64_t first, std::int64_t last) {
    const T* x = static_cast<const T*>(data_.x);
    const T* y = static_cast<const T*>(data_.y);
    const std::int64_t features = data_.features;
    const T* weights = parameters_;
    T* gradient = gradient_.data();
    const bool has_bias = problem_.layers[0].has_bias != 0;
    const T bias = has_bias ? weights[features] : 0;
    T bias_gradient = 0;
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t row = order != nullptr ? order[i] : i;
      T prediction = bias;
      for (std::int64_t f = 0; f < features; ++f) prediction += x[row * features + f] * weights[f];
      const T error = prediction - y[row];
      for (std::int64_t f = 0; f < features; ++f) gradient[f] += error * x[row * features + f];
      bias_gradient += error;
    }
    if (has_bias) gradient[features] = bias_gradient;
  }

  void perceptron(const std::uint32_t* order, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t row = order != nullptr ? order[i] : i;
      const T* x = forward_all(static_cast<const T*>(data_.x) + row * data_.features);
      set_output_delta(row);
      Array<T>& delta = layers_.back().delta;
      if (problem_.task == GDBENCH_TASK_TRAIN) {
        backward_all(x);
        continue;
      }
      // The task gradients: a sweep per output column, whose delta is 0 elsewhere.
      whole_delta_ = delta;
      for (std::size_t column = 0; column < delta.size(); ++column) {
        std::fill(delta.begin(), delta.end(), T(0));
        delta[column] = whole_delta_[column];
        backward_all(x);
      }
    }
  }

  // Returns what the first product multiplied.
  const T* forward_all(const T* x) {
    if constexpr (mixed) {
      std::transform(x, x + input_.size(), input_.begin(), implementations::operand_of<dtype>);
      x = input_.data();
    }
    const T* input = x;
    for (Layer<T>& layer : layers_) {
      forward(layer, input);
      if (&layer != &layers_.back()) round(layer.output);
      round(layer.sums);
      input = layer.output.data();
    }
    return x;
  }

  // Nothing where the arithmetic is uniform.
  static void round(Array<T>& values) {
    if constexpr (mixed)
      std::transform(values.begin(), values.end(), values.begin(), implementations::operand_of<dtype>);
  }
  void round_weights() {
    if constexpr (mixed)
      std::transform(parameters_, parameters_ + rounded_.size(), rounded_.begin(), implementations::operand_of<dtype>);
  }

  // From d loss / d output in the last layer's delta.
  void finish_output_delta() {
    Layer<T>& layer = layers_.back();
    round(layer.output);
    if constexpr (mixed) {
      for (T& value : layer.delta) value *= factor_;
    }
    multiply_by_derivative(layer);
    round(layer.delta);
  }

  // What an output adds to a loss that is a mean over them.
  double term(double output, double target) const {
    switch (catalogue::loss_of(problem_)) {
      case Loss::mse:
        return (output - target) * (output - target);
      case Loss::half_mse:
        return (output - target) * (output - target) / 2;
      case Loss::huber: {
        const double error = std::abs(output - target);
        const double delta = problem_.huber_delta;
        return error <= delta ? error * error / 2 : delta * (error - delta / 2);
      }
      case Loss::binary_cross_entropy:
        return std::max(output, 0.0) - output * target + std::log1p(std::exp(-std::abs(output)));
      case Loss::softmax_cross_entropy:
        break;
    }
    return 0;
  }

  // Without the factors that all rows share.
  void set_output_delta(std::int64_t row) {
    Layer<T>& layer = layers_.back();
    const Array<T>& output = layer.output;
    if (problem_.loss == GDBENCH_SOFTMAX_CROSS_ENTROPY) {
      const T shift = *std::max_element(output.begin(), output.end());  // changes nothing, and exp does not overflow
      T sum = 0;
      for (std::int64_t j = 0; j < layer.outputs; ++j) sum += layer.delta[j] = std::exp(output[j] - shift);
      for (std::int64_t j = 0; j < layer.outputs; ++j) layer.delta[j] /= sum;
      layer.delta[data_.labels[row]] -= 1;
      finish_output_delta();
      return;
    }
    const T* y = static_cast<const T*>(data_.y) + row * layer.outputs;
    switch (catalogue::loss_of(problem_)) {
      case Loss::mse:
      case Loss::half_mse:
        for (std::int64_t j = 0; j < layer.outputs; ++j) layer.delta[j] = output[j] - y[j];
        break;
      case Loss::huber: {
        const T delta = static_cast<T>(problem_.huber_delta);
        for (std::int64_t j = 0; j < layer.outputs; ++j) layer.delta[j] = std::clamp(output[j] - y[j], -delta, delta);
        break;
      }
      case Loss::binary_cross_entropy:
        for (std::int64_t j = 0; j < layer.outputs; ++j) layer.delta[j] = 1 / (1 + std::exp(-output[j])) - y[j];
        break;
      case Loss::softmax_cross_entropy:
        break;  // above
    }
    finish_output_delta();
  }

  void backward_all(const T* x) {
    for (std::size_t l = layers_.size() - 1; l > 0; --l) {
      add_gradient(layers_[l], layers_[l - 1].output.data());
      backward(layers_[l], layers_[l - 1]);
      round(layers_[l - 1].delta);
    }
    add_gradient(layers_[0], x);
  }

  const gdbench_data& data_;
  const gdbench_problem& problem_;
  const T* parameters_;
  void (Rows::*add_gradients_)(const std::uint32_t* order, std::int64_t first, std::int64_t last);
  Array<T> gradient_;
  std::vector<Layer<T>> layers_;
  Array<T> whole_delta_;  // of the last layer, for the task gradients
  // With `mixed`: the parameters and a row as products read them, and what a row's loss is multiplied by.
  Array<T> rounded_;
  Array<T> input_;
  T factor_ = 1;
};

}  // namespace gdbench::loop
