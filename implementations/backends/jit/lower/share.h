// Whole numbers divided and rounded up, and one thread's part of a step: the batch's rows are shared out, and then the
// entries of what is updated.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gdbench::backends::jit {

constexpr std::int64_t rounded_up_quotient(std::int64_t value, std::int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

constexpr std::int64_t rounded_up(std::int64_t value, std::int64_t multiple) {
  return rounded_up_quotient(value, multiple) * multiple;
}

struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;  // exclusive
  std::int64_t size() const { return end - begin; }
};

struct Share {
  int thread = 0;
  int threads = 1;

  bool alone() const { return threads == 1; }
  // Of `count` things: shares begin at multiples of `unit`, are of about the same size and follow each other.
  Range of(std::int64_t count, std::int64_t unit) const {
    return {border(count, unit, thread), border(count, unit, thread + 1)};
  }
  // Of a batch's rows: whole vectors of them, if there are enough.
  Range of_rows(std::int64_t rows, int lanes) const { return of(rows, rows >= threads * lanes ? lanes : 1); }

 private:
  std::int64_t border(std::int64_t count, std::int64_t unit, int before) const {
    return before == threads ? count : std::min(count, (count * before / threads + unit / 2) / unit * unit);
  }
};

}  // namespace gdbench::backends::jit
