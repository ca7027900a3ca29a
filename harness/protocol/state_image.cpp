#include "harness/protocol/state_image.h"

#include <cstring>
#include <utility>

#include "harness/base/shared_memory.h"

namespace gdbench::protocol {

using scenario::Dtype;

StateLayout state_layout(const scenario::Problem& problem) {
  StateLayout layout;
  const std::vector<scenario::ParameterShape> shapes = scenario::state_shapes(problem);
  const auto append = [&](std::vector<StateLayout::Entry>& entries) {
    for (const scenario::ParameterShape& shape : shapes) {
      entries.push_back({shape.rows, shape.columns, layout.image_bytes});
      layout.image_bytes += aligned_size(static_cast<std::size_t>(shape.size()) * scenario::size_of(problem.dtype));
    }
  };
  append(layout.parameters);
  for (std::size_t slot = 0; slot < scenario::slot_count(problem.optimizer.kind); ++slot) append(layout.slots);
  if (catalogue::scales_loss(problem.dtype)) {
    layout.loss_scaling.push_back({1, 3, layout.image_bytes});
    layout.image_bytes += aligned_size(3 * scenario::size_of(problem.dtype));
  }
  return layout;
}

void read_numbers(Dtype dtype, const std::byte* source, std::span<double> values) {
  catalogue::with_element(dtype, [&](auto number) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::memcpy(&number, source + i * sizeof number, sizeof number);
      values[i] = static_cast<double>(number);
    }
  });
}

void write_numbers(Dtype dtype, std::span<const double> values, std::byte* target) {
  catalogue::with_element(dtype, [&](auto number) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      number = static_cast<decltype(number)>(values[i]);
      std::memcpy(target + i * sizeof number, &number, sizeof number);
    }
  });
}

double squared_distance(Dtype dtype, const std::byte* from, const std::byte* to, std::size_t count) {
  return catalogue::with_element(dtype, [&](auto number) {
    auto other = number;
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(&number, from + i * sizeof number, sizeof number);
      std::memcpy(&other, to + i * sizeof other, sizeof other);
      const double change = static_cast<double>(other) - static_cast<double>(number);
      sum += change * change;
    }
    return sum;
  });
}

void write_state(const scenario::State& state, const StateLayout& layout, Dtype dtype, std::byte* image) {
  const auto write_all = [&](const std::vector<std::vector<double>>& tensors,
                             const std::vector<StateLayout::Entry>& entries) {
    for (std::size_t i = 0; i < entries.size(); ++i) write_numbers(dtype, tensors[i], image + entries[i].offset);
  };
  write_all(state.parameters, layout.parameters);
  write_all(state.slots, layout.slots);
  if (!layout.loss_scaling.empty()) write_all({state.loss_scaling}, layout.loss_scaling);
}

scenario::State read_state(const StateLayout& layout, Dtype dtype, const std::byte* image, std::int64_t step) {
  const auto read_all = [&](const std::vector<StateLayout::Entry>& entries) {
    std::vector<std::vector<double>> tensors;
    for (const StateLayout::Entry& entry : entries) {
      read_numbers(dtype, image + entry.offset, tensors.emplace_back(static_cast<std::size_t>(entry.size())));
    }
    return tensors;
  };
  scenario::State state{step, read_all(layout.parameters), read_all(layout.slots)};
  if (!layout.loss_scaling.empty()) state.loss_scaling = std::move(read_all(layout.loss_scaling).front());
  return state;
}

}  // namespace gdbench::protocol
