#include "implementations/torch_cpp/own_tensors.h"

#include <algorithm>
#include <cstring>

namespace gdbench::torch_cpp {
namespace {

template <class T>
using Vector [[gnu::vector_size(16)]] = T;

template <class T>
Vector<T> load(const T* from) {
  Vector<T> value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

void turn(const float* from, std::int64_t from_stride, float* to, std::int64_t to_stride) {
  const Vector<float> a = load(from), b = load(from + from_stride);
  const Vector<float> c = load(from + 2 * from_stride), d = load(from + 3 * from_stride);
  const Vector<float> left_upper = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Vector<float> left_lower = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Vector<float> right_upper = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Vector<float> right_lower = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  const Vector<float> columns[] = {__builtin_shufflevector(left_upper, left_lower, 0, 1, 4, 5),
                                   __builtin_shufflevector(left_upper, left_lower, 2, 3, 6, 7),
                                   __builtin_shufflevector(right_upper, right_lower, 0, 1, 4, 5),
                                   __builtin_shufflevector(right_upper, right_lower, 2, 3, 6, 7)};
  for (int i = 0; i < 4; ++i) std::memcpy(to + i * to_stride, &columns[i], sizeof columns[i]);
}
void turn(const double* from, std::int64_t from_stride, double* to, std::int64_t to_stride) {
  const Vector<double> upper = load(from), lower = load(from + from_stride);
  const Vector<double> columns[] = {__builtin_shufflevector(upper, lower, 0, 2),
                                    __builtin_shufflevector(upper, lower, 1, 3)};
  for (int i = 0; i < 2; ++i) std::memcpy(to + i * to_stride, &columns[i], sizeof columns[i]);
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
