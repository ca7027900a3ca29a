// Collects profile records: one per op, phase and part of the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gdbench/plugin.h"
#include "implementations/strategies/common/model_part.h"
#include "implementations/strategies/common/op_cost.h"

namespace gdbench::strategies {

// What a call is called in a profile. `op` must outlive the profile.
struct ProfiledAs {
  const char* op;
  catalogue::Phase phase;
  OpCost cost;
  ModelPart part;
};

class Profile {
 public:
  // Adds one call.
  void add(const ProfiledAs& as, double nanoseconds);
  void report(const gdbench_profile_sink& sink) const;

 private:
  struct Entry {
    gdbench_profile_record record;
    ModelPart part;
    std::size_t next = 0;  // the entry that followed last time
  };
  std::size_t find(const ProfiledAs& as) const;

  std::vector<Entry> entries_;
  std::size_t last_ = 0;  // the entry that was added to
};

// Nanoseconds of a monotonic clock.
double now_ns();

}  // namespace gdbench::strategies
