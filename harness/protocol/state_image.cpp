#include "harness/protocol/state_image.h"

#include <cstring>
#include <utility>

#include "harness/base/shared_memory.h"

namespace gdbench::protocol {

using scenario::Dtype;

StateLayout state_layout(const scenario::Problem& problem) {
  StateLayout layout;
  const std::vector<scenario::ParameterShape> shapes = scenario::parameter_shapes(problem);
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

double read_number(Dtype dtype, const std::byte* source) {
  return catalogue::with_element(dtype, [&](auto value) {
    std::memcpy(&value, source, sizeof value);
    return static_cast<double>(value);
  });
}

void write_number(Dtype dtype, double value, std::byte* target) {
  catalogue::with_element(dtype, [&](auto zero) {
    const auto narrow = static_cast<decltype(zero)>(value);
    std::memcpy(target, &narrow, sizeof narrow);
  });
}

void write_state(const scenario::State& state, const StateLayout& layout, Dtype dtype, std::byte* image) {
  const auto write_all = [&](const std::vector<std::vector<double>>& tensors,
                             const std::vector<StateLayout::Entry>& entries) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      std::byte* target = image + entries[i].offset;
      for (std::size_t j = 0; j < tensors[i].size(); ++j, target += scenario::size_of(dtype)) {
        write_number(dtype, tensors[i][j], target);
      }
    }
  };
  write_all(state.parameters, layout.parameters);
  write_all(state.slots, layout.slots);
  if (!layout.loss_scaling.empty()) write_all({state.loss_scaling}, layout.loss_scaling);
}

scenario::State read_state(const StateLayout& layout, Dtype dtype, const std::byte* image, std::int64_t step) {
  const auto read_all = [&](const std::vector<StateLayout::Entry>& entries) {
    std::vector<std::vector<double>> tensors;
    for (const StateLayout::Entry& entry : entries) {
      std::vector<double>& tensor = tensors.emplace_back(static_cast<std::size_t>(entry.size()));
      const std::byte* source = image + entry.offset;
      for (double& value : tensor) {
        value = read_number(dtype, source);
        source += scenario::size_of(dtype);
      }
    }
    return tensors;
  };
  scenario::State state{step, read_all(layout.parameters), read_all(layout.slots)};
  if (!layout.loss_scaling.empty()) state.loss_scaling = std::move(read_all(layout.loss_scaling).front());
  return state;
}

}  // namespace gdbench::protocol
