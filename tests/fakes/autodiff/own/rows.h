#pragma once

#include "implementations/autodiff/common/library.h"

namespace gdbench::autodiff {

inline constexpr Row kRows[] = {{.library = "own",
                                 .mode = "tape",
                                 .description = "a tape of scalars in one header",
                                 .dtypes = catalogue::kUniformDtypes,
                                 .bytes_per_multiply_add = 64}};

}  // namespace gdbench::autodiff
