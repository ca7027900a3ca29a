// Internal to casadi: a function as C, compiled and loaded again.
#pragma once

#include <casadi/core/function.hpp>

namespace gdbench::autodiff {

// By `cc`, in a temporary folder that is gone when this returns. Throws Failure (GDBENCH_UNSUPPORTED) where there is no
// C compiler, no such folder, or no room in it.
casadi::Function compiled(const casadi::Function& function);

}  // namespace gdbench::autodiff
