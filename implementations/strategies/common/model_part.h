// Which layers and parameters a call is about, for profiles. Resolved when a program is made, not when it runs.
#pragma once

#include <cstdint>

#include "gdbench/plugin.h"

namespace gdbench::strategies {

// From the first to the last, both included; -1 where there is none.
struct Range {
  std::int64_t first = -1;
  std::int64_t last = -1;

  static constexpr Range of(std::int64_t one) { return {one, one}; }
  bool empty() const { return first < 0; }
  bool operator==(const Range&) const = default;
};

// As gdbench_model_part has it: layers and parameters in the order of the ABI.
struct ModelPart {
  Range layers;
  Range parameters;
  gdbench_parameter_use use = GDBENCH_READS_PARAMETERS;

  bool operator==(const ModelPart&) const = default;
};

// Of layers, and no parameter of theirs.
constexpr ModelPart of_layers(const Range& layers) { return {layers, {}, GDBENCH_READS_PARAMETERS}; }
constexpr ModelPart of_layer(std::int64_t layer) { return of_layers(Range::of(layer)); }

// The part of a call that does the work of two. Where they use parameters in different ways the stronger one is
// named: who computes a gradient and updates by it, updates.
ModelPart both(const ModelPart& a, const ModelPart& b);

// All layers, whose parameters are updated: what runs whole steps.
ModelPart whole_model(const gdbench_problem& problem);

gdbench_model_part to_abi(const ModelPart& part);

}  // namespace gdbench::strategies
