// What ADOL-C offers.
#pragma once

#include "implementations/autodiff/common/library.h"

namespace gdbench::autodiff {

inline constexpr Row kRows[] = {
    {.library = "adolc",
     .mode = "retape",
     .description = "a tape of scalars by ADOL-C, recorded in each step",
     .activations = kNoErrorFunction,
     .bytes_per_multiply_add = 50},
    {.library = "adolc",
     .mode = "replay",
     .description = "a tape of scalars by ADOL-C, recorded once and evaluated anew in each step",
     .activations = kNoErrorFunction,
     .forward = catalogue::Phase::forward,
     .bytes_per_multiply_add = 70},
};

}  // namespace gdbench::autodiff
