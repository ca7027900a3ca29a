// Bound calls by what they were bound for: an op with its attributes on operands of certain shapes. An open-addressed
// hash table; a lookup that finds its call takes a few nanoseconds, one that does not is followed by a bind.
#pragma once

#include <bit>
#include <cstdint>
#include <deque>
#include <vector>

#include "implementations/strategies/common/op_table.h"

namespace gdbench::strategies::tape {

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
  const ops::OpRow* row = nullptr;
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
