// Whole numbers rounded up.
#pragma once

#include <cstdint>

namespace gdbench::backends::jit {

constexpr std::int64_t rounded_up_quotient(std::int64_t value, std::int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

constexpr std::int64_t rounded_up(std::int64_t value, std::int64_t multiple) {
  return rounded_up_quotient(value, multiple) * multiple;
}

}  // namespace gdbench::backends::jit
