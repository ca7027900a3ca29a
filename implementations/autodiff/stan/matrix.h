// Internal to stan: the gradient by matrices.
#pragma once

#include <memory>

#include "implementations/autodiff/common/library.h"

namespace gdbench::autodiff {

std::unique_ptr<Gradient> make_matrix_gradient(const Network& network);

}  // namespace gdbench::autodiff
