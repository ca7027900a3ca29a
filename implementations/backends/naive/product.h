#pragma once

#include "implementations/backends/common/cpu/call.h"

namespace gdbench::backends::naive {

cpu::Binding bind_product(const Request& request);

}  // namespace gdbench::backends::naive
