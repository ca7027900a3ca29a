#include "implementations/strategies/common/prepared_steps.h"

#include <algorithm>

#include "implementations/common/failure.h"

namespace gdbench::strategies {

TrainingProgram::TrainingProgram(Program program, const BatchFeed& feed, const Batch& batch,
                                 const std::vector<MicroBatch>& parts)
    : program_(std::move(program)), feed_(&feed) {
  for (const MicroBatch& part : parts) {
    const Batch rows = feed.part(batch, part);
    places_.push_back({part, program_.occurrences(rows.x), program_.occurrences(rows.targets)});
  }
}

StepRecording::StepRecording(Trainer& trainer, TrainingProgram& full, TrainingProgram* partial)
    : trainer_(trainer),
      full_(full),
      partial_(partial),
      windows_(trainer.session(), trainer.parameters(),
               trainer.feed().device() == nullptr ? nullptr : trainer.feed().device()->gathered_rows(),
               kSteps.front()) {
  if (!trainer.session().records()) {
    throw implementations::Failure(GDBENCH_UNSUPPORTED, "the backend records no calls");
  }
  if (!windows_.gathers() && !trainer.feed().full_batch()) {
    throw implementations::Failure(GDBENCH_UNSUPPORTED, "batches copied in each step of a recording");
  }
  // What a library sets up in its first calls cannot be recorded.
  if (windows_.gathers()) trainer.feed().device()->gather(windows_.index(), trainer.problem().batch_rows);
  full.program().run();
  trainer.session().synchronise();
  std::ranges::transform(kSteps, recordings_.begin(), [this](std::int64_t steps) { return record(steps); });
}

const backends::Recording* StepRecording::record(std::int64_t steps) {
  Session& session = trainer_.session();
  const std::int64_t rows = trainer_.problem().batch_rows;
  const std::vector<backends::Buffer*> places = full_.occurrences(trainer_.parameters().scalars().buffer);
  session.begin_recording();
  for (std::int64_t step = 0; step < steps; ++step) {
    if (windows_.gathers()) {
      const auto first = static_cast<std::size_t>(step * rows);
      trainer_.feed().device()->gather(session.slice(windows_.index(), first * sizeof(std::uint32_t)), rows);
    }
    const std::size_t offset = static_cast<std::size_t>(step) * sizeof(backends::UpdateScalars);
    for (backends::Buffer* place : places) *place = session.slice(windows_.scalars(), offset);
    full_.program().run();
  }
  for (backends::Buffer* place : places) *place = trainer_.parameters().scalars().buffer;
  return session.end_recording();
}

void StepRecording::run(std::int64_t first, std::uint64_t steps) {
  BatchFeed& feed = trainer_.feed();
  const std::int64_t end = first + static_cast<std::int64_t>(steps);
  for (std::int64_t step = first; step < end;) {
    if (feed.loader().whole_rows(step) != trainer_.problem().batch_rows) {
      trainer_.parameters().set_step(step);
      partial_->take(feed.batch(step++));
      partial_->program().run();
      continue;
    }
    const std::int64_t whole = std::min(steps_alike(feed.loader(), step), end - step);
    const auto fits = std::ranges::find_if(kSteps, [&](std::int64_t count) { return count <= whole; });
    windows_.fill(step, *fits);
    trainer_.session().replay(recordings_[static_cast<std::size_t>(fits - kSteps.begin())]);
    step += *fits;
  }
}

PreparedSteps::PreparedSteps(Trainer& trainer, const std::function<TrainingProgram(const Batch&)>& make, bool records)
    : trainer_(trainer), full_(make(trainer.feed().place(0))) {
  const loader::BatchLoader& loader = trainer.feed().loader();
  if (loader.partial_rows() != 0) partial_ = make(trainer.feed().place(loader.steps_per_epoch() - 1));
  full_.follow_steps(trainer.parameters());
  if (partial_) partial_->follow_steps(trainer.parameters());
  if (!records) return;
  recording_.emplace(trainer, full_, partial_ ? &*partial_ : nullptr);
}

const Program& PreparedSteps::program_for(const Batch& batch) {
  TrainingProgram& step = batch.whole_rows == trainer_.problem().batch_rows ? full_ : *partial_;
  step.take(batch);
  return step.program();
}

void PreparedSteps::run(std::uint64_t steps) {
  if (recording_) {
    recording_->run(trainer_.count_steps(steps), steps);
    return;
  }
  if (trainer_.feed().full_batch()) {
    trainer_.repeat(steps, full_.program());
  } else {
    trainer_.for_each_step(steps, [this](const Batch& batch) { program_for(batch).run(); });
  }
}

void PreparedSteps::profile(std::uint64_t steps, const gdbench_profile_sink& sink) {
  CallClock clock(trainer_.session());
  if (recording_) {
    // One replay is all calls of many steps, which cannot be timed one by one: rows without recordings can.
    clock.run_whole({"recorded steps", catalogue::Phase::other, {}, whole_model(trainer_.problem())},
                    [&] { run(steps); });
  } else {
    trainer_.for_each_profiled_step(steps, clock, [&](const Batch& batch) { program_for(batch).run_profiled(clock); });
  }
  clock.report(sink);
}

}  // namespace gdbench::strategies
