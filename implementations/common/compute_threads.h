// Compute threads on the processors that the host names for them (gdbench_settings.compute_cores).
#pragma once

#include <sched.h>

#include <cstdint>

#include "gdbench/plugin.h"

namespace gdbench::implementations {

// Compute thread number 0 is the caller of prepare and run.
constexpr int kMaxComputeThreads = 64;

// Binds the calling thread to the processor of compute thread number `thread`. A thread that can't be bound, or for
// which the host names no processor, runs where it may.
inline void bind_to_processor_of(const gdbench_settings& settings, int thread) {
  if (settings.compute_core_count < 1) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(settings.compute_cores[thread % settings.compute_core_count], &one);
  static_cast<void>(sched_setaffinity(0, sizeof(one), &one));
}

// Lets the calling thread, and threads that it starts, run on every processor of a compute thread.
inline void bind_to_all_processors(const gdbench_settings& settings) {
  if (settings.compute_core_count < 1) return;
  cpu_set_t all;
  CPU_ZERO(&all);
  for (std::int32_t i = 0; i < settings.compute_core_count; ++i) CPU_SET(settings.compute_cores[i], &all);
  static_cast<void>(sched_setaffinity(0, sizeof(all), &all));
}

}  // namespace gdbench::implementations
