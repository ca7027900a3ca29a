// One binder per op of the Eigen backend. One translation unit per family of ops, since each pays for Eigen.
#pragma once

#include "implementations/kernels/cpu/backend.h"

namespace gdbench::kernels::eigen {

cpu::Binding bind_product(const Request& request);
cpu::Binding bind_add_bias(const Request& request);
cpu::Binding bind_activation(const Request& request);
cpu::Binding bind_activation_gradient(const Request& request);
cpu::Binding bind_column_sum(const Request& request);
cpu::Binding bind_loss(const Request& request);
cpu::Binding bind_loss_gradient(const Request& request);
cpu::Binding bind_update(const Request& request);

}  // namespace gdbench::kernels::eigen
