#include "implementations/backends/eigen/backend.h"

#include "implementations/backends/common/cpu/backend.h"

namespace gdbench::backends {

const cpu::Definition& cpu::definition() {
  static const Definition definition = {
      .name = "eigen",
      .build = GDBENCH_KERNEL_BUILD,
      .flags = kEpilogueUpdate | kSparse,
      .dtypes = catalogue::bit_of(Dtype::f32) | catalogue::bit_of(Dtype::f64),
      .optimizers = catalogue::kAll<OptimizerKind>,
      .bind =
          [](const Request& request) { return request.op == Op::product ? eigen::bind_product(request) : Binding(); },
      .f32 = {eigen::elementwise_functions<float>(), eigen::loss_functions<float>()},
      .f64 = {eigen::elementwise_functions<double>(), eigen::loss_functions<double>()},
  };
  return definition;
}

}  // namespace gdbench::backends
