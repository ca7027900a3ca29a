// What a tape keeps from one recording to the next: arrays, buffers and bound calls.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "implementations/strategies/common/op_table.h"
#include "implementations/strategies/common/profile.h"
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

// A caching allocator of backend buffers: what is given back is kept by size class and handed out again, the latest
// first, since it is likeliest to be in the cache. Four classes to a doubling, so at most a quarter is wasted.
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

// Rows in the upper half, columns in the lower.
using PackedShape = std::uint64_t;

constexpr PackedShape pack(const ops::Shape& shape) {
  return static_cast<std::uint64_t>(shape.rows) << 32 | static_cast<std::uint64_t>(shape.columns);
}
constexpr ops::Shape unpack(PackedShape shape) {
  return {static_cast<std::int64_t>(shape >> 32), static_cast<std::int64_t>(shape & UINT32_MAX)};
}

// One or two operands, of which one may be labels; no optimizer.
struct CallKey {
  std::uint64_t op = 0;  // and its small attributes
  std::uint64_t alpha = 0;
  std::uint64_t beta = 0;  // or the loss's constant: no op reads both
  PackedShape shapes[2] = {0, 0};

  CallKey(ops::Op kind, const ops::Attributes& attributes, PackedShape first, PackedShape second, bool labels = false)
      : op(static_cast<std::uint64_t>(kind) | static_cast<std::uint64_t>(attributes.transpose_a) << 8 |
           static_cast<std::uint64_t>(attributes.transpose_b) << 9 |
           static_cast<std::uint64_t>(attributes.activation) << 16 |
           static_cast<std::uint64_t>(attributes.loss.kind) << 24 | static_cast<std::uint64_t>(labels) << 32),
        alpha(std::bit_cast<std::uint64_t>(attributes.alpha)),
        beta(std::bit_cast<std::uint64_t>(attributes.beta) ^ std::bit_cast<std::uint64_t>(attributes.loss.huber_delta)),
        shapes{first, second} {}

  bool operator==(const CallKey& other) const {
    return ((op ^ other.op) | (alpha ^ other.alpha) | (beta ^ other.beta) | (shapes[0] ^ other.shapes[0]) |
            (shapes[1] ^ other.shapes[1])) == 0;
  }
  // Sums of products with odd constants, so that the multiplications run side by side; the upper half is mixed best.
  std::uint64_t hash() const {
    const std::uint64_t sum = op * 0x9e3779b97f4a7c15 + alpha * 0xc2b2ae3d27d4eb4f + beta * 0x165667b19e3779f9 +
                              shapes[0] * 0xff51afd7ed558ccd + shapes[1] * 0xc4ceb9fe1a85ec53;
    return sum ^ sum >> 32;
  }
};

// All that applying an op again takes.
struct CachedCall {
  CallKey key;
  const backends::Call* call = nullptr;
  void (*run)(const backends::Call*, const backends::Buffer*, backends::Stream*) = nullptr;
  ops::Op op = ops::Op::product;
  PackedShape result_shape = 0;
  std::uint32_t size_class = 0;  // of the result's buffer
  // Copies of the row's, to be read from one place.
  std::uint32_t operand_count = 0;
  int overwrites = -1;
  std::uint32_t may_alias = 0;
  std::uint32_t differentiable = 0;
  std::uint32_t reads_operands = 0;
  bool reads_result = false;
  ops::Derivative derivative = nullptr;
  ops::Attributes attributes;
  OpCost cost;
};

// Bound calls by what they were bound for: an op with its attributes on operands of certain shapes. An open-addressed
// hash table; a lookup that finds its call takes a few nanoseconds, one that does not is followed by a bind.
class CallCache {
 public:
  CallCache() : places_(64) {}

  // Null where there is none. What is found lives as long as the cache.
  const CachedCall* find(const CallKey& key) const {
    const std::size_t mask = places_.size() - 1;
    for (std::size_t i = key.hash() & mask;; i = (i + 1) & mask) {
      const CachedCall* call = places_[i];
      if (call == nullptr || call->key == key) return call;
    }
  }
  const CachedCall& insert(const CachedCall& call);
  std::size_t size() const { return calls_.size(); }

 private:
  void place(const CachedCall& call);

  std::deque<CachedCall> calls_;
  std::vector<const CachedCall*> places_;  // a power of two, at most half of them taken
};

}  // namespace gdbench::strategies::tape
