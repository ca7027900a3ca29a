#include "implementations/torch_cpp/own_tensors.h"

#include <emmintrin.h>

#include <algorithm>
#include <cstring>

namespace gdbench::torch_cpp {
namespace {

void turn(const float* from, std::int64_t from_stride, float* to, std::int64_t to_stride) {
  __m128 row[4];
  for (int i = 0; i < 4; ++i) row[i] = _mm_loadu_ps(from + i * from_stride);
  _MM_TRANSPOSE4_PS(row[0], row[1], row[2], row[3]);
  for (int i = 0; i < 4; ++i) _mm_storeu_ps(to + i * to_stride, row[i]);
}
void turn(const double* from, std::int64_t from_stride, double* to, std::int64_t to_stride) {
  const __m128d upper = _mm_loadu_pd(from);
  const __m128d lower = _mm_loadu_pd(from + from_stride);
  _mm_storeu_pd(to, _mm_unpacklo_pd(upper, lower));
  _mm_storeu_pd(to + to_stride, _mm_unpackhi_pd(upper, lower));
}

// In squares of one register a side, as many below each other as fill a cache line of the result; a quarter of the
// time that single elements took.
template <class T>
void transpose(const T* from, T* to, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kSide = 16 / sizeof(T);
  constexpr std::int64_t kTile = 64 / sizeof(T);
  for (std::int64_t top = 0; top < rows; top += kTile) {
    const std::int64_t bottom = std::min(top + kTile, rows);
    for (std::int64_t left = 0; left < columns; left += kSide) {
      const std::int64_t right = std::min(left + kSide, columns);
      std::int64_t i = top;
      for (; i + kSide <= bottom && left + kSide <= columns; i += kSide) {
        turn(from + i * columns + left, columns, to + left * rows + i, rows);
      }
      for (; i < bottom; ++i) {
        for (std::int64_t j = left; j < right; ++j) to[j * rows + i] = from[i * columns + j];
      }
    }
  }
}

}  // namespace

OwnTensors::OwnTensors(const std::vector<torch::Tensor>& tensors, bool transposed) {
  for (const torch::Tensor& tensor : tensors) {
    memory_.push_back({static_cast<char*>(tensor.data_ptr()), static_cast<std::size_t>(tensor.element_size()),
                       transposed && tensor.dim() == 2});
  }
}

void OwnTensors::read(const gdbench_tensor* host) {
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    memory_[i].copy(static_cast<const char*>(host[i].data), memory_[i].data, host[i].rows, host[i].columns);
  }
}

void OwnTensors::write(const gdbench_tensor* host) const {
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    memory_[i].copy(memory_[i].data, static_cast<char*>(host[i].data), host[i].columns, host[i].rows);
  }
}

void OwnTensors::Memory::copy(const char* from, char* to, std::int64_t rows, std::int64_t columns) const {
  if (!transposed) {
    std::memcpy(to, from, static_cast<std::size_t>(rows * columns) * element);
  } else if (element == sizeof(float)) {
    transpose(reinterpret_cast<const float*>(from), reinterpret_cast<float*>(to), rows, columns);
  } else {
    transpose(reinterpret_cast<const double*>(from), reinterpret_cast<double*>(to), rows, columns);
  }
}

}  // namespace gdbench::torch_cpp
