// Counts heap allocations of the whole process, from any code (operator new ends in malloc).
#pragma once

#include <cstdint>

namespace gdbench {

// False under sanitizers, which bring their own malloc; counts stay 0 then.
bool allocations_are_counted();

// Allocations since the process started.
std::uint64_t allocation_count();

}  // namespace gdbench
