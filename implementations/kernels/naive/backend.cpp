// Plain loops over row-major arrays, no vendor library.
#include "implementations/kernels/naive/definition.h"

namespace gdbench::kernels {

const cpu::Definition& cpu::definition() {
  static const Definition definition = naive::definition();
  return definition;
}

}  // namespace gdbench::kernels
