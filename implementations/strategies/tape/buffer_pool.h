// A caching allocator of backend buffers, as frameworks have one for their tensors.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "implementations/strategies/common/session.h"

namespace gdbench::strategies::tape {

// Freed buffers are kept by size class and used again, the latest first, since it is likeliest to be in the cache.
// There are four classes to a doubling, so at most a quarter is wasted.
class BufferPool {
 public:
  explicit BufferPool(Session& session) : session_(session) {}

  static constexpr std::uint32_t class_of(std::size_t bytes) {
    const std::size_t size = std::max<std::size_t>(bytes, GDBENCH_ALIGNMENT);
    const auto doubling = static_cast<std::uint32_t>(std::bit_width(size - 1)) - 1;  // 2^doubling < size
    return 4 * doubling + static_cast<std::uint32_t>((size - 1) >> (doubling - 2) & 3);
  }
  // The largest size that belongs to a class.
  static constexpr std::size_t bytes_of(std::uint32_t size_class) {
    return (std::size_t{5} + (size_class & 3)) << (size_class / 4 - 2);
  }

  // The free buffers of a class.
  using FreeList = std::vector<backends::Buffer>;
  FreeList& list_for(std::size_t bytes) { return free_[class_of(bytes)]; }

  // Its entries are anything.
  backends::Buffer take(FreeList& list) {
    ++taken_;
    if (list.empty()) [[unlikely]]
      return allocate(list);
    const backends::Buffer buffer = list.back();
    list.pop_back();
    return buffer;
  }
  // Never allocates: allocate made room.
  void give_back(backends::Buffer buffer, FreeList& list) {
    --taken_;
    list.push_back(buffer);
  }
  // Buffers that were taken and not given back.
  std::size_t taken() const { return taken_; }

  // Allocations that the backend has made.
  std::size_t allocations() const { return allocations_; }

 private:
  backends::Buffer allocate(FreeList& list) {
    list.reserve(++allocations_);  // at least as many as the class has buffers
    return session_.allocate(bytes_of(static_cast<std::uint32_t>(&list - free_)));
  }

  Session& session_;
  FreeList free_[256];
  std::size_t taken_ = 0;
  std::size_t allocations_ = 0;
};

}  // namespace gdbench::strategies::tape
