// A training's state as bytes of its dtype: what coordinator and worker exchange through shared memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/scenario/problem.h"

namespace gdbench::protocol {

// Where one state lies within the state memory: parameters, then slots, then what is kept of the scale of
// the loss, each at a multiple of 64 bytes.
struct StateLayout {
  struct Entry {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::size_t offset = 0;  // within an image

    std::int64_t size() const { return rows * columns; }
  };
  std::vector<Entry> parameters;
  std::vector<Entry> slots;         // [slot, parameter]
  std::vector<Entry> loss_scaling;  // one, or none where the dtype does not scale the loss
  std::size_t image_bytes = 0;
};

StateLayout state_layout(const scenario::Problem& problem);

// Numbers of the dtype, one behind the other from an address.
void read_numbers(scenario::Dtype dtype, const std::byte* source, std::span<double> values);
void write_numbers(scenario::Dtype dtype, std::span<const double> values, std::byte* target);
// Sum of the squared differences of `count` numbers from each address.
double squared_distance(scenario::Dtype dtype, const std::byte* from, const std::byte* to, std::size_t count);

// Converts between a State (double) and the dtype's bytes of one image.
void write_state(const scenario::State& state, const StateLayout& layout, scenario::Dtype dtype, std::byte* image);
scenario::State read_state(const StateLayout& layout, scenario::Dtype dtype, const std::byte* image, std::int64_t step);

}  // namespace gdbench::protocol
