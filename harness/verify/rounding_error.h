// How far rounding may move a tensor, as rounding.h estimates it.
#pragma once

namespace gdbench::verify {

// 2-norms of what may come of rounding to the elements' own dtype on the way of the arithmetic, and of rounding to the
// fewer bits of a mixed dtype's operands what was a little off.
struct RoundingError {
  double own = 0;
  double narrowed = 0;

  double total() const { return own + narrowed; }
  friend RoundingError operator+(RoundingError a, RoundingError b) { return {a.own + b.own, a.narrowed + b.narrowed}; }
  friend RoundingError operator*(double factor, RoundingError error) {
    return {factor * error.own, factor * error.narrowed};
  }
};

}  // namespace gdbench::verify
