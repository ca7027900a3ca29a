// What each activation does to an entry.
#pragma once

#include <cmath>

#include "harness/abi/catalogue.h"
#include "implementations/backends/common/rules/rule_of.h"

namespace gdbench::backends {

// Of GDBENCH_GELU_TANH: sqrt(2 / pi), and the factor of z^3.
constexpr double kGeluScale = 0.79788456080286535588;
constexpr double kGeluCube = 0.044715;

// Of an activation f, and f' in terms of a = f(z), or of z where catalogue::reads_input says so.
template <>
struct RuleOf<catalogue::Activation::identity> {
  template <class T>
  GDBENCH_HOST_DEVICE static T value(T z) {
    return z;
  }
  template <class T>
  GDBENCH_HOST_DEVICE static T derivative(T /*a*/) {
    return 1;
  }
};
template <>
struct RuleOf<catalogue::Activation::relu> {
  template <class T>
  GDBENCH_HOST_DEVICE static T value(T z) {
    return z < T(0) ? T(0) : z;  // a NaN stays one
  }
  template <class T>
  GDBENCH_HOST_DEVICE static T derivative(T a) {
    return a > T(0) ? T(1) : T(0);
  }
};
template <>
struct RuleOf<catalogue::Activation::tanh> {
  GDBENCH_HOST_DEVICE static auto value(const auto& z) {
    using std::tanh;
    return tanh(z);
  }
  GDBENCH_HOST_DEVICE static auto derivative(const auto& a) {
    using T = Entry<decltype(a)>;
    return T(1) - a * a;
  }
};
template <>
struct RuleOf<catalogue::Activation::sigmoid> {
  GDBENCH_HOST_DEVICE static auto value(const auto& z) {
    using T = Entry<decltype(z)>;
    using std::exp;
    return T(1) / (T(1) + exp(-z));
  }
  GDBENCH_HOST_DEVICE static auto derivative(const auto& a) {
    using T = Entry<decltype(a)>;
    return a * (T(1) - a);
  }
};
template <>
struct RuleOf<catalogue::Activation::leaky_relu> {
  template <class T>
  GDBENCH_HOST_DEVICE static T value(T z) {
    return z > T(0) ? z : z * T(0.01);
  }
  template <class T>
  GDBENCH_HOST_DEVICE static T derivative(T a) {
    return a > T(0) ? T(1) : T(0.01);
  }
};
template <>
struct RuleOf<catalogue::Activation::silu> {
  GDBENCH_HOST_DEVICE static auto value(const auto& z) {
    using T = Entry<decltype(z)>;
    using std::exp;
    return z / (T(1) + exp(-z));
  }
  GDBENCH_HOST_DEVICE static auto derivative(const auto& z) {
    using T = Entry<decltype(z)>;
    const auto s = evaluated(RuleOf<catalogue::Activation::sigmoid>::value(z));
    return evaluated(s * (T(1) + z * (T(1) - s)));
  }
};
// The normal distribution at z is erfc(-z / sqrt(2)) / 2, which loses nothing where it is small.
template <>
struct RuleOf<catalogue::Activation::gelu> {
  template <class T>
  GDBENCH_HOST_DEVICE static T value(T z) {
    return z * distribution(z);
  }
  template <class T>
  GDBENCH_HOST_DEVICE static T derivative(T z) {
    constexpr double kDensityAtZero = 0.39894228040143267794;  // 1 / sqrt(2 pi)
    return distribution(z) + z * T(kDensityAtZero) * std::exp(z * z * T(-0.5));
  }

 private:
  template <class T>
  GDBENCH_HOST_DEVICE static T distribution(T z) {
    constexpr double kRootOfHalf = 0.70710678118654752440;
    return std::erfc(z * T(-kRootOfHalf)) * T(0.5);
  }
};
template <>
struct RuleOf<catalogue::Activation::gelu_tanh> {
  GDBENCH_HOST_DEVICE static auto value(const auto& z) {
    using T = Entry<decltype(z)>;
    return T(0.5) * z * (T(1) + tangent(z));
  }
  GDBENCH_HOST_DEVICE static auto derivative(const auto& z) {
    using T = Entry<decltype(z)>;
    const auto t = evaluated(tangent(z));
    return evaluated(T(0.5) * (T(1) + t + z * (T(1) - t * t) * T(kGeluScale) * (T(1) + T(3 * kGeluCube) * z * z)));
  }

 private:
  GDBENCH_HOST_DEVICE static auto tangent(const auto& z) {
    using std::tanh;
    using T = Entry<decltype(z)>;
    return tanh(T(kGeluScale) * z * (T(1) + T(kGeluCube) * z * z));
  }
};
// Of f(z), the derivative 1 / (1 + e^-z) is 1 - e^-f(z).
template <>
struct RuleOf<catalogue::Activation::softplus> {
  template <class T>
  GDBENCH_HOST_DEVICE static T value(T z) {
    return (z < T(0) ? T(0) : z) + std::log1p(std::exp(-std::abs(z)));
  }
  GDBENCH_HOST_DEVICE static auto derivative(const auto& a) {
    using std::expm1;
    return -expm1(-a);
  }
};

}  // namespace gdbench::backends
