// What Sacado offers.
#pragma once

#include "implementations/autodiff/common/library.h"

namespace gdbench::autodiff {

inline constexpr Row kRows[] = {
    {.library = "sacado",
     .mode = "rad",
     .description = "a tape of scalars by Sacado's reverse mode (Rad), recorded in each step",
     .dtypes = catalogue::kUniformDtypes,
     .activations = kNoErrorFunction,
     .bytes_per_multiply_add = 140},
};

}  // namespace gdbench::autodiff
