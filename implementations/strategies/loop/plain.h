// What a person writes in ten minutes from the formulas: the arithmetic of loop/plain, the baseline of most matrices.
// It sees the C interface alone, as a plugin from elsewhere does (examples/plugin-c), and is built for the processor of
// GDBENCH_ARCH: check that before (implementations/common/processor.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "gdbench/plugin.h"

namespace gdbench::loop {

// The functions mirror gdbench_implementation's.
class Trainer {
 public:
  virtual ~Trainer() = default;
  virtual void set_state(const gdbench_state& state) = 0;
  virtual void get_state(gdbench_state& state) = 0;
  virtual void run(std::uint64_t steps) = 0;
  // The mean loss over a split's rows; nothing where it has none, or the task has no loss.
  virtual std::optional<double> evaluate(std::int32_t split) = 0;
};

// Whether so many threads share a step, or one of them would do all of it because it is small.
bool shares(const gdbench_problem& problem, int threads);

// Of any problem but streams. Data and problem stay valid as long as the trainer. More threads than one are OpenMP's.
// Throws std::bad_alloc.
std::unique_ptr<Trainer> make_trainer(const gdbench_data& data, const gdbench_problem& problem, int threads);

// Compiler and flags.
const char* build();

}  // namespace gdbench::loop
