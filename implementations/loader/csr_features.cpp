#include "implementations/loader/csr_features.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

#include "implementations/common/failure.h"

namespace gdbench::loader {

using implementations::Failure;

CsrFeatures::CsrFeatures(const gdbench_data& data, Batching batch, const Rank& rank)
    : data_(data), plan_{&data, batch, false, rank} {
  if (data.stream != nullptr) throw Failure(GDBENCH_UNSUPPORTED, "csr features of streamed data");
  catalogue::with_element(catalogue::dtype_of(data), [&](auto zero) { compress<decltype(zero)>(); });
  if (data.order != nullptr) allocate_gathered();
}

template <class T>
void CsrFeatures::compress() {
  const T* x = static_cast<const T*>(data_.x);
  const auto size = static_cast<std::size_t>(data_.rows * data_.features);
  const std::size_t entries = size - static_cast<std::size_t>(std::count(x, x + size, T(0)));
  if (entries > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw Failure(GDBENCH_UNSUPPORTED, "csr features with more than 2^31 - 1 entries");
  }
  row_offsets_.reserve(static_cast<std::size_t>(data_.rows) + 1);
  column_indices_.reserve(entries);
  values_.resize(entries * sizeof(T));
  row_offsets_.push_back(0);
  for (std::int64_t row = 0; row < data_.rows; ++row) {
    for (std::int64_t column = 0; column < data_.features; ++column) {
      const T& value = x[row * data_.features + column];
      if (value == T(0)) continue;
      std::memcpy(values_.data() + column_indices_.size() * sizeof(T), &value, sizeof(T));
      column_indices_.push_back(static_cast<std::int32_t>(column));
    }
    row_offsets_.push_back(static_cast<std::int32_t>(column_indices_.size()));
  }
}

void CsrFeatures::allocate_gathered() {
  std::vector<std::int32_t> counts(static_cast<std::size_t>(data_.rows));
  for (std::size_t row = 0; row < counts.size(); ++row) counts[row] = row_offsets_[row + 1] - row_offsets_[row];
  const auto max_rows = counts.begin() + plan_.most_rows();
  std::nth_element(counts.begin(), max_rows, counts.end(), std::greater<>());
  const auto entries = static_cast<std::size_t>(std::accumulate(counts.begin(), max_rows, std::int64_t{0}));
  gathered_offsets_.resize(static_cast<std::size_t>(plan_.most_rows()) + 1);
  gathered_indices_.resize(entries);
  gathered_values_.resize(entries * plan_.element_bytes());
}

CsrFeatures::Rows CsrFeatures::batch(std::int64_t step) {
  const std::uint32_t* index = plan_.index(step);
  if (index == nullptr) return rows_from(plan_.first(step));
  const auto rows = static_cast<std::size_t>(plan_.rows(step));
  const std::size_t element = plan_.element_bytes();
  std::size_t at = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto from = static_cast<std::size_t>(row_offsets_[index[row]]);
    const auto count = static_cast<std::size_t>(row_offsets_[index[row] + 1]) - from;
    std::copy_n(column_indices_.data() + from, count, gathered_indices_.data() + at);
    std::copy_n(values_.data() + from * element, count * element, gathered_values_.data() + at * element);
    at += count;
    gathered_offsets_[row + 1] = static_cast<std::int32_t>(at);
  }
  return {gathered_offsets_.data(), gathered_indices_.data(), gathered_values_.data()};
}

double CsrFeatures::mean_entries(std::int64_t rows) const {
  return static_cast<double>(column_indices_.size()) * static_cast<double>(rows) / static_cast<double>(data_.rows);
}

}  // namespace gdbench::loader
