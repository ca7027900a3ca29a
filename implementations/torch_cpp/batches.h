// The host's rows as tensors.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "gdbench/plugin.h"
#include "harness/abi/catalogue.h"
#include "implementations/loader/batch_plan.h"

namespace gdbench::torch_cpp {

using torch::Tensor;

struct Batch {
  Tensor x;
  Tensor y;
};

inline torch::Dtype element_type(const gdbench_problem& problem) {
  return problem.dtype == GDBENCH_F32 ? torch::kFloat32 : torch::kFloat64;
}

// The host's memory as a tensor. libtorch knows no tensors of constants; nothing here writes to one.
inline Tensor view(const void* memory, at::IntArrayRef shape, torch::Dtype type) {
  return torch::from_blob(const_cast<void*>(memory), shape, type);
}

// Batches in the harness's order: views where rows lie together, otherwise taken by index in each step.
class Batches {
 public:
  Batches(const gdbench_data& data, const gdbench_problem& problem)
      : plan_{&data, loader::batching_of(problem), catalogue::takes_labels(problem)},
        x_(view(data.x, {data.rows, data.features}, element_type(problem))),
        y_(plan_.labels ? view(data.labels, {data.rows}, torch::kInt32).to(torch::kInt64)  // as libtorch wants them
                        : view(data.y, {data.rows, data.outputs}, element_type(problem))) {
    const std::int64_t steps = plan_.steps_per_epoch() * (data.order == nullptr ? 1 : data.epochs);
    for (std::int64_t step = 0; step < steps; ++step) {
      const std::int64_t first = plan_.first(step);
      const std::int64_t end = first + plan_.rows(step);
      if (data.order == nullptr) {
        ready_.push_back({x_.slice(0, first, end), y_.slice(0, first, end)});
      } else {
        const std::uint32_t* rows = plan_.index(step);
        indices_.push_back(torch::tensor(std::vector<std::int64_t>(rows, rows + plan_.rows(step))));
      }
    }
  }

  const Batch& of(std::int64_t step) {
    if (indices_.empty()) return ready_[static_cast<std::size_t>(step) % ready_.size()];
    const Tensor& rows = indices_[static_cast<std::size_t>(step) % indices_.size()];
    taken_ = {x_.index({rows}), y_.index({rows})};
    return taken_;
  }
  Batch all() const { return {x_, y_}; }

 private:
  loader::BatchPlan plan_;
  Tensor x_;
  Tensor y_;
  std::vector<Batch> ready_;
  std::vector<Tensor> indices_;
  Batch taken_;
};

}  // namespace gdbench::torch_cpp
