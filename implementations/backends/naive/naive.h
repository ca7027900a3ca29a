// Plain loops for every op: what naive consists of, and what a backend takes where it has nothing of its own.
#pragma once

#include "implementations/backends/common/cpu/backend.h"

namespace gdbench::backends::naive {

// Named naive; compiled into the backend that takes it, by that one's flags.
cpu::Definition definition();

}  // namespace gdbench::backends::naive
