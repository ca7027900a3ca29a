// Muon's update of weights that it moves as one matrix (GDBENCH_MUON in plugin.h has the formula), as products of the
// backend and loops between them.
#pragma once

#include <functional>

#include "implementations/backends/common/cpu/call.h"

namespace gdbench::backends::cpu {

// `bind` binds the products. Empty or with a reason where it does so. May throw std::bad_alloc.
Binding bind_matrix_update(const Request& request, const std::function<Binding(const Request& product)>& bind);

}  // namespace gdbench::backends::cpu
