// Collects profile records: one per op, phase and part of the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gdbench/plugin.h"
#include "implementations/backends/common/ops.h"

namespace gdbench::strategies {

// What an op costs by formula: floating-point operations and the bytes that the algorithm moves, ignoring caches.
struct OpCost {
  double flops = 0;  // a fused multiply-add counts twice; a division, a root or a transcendental function once
  double bytes = 0;
};

OpCost cost_of(const backends::Request& request);

// From the first to the last, both included; -1 where there is none.
struct Range {
  std::int64_t first = -1;
  std::int64_t last = -1;

  static constexpr Range of(std::int64_t one) { return {one, one}; }
  bool empty() const { return first < 0; }
  bool operator==(const Range&) const = default;
};

// Which layers and parameters a call is about, as gdbench_model_part has it: both in the order of the ABI. Resolved
// when a program is made, not when it runs.
struct ModelPart {
  Range layers;
  Range parameters;
  gdbench_parameter_use use = GDBENCH_READS_PARAMETERS;

  bool operator==(const ModelPart&) const = default;
};

// Layers without their parameters.
constexpr ModelPart of_layers(const Range& layers) { return {layers, {}, GDBENCH_READS_PARAMETERS}; }
constexpr ModelPart of_layer(std::int64_t layer) { return of_layers(Range::of(layer)); }

// The part of a call that does the work of two. Where they use parameters in different ways the stronger one is
// named: who computes a gradient and updates by it, updates.
ModelPart both(const ModelPart& a, const ModelPart& b);

// All layers, whose parameters are updated: what runs whole steps.
ModelPart whole_model(const gdbench_problem& problem);

// What a call is called in a profile. `op` must outlive the profile.
struct ProfiledAs {
  const char* op;
  catalogue::Phase phase;
  OpCost cost;
  ModelPart part;
};

class Profile {
 public:
  // Adds one call. The calls of an op have one clock.
  void add(const ProfiledAs& as, double nanoseconds, catalogue::Clock clock = catalogue::Clock::host);
  // Calls all times the host's, where those of the device contain what the host did meanwhile.
  void distrust_device_clock();
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
