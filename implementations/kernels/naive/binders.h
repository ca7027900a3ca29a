// One binder per op of the naive backend: plain loops over row-major arrays, no vendor library.
#pragma once

#include "implementations/kernels/cpu/backend.h"

namespace gdbench::kernels::naive {

cpu::Binding bind_product(const Request& request);
cpu::Binding bind_add_bias(const Request& request);
cpu::Binding bind_activation(const Request& request);
cpu::Binding bind_activation_gradient(const Request& request);
cpu::Binding bind_column_sum(const Request& request);
cpu::Binding bind_loss(const Request& request);
cpu::Binding bind_loss_gradient(const Request& request);
cpu::Binding bind_update(const Request& request);

}  // namespace gdbench::kernels::naive
