// Plain loops over row-major arrays, no vendor library.
#include "implementations/backends/naive/naive.h"

namespace gdbench::backends {

const cpu::Definition& cpu::definition() {
  static const Definition definition = naive::definition();
  return definition;
}

}  // namespace gdbench::backends
