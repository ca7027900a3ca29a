// Data of the bare loops that have no library for it.
#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

template <class T>
std::vector<T> normal(std::size_t size, double deviation = 1) {
  static std::mt19937 random(1);
  std::normal_distribution<T> distribution(0, static_cast<T>(deviation));
  std::vector<T> values(size);
  for (T& value : values) value = distribution(random);
  return values;
}

// Rows of a table and the order in which batches take them.
template <class T>
class Data {
 public:
  explicit Data(const std::string& workload) {
    if (workload == "linreg-3x2") {
      set(3, 3, {2, 1});
    } else if (workload == "mlp-10-50-1") {
      set(1000, 1000, {10, 50, 1});
    } else {
      set(4096, 32, {784, 128, 10});
      labels_.resize(4096);
      for (std::size_t i = 0; i < labels_.size(); ++i) labels_[i] = static_cast<int>(i % 10);
      order_.resize(4096);
      std::iota(order_.begin(), order_.end(), 0U);
      std::shuffle(order_.begin(), order_.end(), std::mt19937(2));
      x_of_batch_.resize(32 * 784);
      labels_of_batch_.resize(32);
    }
  }

  // The next batch; where batches are chosen rows, these are copied.
  void next() {
    if (order_.empty()) return;
    for (int i = 0; i < batch; ++i) {
      const std::size_t row = order_[next_++ % order_.size()];
      std::memcpy(&x_of_batch_[static_cast<std::size_t>(i * widths[0])], &x_[row * static_cast<std::size_t>(widths[0])],
                  static_cast<std::size_t>(widths[0]) * sizeof(T));
      labels_of_batch_[static_cast<std::size_t>(i)] = labels_[row];
    }
  }
  const T* x() const { return order_.empty() ? x_.data() : x_of_batch_.data(); }
  const T* y() const { return y_.data(); }  // [batch, 1] where there are no labels
  const int* labels() const { return labels_of_batch_.data(); }

  int batch = 0;
  std::vector<int> widths;

 private:
  void set(int rows, int rows_of_batch, std::vector<int> of) {
    batch = rows_of_batch;
    widths = std::move(of);
    x_ = normal<T>(static_cast<std::size_t>(rows * widths[0]));
    y_ = normal<T>(static_cast<std::size_t>(rows));
  }

  std::vector<T> x_, y_, x_of_batch_;
  std::vector<int> labels_, labels_of_batch_;
  std::vector<unsigned> order_;
  std::size_t next_ = 0;
};
