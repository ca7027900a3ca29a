#include "implementations/loader/batch_loader.h"

#include <cstring>
#include <string>
#include <utility>

#include "implementations/common/failure.h"

namespace gdbench::loader {
namespace {

using implementations::Failure;

constexpr double kMaxLaidOutBytes = 1 << 30;

std::string mebibytes(double bytes) { return std::to_string(static_cast<std::int64_t>(bytes) >> 20) + " MiB"; }

}  // namespace

BatchLoader::BatchLoader(const gdbench_data& data, Batching batch, bool labels, const LoaderSettings& settings,
                         Allocate allocate)
    : plan_{&data, batch, labels, settings.rank}, allocate_(std::move(allocate)) {
  if (batch.rows < 1 || batch.rows > data.rows) {
    throw Failure(GDBENCH_INVALID,
                  "batch of " + std::to_string(batch.rows) + " rows, expected 1 to " + std::to_string(data.rows));
  }
  const auto most_rows = static_cast<std::size_t>(plan_.most_rows());
  x_stride_ = aligned_size(most_rows * x_row_bytes());
  target_stride_ = aligned_size(most_rows * target_row_bytes());
  if (data.stream != nullptr) {
    stream(settings);
  } else if (settings.loader == Loader::sample) {
    make_with(make_sampler(plan_), settings);
  } else if (settings.loader == Loader::gather || (settings.loader == Loader::automatic && data.order != nullptr)) {
    make_with(make_gatherer(plan_), settings);
  } else if (settings.prefetch > 0) {
    throw Failure(GDBENCH_UNSUPPORTED,
                  "prefetch=" + std::to_string(settings.prefetch) + ": batches lie ready, nothing is made ahead");
  } else if (settings.loader == Loader::resident) {
    lay_out();
  } else {
    show_data();
  }
}

void BatchLoader::show_data() {
  const auto rows = static_cast<std::size_t>(plan_.data->rows);
  memory_ = {plan_.x(), rows * x_row_bytes(), plan_.targets(), rows * target_row_bytes()};
  if (!allocate_) return;
  const auto copied = [this](const std::byte* from, std::size_t bytes) {
    return static_cast<const std::byte*>(std::memcpy(memory_for(bytes), from, bytes));
  };
  memory_.x = copied(memory_.x, memory_.x_bytes);
  memory_.targets = copied(memory_.targets, memory_.target_bytes);
}

std::byte* BatchLoader::memory_for(std::size_t bytes) {
  if (allocate_) return allocate_(bytes);
  return heap_.emplace_back(allocate_aligned(bytes)).get();
}

void BatchLoader::allocate(std::int64_t slots) {
  const std::size_t x_bytes = static_cast<std::size_t>(slots) * x_stride_;
  const std::size_t target_bytes = static_cast<std::size_t>(slots) * target_stride_;
  own_x_ = memory_for(x_bytes);
  own_targets_ = memory_for(target_bytes);
  memory_ = {own_x_, x_bytes, own_targets_, target_bytes};
}

Prefetcher::Slot BatchLoader::slot(std::int64_t index) const {
  const auto number = static_cast<std::size_t>(index);
  return {own_x_ + number * x_stride_, own_targets_ + number * target_stride_};
}

void BatchLoader::lay_out() {
  const std::int64_t epochs = plan_.data->order != nullptr ? plan_.data->epochs : 1;
  const std::int64_t batches = epochs * steps_per_epoch();
  const double bytes = static_cast<double>(batches) * static_cast<double>(x_stride_ + target_stride_);
  if (bytes > kMaxLaidOutBytes) {
    throw Failure(GDBENCH_UNSUPPORTED, "loader=resident: " + std::to_string(epochs) + " epoch(s) of " +
                                           std::to_string(steps_per_epoch()) + " batches take " + mebibytes(bytes) +
                                           ", at most " + mebibytes(kMaxLaidOutBytes) + " are laid out");
  }
  allocate(batches);
  const std::unique_ptr<BatchMaker> gatherer = make_gatherer(plan_);
  for (std::int64_t step = 0; step < batches; ++step) gatherer->make(step, slot(step).x, slot(step).targets);
  laid_out_ = batches;
}

// The stream's memory cap covers the ring of batches, the block, and the rows of an evaluation's piece: what is left.
void BatchLoader::stream(const LoaderSettings& settings) {
  if (settings.loader != Loader::automatic) {
    throw Failure(GDBENCH_UNSUPPORTED, "a loader other than auto for streamed data, which are read in order");
  }
  const gdbench_stream& file = *plan_.data->stream;
  const double ring = static_cast<double>(settings.prefetch + 1) * static_cast<double>(x_stride_ + target_stride_);
  const double left =
      static_cast<double>(file.memory_cap_bytes) - ring - static_cast<double>(StreamReader::block_bytes(file));
  const double rows = left / static_cast<double>(x_row_bytes() + target_row_bytes());
  if (rows < 1) {
    throw Failure(GDBENCH_UNSUPPORTED,
                  std::to_string(settings.prefetch + 1) + " batches and a block of the file take " +
                      std::to_string(static_cast<std::int64_t>(static_cast<double>(file.memory_cap_bytes) - left)) +
                      " bytes, memory_cap is " + std::to_string(file.memory_cap_bytes));
  }
  spare_rows_ = static_cast<std::int64_t>(std::min(rows, static_cast<double>(plan_.data->rows)));
  stream_reader_.emplace(plan_);
  make_with(make_stream_maker(plan_, *stream_reader_), settings);
}

void BatchLoader::make_with(std::unique_ptr<BatchMaker> maker, const LoaderSettings& settings) {
  allocate(settings.prefetch + 1);
  maker_ = std::move(maker);
  if (settings.prefetch == 0) return;
  std::vector<Prefetcher::Slot> slots;
  for (std::int64_t i = 0; i <= settings.prefetch; ++i) slots.push_back(slot(i));
  prefetcher_.emplace(*maker_, std::move(slots), settings.helper_cores);
}

Batch BatchLoader::place(std::int64_t step) const {
  const std::int64_t rows = plan_.rows(step);
  if (own_x_ != nullptr) {
    const Prefetcher::Slot at = slot(laid_out_ > 0 ? step % laid_out_ : 0);
    return {at.x, at.targets, rows, plan_.whole_rows(step)};
  }
  const auto first = static_cast<std::size_t>(plan_.first(step));
  return {memory_.x + first * x_row_bytes(), memory_.targets + first * target_row_bytes(), rows,
          plan_.whole_rows(step)};
}

Batch BatchLoader::batch(std::int64_t step) {
  if (prefetcher_) {
    const Prefetcher::Slot& made = prefetcher_->next();
    return {made.x, made.targets, plan_.rows(step), plan_.whole_rows(step)};
  }
  if (maker_) maker_->make(step, own_x_, own_targets_);
  return place(step);
}

}  // namespace gdbench::loader
