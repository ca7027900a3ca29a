#include "implementations/kernels/cpu/call.h"

namespace gdbench::kernels::cpu {
namespace {

// The constants of gdbench_loss: means are over rows, and for squared errors over outputs too.
double loss_scale(const Request& request) {
  const auto rows = static_cast<double>(request.operands[0].rows);
  if (request.loss == GDBENCH_SOFTMAX_CROSS_ENTROPY) return 1 / rows;
  const double mean = 1 / (rows * static_cast<double>(request.operands[0].columns));
  const double mse = request.op == Op::loss ? mean : 2 * mean;
  return request.loss == GDBENCH_MSE ? mse : mse / 2;
}

}  // namespace

LossCall::LossCall(const Request& request)
    : ShapedCall(request.operands[0]), scale(request.alpha * loss_scale(request)) {}

}  // namespace gdbench::kernels::cpu
