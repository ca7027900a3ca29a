#include "implementations/strategies/common/prepared_steps.h"

#include <algorithm>

#include "implementations/common/failure.h"

namespace gdbench::strategies {

StepRecording::StepRecording(Session& session, Parameters& parameters, BatchFeed& feed, TrainingProgram& full,
                             TrainingProgram* partial)
    : session_(session),
      parameters_(parameters),
      feed_(feed),
      full_(full),
      partial_(partial),
      batch_rows_(feed.loader().batch_rows()),
      windows_(session, parameters, feed.device() == nullptr ? nullptr : feed.device()->gathered_rows(), kSteps) {
  if (!session.records()) throw implementations::Failure(GDBENCH_UNSUPPORTED, "the backend records no calls");
  if (!windows_.gathers() && !feed.full_batch()) {
    throw implementations::Failure(GDBENCH_UNSUPPORTED, "batches copied in each step of a recording");
  }
  // What a library sets up in its first calls cannot be recorded.
  if (windows_.gathers()) feed.device()->gather(windows_.index(), batch_rows_);
  full.program().run();
  session.synchronise();
  one_ = record(1);
  many_ = record(kSteps);
}

const backends::Recording* StepRecording::record(std::int64_t steps) {
  const std::vector<backends::Buffer*> places = full_.occurrences(parameters_.scalars().buffer);
  session_.begin_recording();
  for (std::int64_t step = 0; step < steps; ++step) {
    const auto number = static_cast<std::size_t>(step);
    if (windows_.gathers()) {
      const std::size_t first = number * static_cast<std::size_t>(batch_rows_);
      feed_.device()->gather(session_.slice(windows_.index(), first * sizeof(std::uint32_t)), batch_rows_);
    }
    for (backends::Buffer* place : places)
      *place = session_.slice(windows_.scalars(), number * sizeof(backends::UpdateScalars));
    full_.program().run();
  }
  for (backends::Buffer* place : places) *place = parameters_.scalars().buffer;
  return session_.end_recording();
}

void StepRecording::run_partial(std::int64_t step) {
  parameters_.set_step(step);
  partial_->take(feed_.batch(step));
  partial_->program().run();
}

void StepRecording::run(std::int64_t first, std::uint64_t steps) {
  const std::int64_t end = first + static_cast<std::int64_t>(steps);
  for (std::int64_t step = first; step < end;) {
    if (feed_.loader().rows(step) != batch_rows_) {
      run_partial(step);
      ++step;
      continue;
    }
    const std::int64_t whole = std::min(steps_alike(feed_.loader(), step), end - step);
    const std::int64_t replayed = whole >= kSteps ? kSteps : 1;
    windows_.fill(step, replayed);
    session_.replay(replayed == 1 ? one_ : many_);
    step += replayed;
  }
}

PreparedSteps::PreparedSteps(Trainer& trainer, TrainingProgram full, std::optional<TrainingProgram> partial,
                             bool records)
    : trainer_(trainer), full_(std::move(full)), partial_(std::move(partial)) {
  if (!records) return;
  recording_.emplace(trainer.session(), trainer.parameters(), trainer.feed(), full_, partial_ ? &*partial_ : nullptr);
}

const Program& PreparedSteps::program_for(const BatchFeed::Batch& batch) {
  TrainingProgram& step = batch.rows == trainer_.problem().batch_rows ? full_ : *partial_;
  step.take(batch);
  return step.program();
}

void PreparedSteps::run(std::uint64_t steps) {
  if (recording_) {
    recording_->run(trainer_.count_steps(steps), steps);
    return;
  }
  // A batch that is all the data lies where it lay when the program was made.
  if (trainer_.feed().full_batch()) {
    trainer_.for_each_step(steps, [&program = full_.program()](const BatchFeed::Batch&) { program.run(); });
  } else {
    trainer_.for_each_step(steps, [this](const BatchFeed::Batch& batch) { program_for(batch).run(); });
  }
}

void PreparedSteps::profile(std::uint64_t steps, const gdbench_profile_sink& sink) {
  Profile profile;
  if (recording_) {
    // One replay is all calls of many steps, which cannot be told apart; what they take one by one, others' rows say.
    const double start = now_ns();
    run(steps);
    trainer_.session().synchronise();
    profile.add({"recorded steps", catalogue::Phase::other, {}, whole_model(trainer_.problem())}, now_ns() - start);
    profile.report(sink);
    return;
  }
  trainer_.for_each_profiled_step(steps, profile, [&](const BatchFeed::Batch& batch) {
    program_for(batch).run_profiled(trainer_.session(), profile);
  });
  profile.report(sink);
}

}  // namespace gdbench::strategies
