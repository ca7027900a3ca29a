// A caching allocator of backend buffers: what is given back is kept by size class and handed out again, the latest
// first, since it is likeliest to be in the cache. Four classes to a doubling, so at most a quarter is wasted.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "implementations/strategies/common/session.h"

namespace gdbench::strategies::tape {

// An array that grows and is reset, but never shrinks. An entry is written field by field where it lies: a temporary
// that is copied in makes the processor wait for its own stores.

template <class T>
class Arena {
 public:
  // An entry that holds anything.
  T& add() {
    if (size_ == items_.size()) [[unlikely]]
      items_.resize(2 * size_ + 16);
    return items_[size_++];
  }
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return items_[i]; }
  const T& operator[](std::size_t i) const { return items_[i]; }
  T* begin() { return items_.data(); }
  T* end() { return items_.data() + size_; }

 private:
  std::vector<T> items_;
  std::size_t size_ = 0;
};

class BufferPool {
 public:
  explicit BufferPool(Session& session) : session_(session) {}

  static constexpr std::uint32_t class_of(std::size_t bytes) {
    const std::size_t size = std::max<std::size_t>(bytes, kSmallest);
    const auto doubling = static_cast<std::uint32_t>(std::bit_width(size - 1)) - 1;  // 2^doubling < size
    return 4 * doubling + static_cast<std::uint32_t>((size - 1) >> (doubling - 2) & 3);
  }
  // The largest size that belongs to a class.
  static constexpr std::size_t bytes_of(std::uint32_t size_class) {
    return (std::size_t{5} + (size_class & 3)) << (size_class / 4 - 2);
  }

  // Its entries are anything.
  backends::Buffer take(std::uint32_t size_class) {
    ++taken_;
    std::vector<backends::Buffer>& list = free_[size_class];
    if (list.empty()) [[unlikely]]
      return allocate(size_class);
    const backends::Buffer buffer = list.back();
    list.pop_back();
    return buffer;
  }
  // Never allocates: allocate made room for all buffers of the class.
  void give_back(backends::Buffer buffer, std::uint32_t size_class) {
    --taken_;
    free_[size_class].push_back(buffer);
  }
  // Buffers that were taken and not given back.
  std::uint64_t taken() const { return taken_; }

  // Allocations that the backend has made.
  std::uint64_t allocations() const { return allocations_; }
  std::uint64_t allocated_bytes() const { return allocated_bytes_; }

 private:
  static constexpr std::size_t kSmallest = GDBENCH_ALIGNMENT;
  backends::Buffer allocate(std::uint32_t size_class);

  Session& session_;
  std::vector<backends::Buffer> free_[256];
  std::uint32_t made_[256] = {};
  std::uint64_t taken_ = 0;
  std::uint64_t allocations_ = 0;
  std::uint64_t allocated_bytes_ = 0;
};

}  // namespace gdbench::strategies::tape
