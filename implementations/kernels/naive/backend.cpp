// Plain loops over row-major arrays, no vendor library.
#include "implementations/kernels/cpu/backend.h"

#include "implementations/kernels/cpu/elementwise_loops.h"
#include "implementations/kernels/cpu/loss_loops.h"
#include "implementations/kernels/naive/product.h"

namespace gdbench::kernels {

const cpu::Definition& cpu::definition() {
  static const Definition definition = {
      .name = "naive",
      .build = GDBENCH_KERNEL_BUILD,
      .flags = kEpilogueUpdate,
      .dtypes = GDBENCH_BIT(GDBENCH_F32) | GDBENCH_BIT(GDBENCH_F64),
      .optimizers = kAllOptimizers,
      .bind =
          [](const Request& request) { return request.op == Op::product ? naive::bind_product(request) : Binding(); },
      .f32 = {elementwise_loops<float>(), loss_loops<float>()},
      .f64 = {elementwise_loops<double>(), loss_loops<double>()},
  };
  return definition;
}

}  // namespace gdbench::kernels
