// States as libtorch keeps them, copied without libtorch: its calls would find nothing of theirs in the caches after a
// block, and take longer than the time that setting and reading a state has (gdbench/plugin.h, "Time").
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "gdbench/plugin.h"

namespace gdbench::torch_cpp {

class OwnTensors {
 public:
  // Contiguous tensors that keep their memory. `transposed`: those of two dimensions are the host's turned round, as
  // nn::Linear keeps its weights.
  OwnTensors(const std::vector<torch::Tensor>& tensors, bool transposed);

  void read(const gdbench_tensor* host);
  void write(const gdbench_tensor* host) const;

 private:
  struct Memory {
    // A matrix of this shape into another place, where it is turned round or not.
    void copy(const char* from, char* to, std::int64_t rows, std::int64_t columns) const;

    char* data;
    std::size_t element;  // bytes
    bool transposed;
  };
  std::vector<Memory> memory_;
};

}  // namespace gdbench::torch_cpp
