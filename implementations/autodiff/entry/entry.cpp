// What a kernel library exports; compiled into each of them.
#include "implementations/autodiff/common/library.h"

extern "C" GDBENCH_EXPORT const gdbench::autodiff::Library* gdbench_autodiff() {
  static const gdbench::autodiff::Library library = {gdbench::autodiff::make_gradient};
  return &library;
}
