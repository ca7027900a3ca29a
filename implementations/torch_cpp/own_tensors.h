// States as libtorch keeps them, copied without libtorch: its calls would find nothing of theirs in the caches after a
// block, and take longer than the time that setting and reading a state has (gdbench/plugin.h, "Time").
#pragma once

#include <torch/types.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gdbench/plugin.h"

namespace gdbench::torch_cpp {

class OwnTensors {
 public:
  // Contiguous tensors that keep their memory. `transposed`: those of two dimensions are the host's turned round, as
  // nn::Linear keeps its weights.
  OwnTensors(const std::vector<torch::Tensor>& tensors, bool transposed) {
    for (const torch::Tensor& tensor : tensors) {
      memory_.push_back({static_cast<char*>(tensor.data_ptr()), static_cast<std::size_t>(tensor.element_size()),
                         transposed && tensor.dim() == 2});
    }
  }

  void read(const gdbench_tensor* host) {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      memory_[i].copy(static_cast<const char*>(host[i].data), memory_[i].data, host[i].rows, host[i].columns);
    }
  }
  void write(const gdbench_tensor* host) const {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      memory_[i].copy(memory_[i].data, static_cast<char*>(host[i].data), host[i].columns, host[i].rows);
    }
  }

 private:
  struct Memory {
    // A matrix of this shape into another place, where it is turned round or not.
    void copy(const char* from, char* to, std::int64_t rows, std::int64_t columns) const {
      if (!transposed) {
        std::memcpy(to, from, static_cast<std::size_t>(rows * columns) * element);
      } else if (element == sizeof(float)) {
        transpose(reinterpret_cast<const float*>(from), reinterpret_cast<float*>(to), rows, columns);
      } else {
        transpose(reinterpret_cast<const double*>(from), reinterpret_cast<double*>(to), rows, columns);
      }
    }

    // Tile by tile, so that both sides stay within a few cache lines.
    template <class T>
    static void transpose(const T* from, T* to, std::int64_t rows, std::int64_t columns) {
      constexpr std::int64_t kTile = 16;
      for (std::int64_t top = 0; top < rows; top += kTile) {
        for (std::int64_t left = 0; left < columns; left += kTile) {
          for (std::int64_t i = top; i < std::min(top + kTile, rows); ++i) {
            for (std::int64_t j = left; j < std::min(left + kTile, columns); ++j)
              to[j * rows + i] = from[i * columns + j];
          }
        }
      }
    }

    char* data;
    std::size_t element;  // bytes
    bool transposed;
  };
  std::vector<Memory> memory_;
};

}  // namespace gdbench::torch_cpp
