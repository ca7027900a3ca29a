// What each activation does to an entry.
#pragma once

#include <cmath>

#include "implementations/kernels/rules/host_device.h"

namespace gdbench::kernels {

// Each activation f, and f' in terms of a = f(z).
struct Identity {
  template <class T>
  GDBENCH_HOST_DEVICE static T value(T z) {
    return z;
  }
  template <class T>
  GDBENCH_HOST_DEVICE static T derivative(T /*a*/) {
    return 1;
  }
};
struct Relu {
  template <class T>
  GDBENCH_HOST_DEVICE static T value(T z) {
    return z < T(0) ? T(0) : z;  // a NaN stays one
  }
  template <class T>
  GDBENCH_HOST_DEVICE static T derivative(T a) {
    return a > T(0) ? T(1) : T(0);
  }
};
struct Tanh {
  template <class T>
  GDBENCH_HOST_DEVICE static T value(T z) {
    return std::tanh(z);
  }
  template <class T>
  GDBENCH_HOST_DEVICE static T derivative(T a) {
    return 1 - a * a;
  }
};
struct Sigmoid {
  template <class T>
  GDBENCH_HOST_DEVICE static T value(T z) {
    return 1 / (1 + std::exp(-z));
  }
  template <class T>
  GDBENCH_HOST_DEVICE static T derivative(T a) {
    return a * (1 - a);
  }
};

}  // namespace gdbench::kernels
