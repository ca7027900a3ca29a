#include "implementations/kernels/naive/binders.h"

namespace gdbench::kernels::naive {
namespace {

const cpu::Kernels kKernels = cpu::Kernels{"naive"}
                                  .with(Op::product, bind_product)
                                  .with(Op::add_bias, bind_add_bias)
                                  .with(Op::activation, bind_activation)
                                  .with(Op::activation_gradient, bind_activation_gradient)
                                  .with(Op::loss, bind_loss)
                                  .with(Op::loss_gradient, bind_loss_gradient)
                                  .with(Op::column_sum, bind_column_sum)
                                  .with(Op::update, bind_update);

gdbench_status create(const ContextSettings& settings, Context** context) {
  return cpu::create_context(settings, kKernels, context);
}

}  // namespace
}  // namespace gdbench::kernels::naive

extern "C" GDBENCH_EXPORT const gdbench::kernels::Backend* gdbench_kernels() {
  static const gdbench::kernels::Backend backend = [] {
    gdbench::kernels::Backend table = gdbench::kernels::cpu::make_backend(
        gdbench::kernels::naive::kKernels, GDBENCH_KERNEL_BUILD, GDBENCH_BIT(GDBENCH_SGD));
    table.create = gdbench::kernels::naive::create;
    return table;
  }();
  return &backend;
}
