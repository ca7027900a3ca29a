// The Eigen backend. One translation unit per family of kernels, since each pays for Eigen.
#pragma once

#include "implementations/backends/common/cpu/functions.h"

namespace gdbench::backends::eigen {

// For T float and double.
template <class T>
cpu::ElementwiseFunctions elementwise_functions();
// Fills in the updates of elementwise_functions.
template <class T>
void set_updates(cpu::ElementwiseFunctions& functions);
template <class T>
cpu::LossFunctions loss_functions();

}  // namespace gdbench::backends::eigen
