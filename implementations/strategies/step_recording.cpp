#include "implementations/strategies/step_recording.h"

#include <algorithm>
#include <limits>

#include "implementations/failure.h"

namespace gdbench::strategies {

StepRecording::StepRecording(Session& session, Parameters& parameters, BatchFeed& feed, TrainingProgram& full,
                             TrainingProgram* partial)
    : session_(session),
      parameters_(parameters),
      feed_(feed),
      full_(full),
      partial_(partial),
      gathers_(feed.device() != nullptr && feed.device()->gathers()),
      batch_rows_(feed.loader().batch_rows()),
      host_scalars_(kSteps) {
  if (!session.records()) throw implementations::Failure(GDBENCH_UNSUPPORTED, "the backend records no calls");
  if (!gathers_ && !feed.full_batch()) {
    throw implementations::Failure(GDBENCH_UNSUPPORTED, "batches copied in each step of a recording");
  }
  scalars_ = session.allocate(kSteps * sizeof(kernels::UpdateScalars));
  if (gathers_) {
    host_index_.resize(static_cast<std::size_t>(kSteps * batch_rows_));
    index_ = session.allocate(host_index_.size() * sizeof(std::uint32_t));
  }
  // What a library sets up in its first calls cannot be recorded.
  if (gathers_) feed.device()->gather(index_, batch_rows_);
  full.program().run();
  session.synchronise();
  one_ = record(1);
  many_ = record(kSteps);
}

const kernels::Recording* StepRecording::record(std::int64_t steps) {
  const std::vector<kernels::Buffer*> places = full_.occurrences(parameters_.scalars().buffer);
  session_.begin_recording();
  for (std::int64_t step = 0; step < steps; ++step) {
    const auto number = static_cast<std::size_t>(step);
    if (gathers_) {
      const std::size_t first = number * static_cast<std::size_t>(batch_rows_);
      feed_.device()->gather(session_.slice(index_, first * sizeof(std::uint32_t)), batch_rows_);
    }
    for (kernels::Buffer* place : places) *place = session_.slice(scalars_, number * sizeof(kernels::UpdateScalars));
    full_.program().run();
  }
  for (kernels::Buffer* place : places) *place = parameters_.scalars().buffer;
  return session_.end_recording();
}

std::int64_t StepRecording::whole_batches_from(std::int64_t step) const {
  if (partial_ == nullptr) return std::numeric_limits<std::int64_t>::max();
  const std::int64_t epoch = feed_.loader().steps_per_epoch();
  return epoch - 1 - step % epoch;
}

void StepRecording::fill_windows(std::int64_t first, std::int64_t steps) {
  if (parameters_.varies() || !scalars_filled_) {
    // Where they do not vary, they are the same for all windows to come.
    const std::int64_t count = parameters_.varies() ? steps : kSteps;
    for (std::int64_t i = 0; i < count; ++i) {
      host_scalars_[static_cast<std::size_t>(i)] = parameters_.scalars_of(first + i);
    }
    session_.enqueue_upload(scalars_, host_scalars_.data(),
                            static_cast<std::size_t>(count) * sizeof(kernels::UpdateScalars));
    scalars_filled_ = true;
  }
  if (!gathers_) return;
  for (std::int64_t i = 0; i < steps; ++i) {
    std::copy_n(feed_.device()->index(first + i), batch_rows_, host_index_.data() + i * batch_rows_);
  }
  session_.enqueue_upload(index_, host_index_.data(),
                          static_cast<std::size_t>(steps * batch_rows_) * sizeof(std::uint32_t));
}

void StepRecording::run_partial(std::int64_t step) {
  parameters_.set_step(step);
  partial_->take(feed_.batch(step));
  partial_->program().run();
}

void StepRecording::run(std::int64_t first, std::uint64_t steps) {
  const std::int64_t end = first + static_cast<std::int64_t>(steps);
  for (std::int64_t step = first; step < end;) {
    const std::int64_t whole = std::min(whole_batches_from(step), end - step);
    if (whole == 0) {
      run_partial(step);
      ++step;
      continue;
    }
    const std::int64_t replayed = whole >= kSteps ? kSteps : 1;
    fill_windows(step, replayed);
    session_.replay(replayed == 1 ? one_ : many_);
    step += replayed;
  }
}

}  // namespace gdbench::strategies
