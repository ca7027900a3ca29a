#pragma once

#include "implementations/kernels/cpu/call.h"

namespace gdbench::kernels::naive {

cpu::Binding bind_product(const Request& request);

}  // namespace gdbench::kernels::naive
