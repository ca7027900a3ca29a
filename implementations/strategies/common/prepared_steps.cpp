#include "implementations/strategies/common/prepared_steps.h"

namespace gdbench::strategies {

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
