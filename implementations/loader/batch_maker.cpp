#include "implementations/loader/batch_maker.h"

#include <cstring>
#include <vector>

namespace gdbench::loader {
namespace {

// Rows are short, so a copy of compile-time size is worth having where one fits.
void gather_rows(std::byte* to, const std::byte* from, const std::uint32_t* index, std::int64_t rows,
                 std::size_t row_bytes) {
  if (row_bytes == sizeof(std::uint32_t)) {
    for (std::int64_t row = 0; row < rows; ++row) {
      std::memcpy(to + static_cast<std::size_t>(row) * sizeof(std::uint32_t), from + index[row] * sizeof(std::uint32_t),
                  sizeof(std::uint32_t));
    }
    return;
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    std::memcpy(to + static_cast<std::size_t>(row) * row_bytes, from + index[row] * row_bytes, row_bytes);
  }
}

class Gatherer final : public BatchMaker {
 public:
  explicit Gatherer(const BatchPlan& plan) : plan_(plan) {}

  void make(std::int64_t step, std::byte* x, std::byte* targets) override {
    copy(step, x, plan_.x(), plan_.x_row_bytes());
    copy(step, targets, plan_.targets(), plan_.target_row_bytes());
  }

 private:
  void copy(std::int64_t step, std::byte* to, const std::byte* from, std::size_t row_bytes) const {
    const std::int64_t rows = plan_.rows(step);
    if (const std::uint32_t* index = plan_.index(step)) {
      gather_rows(to, from, index, rows, row_bytes);
    } else {
      std::memcpy(to, from + static_cast<std::size_t>(plan_.first(step)) * row_bytes,
                  static_cast<std::size_t>(rows) * row_bytes);
    }
  }

  BatchPlan plan_;
};

// A data set of samples as the sampler sees it.
using Fetch = void (*)(const BatchPlan& plan, std::int64_t row, std::byte* sample);

// A sample is a row of X followed by its targets.
void fetch_sample(const BatchPlan& plan, std::int64_t row, std::byte* sample) {
  const auto index = static_cast<std::size_t>(row);
  std::memcpy(sample, plan.x() + index * plan.x_row_bytes(), plan.x_row_bytes());
  std::memcpy(sample + plan.x_row_bytes(), plan.targets() + index * plan.target_row_bytes(), plan.target_row_bytes());
}

class Sampler final : public BatchMaker {
 public:
  Sampler(const BatchPlan& plan, Fetch fetch)
      : plan_(plan),
        fetch_(fetch),
        samples_(static_cast<std::size_t>(plan.most_rows()) * (plan.x_row_bytes() + plan.target_row_bytes())) {}

  void make(std::int64_t step, std::byte* x, std::byte* targets) override {
    const auto rows = static_cast<std::size_t>(plan_.rows(step));
    const std::uint32_t* index = plan_.index(step);
    const std::size_t x_bytes = plan_.x_row_bytes();
    const std::size_t target_bytes = plan_.target_row_bytes();
    for (std::size_t i = 0; i < rows; ++i) {
      const std::int64_t row = index != nullptr ? index[i] : plan_.first(step) + static_cast<std::int64_t>(i);
      fetch_(plan_, row, sample(i));
    }
    for (std::size_t i = 0; i < rows; ++i) {
      std::memcpy(x + i * x_bytes, sample(i), x_bytes);
      std::memcpy(targets + i * target_bytes, sample(i) + x_bytes, target_bytes);
    }
  }

 private:
  std::byte* sample(std::size_t i) { return samples_.data() + i * (plan_.x_row_bytes() + plan_.target_row_bytes()); }

  BatchPlan plan_;
  Fetch fetch_;
  std::vector<std::byte> samples_;
};

class StreamMaker final : public BatchMaker {
 public:
  StreamMaker(const BatchPlan& plan, StreamReader& reader) : plan_(plan), reader_(reader) {}

  void make(std::int64_t step, std::byte* x, std::byte* targets) override {
    reader_.read(plan_.first(step), plan_.rows(step), x, targets);
  }

 private:
  BatchPlan plan_;
  StreamReader& reader_;
};

}  // namespace

std::unique_ptr<BatchMaker> make_gatherer(const BatchPlan& plan) { return std::make_unique<Gatherer>(plan); }

std::unique_ptr<BatchMaker> make_sampler(const BatchPlan& plan) {
  return std::make_unique<Sampler>(plan, fetch_sample);
}

std::unique_ptr<BatchMaker> make_stream_maker(const BatchPlan& plan, StreamReader& reader) {
  return std::make_unique<StreamMaker>(plan, reader);
}

}  // namespace gdbench::loader
