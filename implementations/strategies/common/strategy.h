// How a step is executed. A strategy does no arithmetic: it calls a backend's kernels, so that two strategies on the
// same backend differ by the strategy alone.
//
// A strategy is complete once it is made: its constructor does what gdbench_implementation's load and prepare ask for.
// The functions mirror the others of gdbench_implementation; all throw Failure (implementations/common/failure.h) where
// those return a status. What the host must not ask of an implementation, by
// its masks, never gets here: the adapter refuses it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "gdbench/plugin.h"
#include "implementations/backends/common/backend.h"
#include "implementations/strategies/common/session.h"

namespace gdbench::strategies {

// What a strategy is made of. All of it outlives the strategy; `backend` lives as long as the process.
struct Setup {
  const backends::Backend& backend;
  const gdbench_data& data;
  const gdbench_problem& problem;
  const gdbench_settings& settings;
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual void set_state(const gdbench_state& state) = 0;
  virtual void get_state(gdbench_state& state) = 0;
  // Exactly `steps` updates; allocates nothing.
  virtual void run(std::uint64_t steps) = 0;
  virtual void sync() = 0;
  // The mean loss over all rows of a split (0 training, 1 validation).
  virtual double evaluate(std::int32_t split) = 0;
  // As run and sync, with a record per op and phase.
  virtual void profile(std::uint64_t steps, const gdbench_profile_sink& sink) = 0;
  // Where its calls are made.
  virtual Session& session() = 0;
  // Helper threads of this instance.
  virtual std::int32_t helper_threads() const = 0;
};

// For StrategyDescriptor's functions.
template <class Implementation, auto... arguments>
std::unique_ptr<Strategy> make_strategy(const Setup& setup) {
  return std::make_unique<Implementation>(setup, arguments...);
}

// What the implementation says of itself instead of the backend, for a strategy whose gradients come from a library:
// the backend's kernels only update and evaluate. Its steps are made by one thread.
struct OwnArithmetic {
  const char* id = nullptr;  // the whole one
  // Masks as in gdbench_implementation.
  std::uint32_t dtypes = 0;
  std::uint32_t activations = 0;
  std::uint32_t losses = 0;
  const char* build = nullptr;
  const char* unavailable = nullptr;  // as backends::Backend has it
};

// A row of a plugin's list: what a strategy is called, offers, and how one is made.
struct StrategyDescriptor {
  const char* name = nullptr;  // "hand"; the implementation's id is name/backend + policy
  const char* policy = "";     // "+replay", or nothing
  const char* description = nullptr;
  // Masks as in gdbench_implementation. All activations and losses are offered, and what optimizers the backend has.
  std::uint32_t tasks = 0;
  std::uint32_t dtypes = catalogue::kAll<catalogue::Dtype>;  // of the backend's
  std::uint32_t capabilities = 0;
  std::int32_t helper_threads = 0;  // the most that an instance uses
  std::span<const gdbench_option> options = {};
  // Hands regions over with the settings: the backend's region_options and region_passes become options of its own.
  bool regions = false;
  const OwnArithmetic* own = nullptr;  // null: the backend's kernels do all of it
  std::unique_ptr<Strategy> (*create)(const Setup& setup) = nullptr;
  // For the task update, whose step has little in common with a training step; null where `tasks` does not have it.
  std::unique_ptr<Strategy> (*create_update)(const Setup& setup) = nullptr;
  // Likewise for the task forward.
  std::unique_ptr<Strategy> (*create_forward)(const Setup& setup) = nullptr;
};

}  // namespace gdbench::strategies
