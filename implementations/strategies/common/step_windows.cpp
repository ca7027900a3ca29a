#include "implementations/strategies/common/step_windows.h"

#include <algorithm>
#include <limits>

namespace gdbench::strategies {

StepWindows::StepWindows(Session& session, Parameters& parameters, const RowOrder* rows, std::int64_t steps)
    : session_(session), parameters_(parameters), rows_(rows), host_scalars_(static_cast<std::size_t>(steps)) {
  scalars_ = session.allocate(host_scalars_.size() * sizeof(backends::UpdateScalars));
  if (rows == nullptr) return;
  host_index_.resize(static_cast<std::size_t>(steps * rows->plan().most_rows()));
  index_ = session.allocate(host_index_.size() * sizeof(std::uint32_t));
}

void StepWindows::fill(std::int64_t first, std::int64_t steps) {
  if (parameters_.varies() || !scalars_filled_) {
    // Where they do not vary, they are the same for all windows to come.
    const auto count = parameters_.varies() ? static_cast<std::size_t>(steps) : host_scalars_.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t step = first + static_cast<std::int64_t>(i);
      host_scalars_[i] = parameters_.scalars_of(step, step);
    }
    session_.enqueue_upload(scalars_, host_scalars_.data(), count * sizeof(backends::UpdateScalars));
    scalars_filled_ = true;
  }
  if (!gathers()) return;
  const std::int64_t rows = rows_->plan().rows(first);
  for (std::int64_t i = 0; i < steps; ++i) std::copy_n(rows_->index(first + i), rows, host_index_.data() + i * rows);
  session_.enqueue_upload(index_, host_index_.data(), static_cast<std::size_t>(steps * rows) * sizeof(std::uint32_t));
}

std::int64_t steps_alike(const loader::BatchLoader& loader, std::int64_t step) {
  if (loader.partial_rows() == 0) return std::numeric_limits<std::int64_t>::max();
  const std::int64_t epoch = loader.steps_per_epoch();
  return std::max<std::int64_t>(epoch - 1 - step % epoch, 1);
}

}  // namespace gdbench::strategies
