// Internal to plain: a fully connected layer, one row at a time.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "harness/abi/catalogue.h"

namespace gdbench::loop {

using catalogue::Activation;

// Arrays begin where a cache line does: otherwise the time of a step would depend on where the heap puts them.
template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{GDBENCH_ALIGNMENT};

  AlignedAllocator() = default;
  template <class Other>
  explicit AlignedAllocator(const AlignedAllocator<Other>& /*other*/) {}
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kAlignment)); }
  void deallocate(T* values, std::size_t /*count*/) { ::operator delete(values, kAlignment); }
  bool operator==(const AlignedAllocator&) const = default;
};
template <class T>
struct Array : std::vector<T, AlignedAllocator<T>> {
  using Base = std::vector<T, AlignedAllocator<T>>;
  using Base::Base;
  // By indices of any type, as pointers.
  T& operator[](std::integral auto i) { return Base::operator[](static_cast<std::size_t>(i)); }
  const T& operator[](std::integral auto i) const { return Base::operator[](static_cast<std::size_t>(i)); }
};

// output = activation(input W + b), W [inputs, outputs], for one row at a time.
template <class T>
struct Layer {
  std::int64_t inputs;
  std::int64_t outputs;
  Activation activation;
  const T* weights;
  const T* bias;  // null where the layer has none
  T* weights_gradient;
  T* bias_gradient;
  Array<T> sums;  // input W + b, where the activation's derivative reads them; otherwise empty
  Array<T> output;
  Array<T> delta;  // d loss / d (input W + b)
};

template <class T>
T normal_distribution(T z) {
  return std::erfc(z * static_cast<T>(-0.70710678118654752440)) / 2;
}

// Of tanh in GDBENCH_GELU_TANH.
constexpr double kGeluScale = 0.79788456080286535588;  // sqrt(2 / pi)
constexpr double kGeluCube = 0.044715;
template <class T>
T gelu_argument(T z) {
  return static_cast<T>(kGeluScale) * z * (1 + static_cast<T>(kGeluCube) * z * z);
}

template <class T>
void activate(Activation activation, Array<T>& values) {
  switch (activation) {
    case Activation::identity:
      return;
    case Activation::relu:
      for (T& z : values) z = z < 0 ? 0 : z;
      return;
    case Activation::tanh:
      for (T& z : values) z = std::tanh(z);
      return;
    case Activation::sigmoid:
      for (T& z : values) z = 1 / (1 + std::exp(-z));
      return;
    case Activation::leaky_relu:
      for (T& z : values) z = z > 0 ? z : z / 100;
      return;
    case Activation::silu:
      for (T& z : values) z = z / (1 + std::exp(-z));
      return;
    case Activation::gelu:
      for (T& z : values) z = z * normal_distribution(z);
      return;
    case Activation::gelu_tanh:
      for (T& z : values) z = z / 2 * (1 + std::tanh(gelu_argument(z)));
      return;
    case Activation::softplus:
      for (T& z : values) z = (z < 0 ? 0 : z) + std::log1p(std::exp(-std::abs(z)));
      return;
  }
}

// delta = delta * f'(z), in terms of f(z) where that is enough.
template <class T>
void multiply_by_derivative(Layer<T>& layer) {
  const std::int64_t outputs = layer.outputs;
  const T* __restrict a = layer.output.data();
  const T* __restrict z = layer.sums.data();
  T* __restrict delta = layer.delta.data();
  switch (layer.activation) {
    case Activation::identity:
      return;
    case Activation::relu:
      for (std::int64_t j = 0; j < outputs; ++j) delta[j] = a[j] > 0 ? delta[j] : 0;
      return;
    case Activation::tanh:
      for (std::int64_t j = 0; j < outputs; ++j) delta[j] *= 1 - a[j] * a[j];
      return;
    case Activation::sigmoid:
      for (std::int64_t j = 0; j < outputs; ++j) delta[j] *= a[j] * (1 - a[j]);
      return;
    case Activation::leaky_relu:
      for (std::int64_t j = 0; j < outputs; ++j) delta[j] = a[j] > 0 ? delta[j] : delta[j] / 100;
      return;
    case Activation::silu:
      for (std::int64_t j = 0; j < outputs; ++j) {
        const T s = 1 / (1 + std::exp(-z[j]));
        delta[j] *= s * (1 + z[j] * (1 - s));
      }
      return;
    case Activation::gelu: {
      constexpr T kDensityAtZero = static_cast<T>(0.39894228040143267794);  // 1 / sqrt(2 pi)
      for (std::int64_t j = 0; j < outputs; ++j) {
        delta[j] *= normal_distribution(z[j]) + z[j] * kDensityAtZero * std::exp(-z[j] * z[j] / 2);
      }
      return;
    }
    case Activation::gelu_tanh:
      for (std::int64_t j = 0; j < outputs; ++j) {
        const T t = std::tanh(gelu_argument(z[j]));
        const T slope = static_cast<T>(kGeluScale) * (1 + static_cast<T>(3 * kGeluCube) * z[j] * z[j]);
        delta[j] *= (1 + t + z[j] * (1 - t * t) * slope) / 2;
      }
      return;
    case Activation::softplus:
      for (std::int64_t j = 0; j < outputs; ++j) delta[j] *= -std::expm1(-a[j]);
      return;
  }
}

template <class T>
void forward(Layer<T>& layer, const T* __restrict input) {
  const std::int64_t outputs = layer.outputs;
  T* __restrict output = layer.output.data();
  for (std::int64_t j = 0; j < outputs; ++j) output[j] = layer.bias != nullptr ? layer.bias[j] : 0;
  if (outputs == 1) {  // W is a vector
    T sum = output[0];
    for (std::int64_t i = 0; i < layer.inputs; ++i) sum += input[i] * layer.weights[i];
    output[0] = sum;
  } else {
    for (std::int64_t i = 0; i < layer.inputs; ++i) {
      for (std::int64_t j = 0; j < outputs; ++j) output[j] += input[i] * layer.weights[i * outputs + j];
    }
  }
  if (!layer.sums.empty()) layer.sums = layer.output;
  activate(layer.activation, layer.output);
}

// Adds the row's part of the layer's gradient.
template <class T>
void add_gradient(const Layer<T>& layer, const T* __restrict input) {
  const std::int64_t outputs = layer.outputs;
  const T* __restrict delta = layer.delta.data();
  T* __restrict gradient = layer.weights_gradient;
  if (outputs == 1) {
    for (std::int64_t i = 0; i < layer.inputs; ++i) gradient[i] += input[i] * delta[0];
  } else {
    for (std::int64_t i = 0; i < layer.inputs; ++i) {
      for (std::int64_t j = 0; j < outputs; ++j) gradient[i * outputs + j] += input[i] * delta[j];
    }
  }
  for (std::int64_t j = 0; layer.bias != nullptr && j < outputs; ++j) layer.bias_gradient[j] += delta[j];
}

// From a layer's delta to that of the layer before it.
template <class T>
void backward(const Layer<T>& layer, Layer<T>& before) {
  for (std::int64_t i = 0; i < layer.inputs; ++i) {
    T sum = 0;
    for (std::int64_t j = 0; j < layer.outputs; ++j) sum += layer.weights[i * layer.outputs + j] * layer.delta[j];
    before.delta[i] = sum;
  }
  multiply_by_derivative(before);
}

}  // namespace gdbench::loop
