// What each activation does to an entry.
#pragma once

#include <cmath>

#include "harness/abi/catalogue.h"
#include "implementations/kernels/rules/host_device.h"
#include "implementations/kernels/rules/rule_of.h"

namespace gdbench::kernels {

// Of an activation f, and f' in terms of a = f(z).
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
  template <class T>
  GDBENCH_HOST_DEVICE static T value(T z) {
    return std::tanh(z);
  }
  template <class T>
  GDBENCH_HOST_DEVICE static T derivative(T a) {
    return 1 - a * a;
  }
};
template <>
struct RuleOf<catalogue::Activation::sigmoid> {
  template <class T>
  GDBENCH_HOST_DEVICE static T value(T z) {
    return 1 / (1 + std::exp(-z));
  }
  template <class T>
  GDBENCH_HOST_DEVICE static T derivative(T a) {
    return a * (1 - a);
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

}  // namespace gdbench::kernels
