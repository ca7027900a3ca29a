// Collects profile records: one per op and phase.
#pragma once

#include <cstdint>
#include <vector>

#include "gdbench/plugin.h"
#include "implementations/strategies/op_cost.h"

namespace gdbench::strategies {

class Profile {
 public:
  // Adds one call. `op` must outlive the profile.
  void add(const char* op, gdbench_phase phase, double nanoseconds, const OpCost& cost);
  void report(const gdbench_profile_sink& sink) const;

 private:
  std::vector<gdbench_profile_record> records_;
};

// Nanoseconds of a monotonic clock.
double now_ns();

}  // namespace gdbench::strategies
