// Plain loops for every op: what naive consists of, and what a backend takes where it has nothing of its own.
#pragma once

#include "implementations/backends/common/cpu/backend.h"
#include "implementations/backends/common/cpu/elementwise_loops.h"
#include "implementations/backends/common/cpu/loss_loops.h"
#include "implementations/backends/naive/product.h"

namespace gdbench::backends::naive {

// Named naive; compiled into the backend that takes it, by that one's flags.
inline cpu::Definition definition() {
  return {
      .name = "naive",
      .build = GDBENCH_KERNEL_BUILD,
      .flags = kEpilogueUpdate,
      .dtypes = catalogue::bit_of(Dtype::f32) | catalogue::bit_of(Dtype::f64),
      .optimizers = catalogue::kAll<OptimizerKind>,
      .bind = [](const Request& request) { return request.op == Op::product ? bind_product(request) : cpu::Binding(); },
      .f32 = {cpu::elementwise_loops<float>(), cpu::loss_loops<float>()},
      .f64 = {cpu::elementwise_loops<double>(), cpu::loss_loops<double>()},
  };
}

}  // namespace gdbench::backends::naive
