// What Stan Math offers.
#pragma once

#include "implementations/autodiff/common/library.h"

namespace gdbench::autodiff {

inline constexpr Row kRows[] = {
    {.library = "stan",
     .mode = "scalar",
     .description = "a tape of scalars by Stan Math (var), recorded in each step",
     .bytes_per_multiply_add = 100},
    {.library = "stan",
     .mode = "matrix",
     .description = "a tape of matrices by Stan Math (var_value), recorded in each step"},
};

}  // namespace gdbench::autodiff
