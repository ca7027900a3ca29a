// Things in parts of about the same size.
#pragma once

#include <cstdint>

#include "implementations/backends/jit/loops/builder.h"
#include "implementations/backends/jit/lower/share.h"

namespace gdbench::backends::jit {

// `count` things in as few parts of at most `most` as possible, sizes differing by one at most: first `larger` parts of
// `size`, then `smaller` ones of size - 1.
struct EvenParts {
  EvenParts(std::int64_t count, std::int64_t most) {
    const std::int64_t parts = rounded_up_quotient(count, most);
    size = rounded_up_quotient(count, parts);
    smaller = parts * size - count;
    larger = parts - smaller;
  }
  // body(first, size) for each of them, in loops.
  template <class Body>
  void for_each(Builder& builder, const Body& body) const {
    builder.loop(0, larger * size, size, [&](const Affine& first) { body(first, size); });
    const std::int64_t done = larger * size;
    builder.loop(done, done + smaller * (size - 1), size - 1, [&](const Affine& first) { body(first, size - 1); });
  }

  std::int64_t size;
  std::int64_t larger;
  std::int64_t smaller;
};

// body(first, count) for parts of `size` of the range, and for what is left over at its end.
template <class Body>
void for_each_part(Builder& builder, const Range& range, std::int64_t size, const Body& body) {
  const std::int64_t whole = range.begin + range.size() / size * size;
  builder.loop(range.begin, whole, size, [&](const Affine& first) { body(first, size); });
  if (whole < range.end) body(Affine(whole), range.end - whole);
}

}  // namespace gdbench::backends::jit
