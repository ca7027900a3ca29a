// What the losses are multiplied by.
#pragma once

#include <cstdlib>

#include "implementations/kernels/kernels.h"

namespace gdbench::kernels {

// The constants of gdbench_loss: means are over rows, and for squared errors over outputs too.
inline double loss_scale(const Request& request) {
  const auto rows = static_cast<double>(request.operands[0].rows);
  const double mean = 1 / (rows * static_cast<double>(request.operands[0].columns));
  switch (request.loss) {
    case Loss::mse:
      return request.op == Op::loss ? mean : 2 * mean;
    case Loss::half_mse:
      return request.op == Op::loss ? mean / 2 : mean;
    case Loss::softmax_cross_entropy:
      return 1 / rows;
  }
  std::abort();  // no such loss
}

}  // namespace gdbench::kernels
