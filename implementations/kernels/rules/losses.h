// What the losses are multiplied by.
#pragma once

#include "implementations/kernels/kernels.h"

namespace gdbench::kernels {

// The constants of gdbench_loss: means are over rows, and for squared errors over outputs too.
inline double loss_scale(const Request& request) {
  const auto rows = static_cast<double>(request.operands[0].rows);
  if (request.loss == GDBENCH_SOFTMAX_CROSS_ENTROPY) return 1 / rows;
  const double mean = 1 / (rows * static_cast<double>(request.operands[0].columns));
  const double mse = request.op == Op::loss ? mean : 2 * mean;
  return request.loss == GDBENCH_MSE ? mse : mse / 2;
}

}  // namespace gdbench::kernels
