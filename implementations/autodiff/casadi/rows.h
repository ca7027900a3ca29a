// What CasADi offers. One call computes the loss and its gradient.
#pragma once

#include "implementations/autodiff/common/library.h"

namespace gdbench::autodiff {

inline constexpr Row kRows[] = {
    {.library = "casadi",
     .mode = "graph",
     .description = "a graph of matrices by CasADi (MX), built once, interpreted in each step",
     .forward = catalogue::Phase::backward},
    {.library = "casadi",
     .mode = "generated",
     .description =
         "the same graph as C that CasADi writes and this machine's C compiler compiles before the first step",
     .forward = catalogue::Phase::backward},
};

}  // namespace gdbench::autodiff
