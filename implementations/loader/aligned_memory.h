// Memory of the alignment that the C interface promises for arrays.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "gdbench/plugin.h"

namespace gdbench::loader {

struct FreeMemory {
  void operator()(std::byte* memory) const { std::free(memory); }
};
using AlignedBytes = std::unique_ptr<std::byte[], FreeMemory>;

// The next multiple of GDBENCH_ALIGNMENT.
constexpr std::size_t aligned_size(std::size_t bytes) {
  return (bytes + GDBENCH_ALIGNMENT - 1) / GDBENCH_ALIGNMENT * GDBENCH_ALIGNMENT;
}

// Zero-filled and touched: page faults belong here, not to the first step. Never null. Throws std::bad_alloc.
inline AlignedBytes allocate_aligned(std::size_t bytes) {
  const std::size_t rounded = aligned_size(bytes > 0 ? bytes : 1);
  void* memory = std::aligned_alloc(GDBENCH_ALIGNMENT, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, rounded);
  return AlignedBytes(static_cast<std::byte*>(memory));
}

}  // namespace gdbench::loader
