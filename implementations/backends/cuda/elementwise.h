// What elementwise ops, updates and the epilogues of products share. Maps: every element of the result from the
// elements of one or two arrays at the same place, by vectorised access where all addresses allow it: a pack, four
// elements of 4 bytes or two of 8, is one load or store.
#pragma once

#include <cstddef>
#include <cstdint>

#include "implementations/backends/common/ops.h"
#include "implementations/backends/common/rules/activations.h"
#include "implementations/backends/common/rules/losses.h"
#include "implementations/backends/cuda/call.h"
#include "implementations/backends/cuda/launch.h"

namespace gdbench::backends::cuda {

constexpr std::size_t kPackBytes = 16;

template <class T>
inline constexpr int kPackWidth = static_cast<int>(kPackBytes / sizeof(T));

template <class T, int width = kPackWidth<T>>
struct alignas(width * sizeof(T)) Pack {
  T entries[width];
};

inline bool packs(const void* address) { return reinterpret_cast<std::uintptr_t>(address) % kPackBytes == 0; }

// How an array of `size` entries is split among bodies: whole packs first, then what is left, one entry each.
struct Split {
  std::int64_t packs = 0;
  std::int64_t rest = 0;
  std::int64_t bodies() const { return packs + rest; }
};

template <class T>
Split split_of(std::int64_t size, bool packed) {
  return packed ? Split{size / kPackWidth<T>, size % kPackWidth<T>} : Split{0, size};
}

// out[i] = function(a[i]), or function(a[i], b[i]) where b is given. `out` may be a or b.
template <class T, class Function, bool binary, class Result = T>
struct Map {
  const T* a;
  const T* b;
  Result* out;
  std::int64_t packs;
  Function function;

  GDBENCH_HOST_DEVICE Result entry(T x, T y) const {
    if constexpr (binary) {
      return function(x, y);
    } else {
      return function(x);
    }
  }

  GDBENCH_HOST_DEVICE void operator()(std::int64_t i) const {
    if (i >= packs) {
      const std::int64_t at = packs * kPackWidth<T> + (i - packs);
      out[at] = entry(a[at], binary ? b[at] : T(0));
      return;
    }
    const Pack<T> x = reinterpret_cast<const Pack<T>*>(a)[i];
    Pack<T> y{};
    if constexpr (binary) y = reinterpret_cast<const Pack<T>*>(b)[i];
    using Results = Pack<Result, kPackWidth<T>>;
    Results results;
    for (int l = 0; l < kPackWidth<T>; ++l) results.entries[l] = entry(x.entries[l], y.entries[l]);
    reinterpret_cast<Results*>(out)[i] = results;
  }
};

template <class T, class Result, class Function>
void launch_map(cudaStream_t stream, std::int64_t size, const T* a, Result* out, Function function) {
  const Split split = split_of<T>(size, packs(a) && packs(out));
  launch_elements(stream, split.bodies(), Map<T, Function, false, Result>{a, nullptr, out, split.packs, function});
}

template <class T, class Function>
void launch_map(cudaStream_t stream, std::int64_t size, const T* a, const T* b, T* out, Function function) {
  const Split split = split_of<T>(size, packs(a) && packs(b) && packs(out));
  launch_elements(stream, split.bodies(), Map<T, Function, true>{a, b, out, split.packs, function});
}

inline std::int64_t size_of(const Operand& operand) { return operand.rows * operand.columns; }

template <class T, class Function>
struct Apply {
  GDBENCH_HOST_DEVICE T operator()(T z) const { return Function::template value<T>(z); }
};

// Calls visit with an activation's rule and returns what it returns.
template <class Visitor>
decltype(auto) with_activation(Activation activation, Visitor visit) {
  return catalogue::with(activation, [&](auto value) -> decltype(auto) { return visit(RuleOf<value.value>{}); });
}

// The same of a loss whose columns are not coupled; null for others.
template <class Visitor>
OwnedCall* with_loss_of_entries(Loss loss, Visitor visit) {
  return catalogue::with(loss, [&](auto value) -> OwnedCall* {
    if constexpr (kCouplesColumns<decltype(value)::value>) {
      return nullptr;
    } else {
      return visit(RuleOf<decltype(value)::value>{});
    }
  });
}

}  // namespace gdbench::backends::cuda
