// Parameters and slots of rows that fill no vector, in rows that do: no access needs a mask, and what a step stores the
// next one can load at once.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "implementations/backends/jit/lower/context.h"

namespace gdbench::backends::jit {

// Copies the state to the arena before the first step, and back after the last one.
class PaddedState {
 public:
  explicit PaddedState(Context& context) : context_(context) {}

  // Nothing where the state is so large that copying it would take as long as a step. Returns how many values it
  // copied.
  std::int64_t copy_in();
  void copy_back();

 private:
  void copy(const Matrix& from, const Matrix& to);

  Context& context_;
  std::vector<std::pair<ValueId, Matrix>> origins_;
};

}  // namespace gdbench::backends::jit
