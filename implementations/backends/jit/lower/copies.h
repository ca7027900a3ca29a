// Copies that let a step read and write vectors: of the rows of a batch that lie anywhere in the data, of what products
// read rounded or as its transpose, and of parameters and slots whose rows fill no vector.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "implementations/backends/jit/lower/context.h"

namespace gdbench::backends::jit {

// Copies what a node reads otherwise than row by row; the first layer's product finds its rows by their numbers.
void gather(Context& context);

// Copies a value of rows that are found by their numbers, which then lies there, rounded if it is to be.
void copy_gathered(Context& context, ValueId value);

// Copies what is rounded before it is read (Value::rounded) and was not gathered or packed; at the start of a step.
void round_inputs(Context& context);

// Copies what products read as its transpose, so that it lies in the order in which it is read; at the start of a step,
// before anything is updated.
void copy_transposes(Context& context);

// Parameters and slots of rows that fill no vector, in rows that do: no access needs a mask, and what a step stores the
// next one can load at once. Copies the state to the arena before the first step, and back after the last one.
class PaddedState {
 public:
  explicit PaddedState(Context& context) : context_(context) {}

  // Nothing where the state is so large that a copy would take as long as a step. Returns how many values it copied.
  std::int64_t copy_in();
  void copy_back();

 private:
  Context& context_;
  std::vector<std::pair<ValueId, Matrix>> origins_;
};

}  // namespace gdbench::backends::jit
