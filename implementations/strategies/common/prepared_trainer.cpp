#include "implementations/strategies/common/prepared_trainer.h"

namespace gdbench::strategies {

const Program& PreparedTrainer::program_for(const BatchFeed::Batch& batch) {
  TrainingProgram& step = batch.rows == problem().batch_rows ? *full_ : *partial_;
  step.take(batch);
  return step.program();
}

void PreparedTrainer::finish() {
  if (records_) recording_.emplace(session(), parameters(), feed(), *full_, partial_ ? &*partial_ : nullptr);
}

void PreparedTrainer::run(std::uint64_t steps) {
  if (recording_) {
    recording_->run(step_, steps);
    step_ += static_cast<std::int64_t>(steps);
    return;
  }
  // A batch that is all the data lies where it lay when the program was made.
  if (feed().full_batch()) {
    for_each_step(steps, [&program = full_->program()](const BatchFeed::Batch&) { program.run(); });
  } else {
    for_each_step(steps, [this](const BatchFeed::Batch& batch) { program_for(batch).run(); });
  }
}

void PreparedTrainer::profile(std::uint64_t steps, const gdbench_profile_sink& sink) {
  Profile profile;
  if (recording_) {
    // One replay is all calls of many steps, which cannot be told apart; what they take one by one, others' rows say.
    const double start = now_ns();
    run(steps);
    session().synchronise();
    profile.add({"recorded steps", catalogue::Phase::other, {}, whole_model(problem())}, now_ns() - start);
    profile.report(sink);
    return;
  }
  for_each_profiled_step(steps, profile,
                         [&](const BatchFeed::Batch& batch) { program_for(batch).run_profiled(session(), profile); });
  profile.report(sink);
}

}  // namespace gdbench::strategies
