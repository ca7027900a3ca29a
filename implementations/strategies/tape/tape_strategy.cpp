#include "implementations/strategies/tape/tape_strategy.h"

#include <optional>
#include <vector>

#include "implementations/strategies/common/prepared_steps.h"
#include "implementations/strategies/tape/tape.h"

namespace gdbench::strategies::tape {
namespace {

class TapeTrainer : public Trainer {
 public:
  explicit TapeTrainer(const Setup& setup)
      : Trainer(setup),
        tape_(session(), catalogue::dtype_of(problem())),
        full_parts_(parts_of(problem().batch_rows)),
        partial_parts_(parts_of(feed().loader().partial_rows())),
        losses_(masks() != nullptr ? static_cast<std::size_t>(masks()->count()) : 0) {
    tape_.set_layers(parameters().layers());
    add_update(update_);
  }
  void run(std::uint64_t steps) override {
    for_each_step(steps, [this](const Batch& batch) {
      differentiate(batch);
      update_.run();
    });
  }
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override;

 protected:
  // A part of a batch, as much of the batch's loss as it is, and whether its gradients are the batch's first.
  struct Part {
    Batch rows;
    double weight;
    bool first;
  };

  // Afterwards the parameters' gradients are those of this batch.
  void differentiate(const Batch& batch);
  // Of the task gradients: one recording, a backward pass per output column.
  virtual void differentiate_by_column(const Part& part);
  Value record_outputs(const Batch& batch);
  // A step does not need the loss itself; evaluate() computes it.
  Value record_loss(const Part& part, Value outputs);
  Value record_column_loss(const Part& part, Value outputs, std::int64_t column);
  // The first column's gradients replace those of the step before, the others' are added.
  void play_column_loss(const Part& part, std::int64_t column, Value loss) {
    tape_.backward(loss, part.first && column == 0 ? Gradients::replace : Gradients::add);
  }
  const std::vector<MicroBatch>& parts_of_batch(const Batch& batch) const {
    return batch.rows == problem().batch_rows ? full_parts_ : partial_parts_;
  }
  Tape& tape() { return tape_; }

 private:
  Tape tape_;
  Program update_;
  std::vector<MicroBatch> full_parts_;
  std::vector<MicroBatch> partial_parts_;
  std::vector<Value> losses_;  // by column
};

void TapeTrainer::differentiate(const Batch& batch) {
  for (const MicroBatch& micro_batch : parts_of_batch(batch)) {
    const Part part{feed().part(batch, micro_batch), micro_batch.weight, micro_batch.first == 0};
    if (masks() != nullptr) {
      differentiate_by_column(part);
      continue;
    }
    tape_.begin();
    tape_.backward(record_loss(part, record_outputs(part.rows)), part.first ? Gradients::replace : Gradients::add);
  }
}

void TapeTrainer::differentiate_by_column(const Part& part) {
  tape_.begin(Mode::persistent);
  const Value outputs = record_outputs(part.rows);
  for (std::size_t j = 0; j < losses_.size(); ++j) {
    losses_[j] = record_column_loss(part, outputs, static_cast<std::int64_t>(j));
  }
  for (std::size_t j = 0; j < losses_.size(); ++j) play_column_loss(part, static_cast<std::int64_t>(j), losses_[j]);
}

Value TapeTrainer::record_outputs(const Batch& batch) {
  Tape& tape = tape_;
  const gdbench_problem& model = problem();
  Value value = tape.constant({batch.x, batch.rows, model.layers[0].inputs});
  for (std::int64_t l = 0; l < model.layer_count; ++l) {
    const gdbench_layer& layer = model.layers[l];
    value = tape.product(value, tape.parameter(parameters().weights(l), parameters().weights_gradient(l).buffer));
    if (layer.has_bias != 0) {
      value = tape.add_bias(tape.parameter(parameters().bias(l), parameters().bias_gradient(l).buffer), value);
    }
    if (catalogue::activation_of(layer) != catalogue::Activation::identity) {
      value = tape.activation(catalogue::activation_of(layer), value);
    }
  }
  return value;
}

Value TapeTrainer::record_loss(const Part& part, Value outputs) {
  const auto loss = catalogue::loss_of(problem());
  const Matrix matrix{part.rows.targets, part.rows.rows, target_columns()};
  const Value targets = takes_labels(loss) ? tape_.labels(matrix) : tape_.constant(matrix);
  return tape_.unevaluated_loss(loss, outputs, targets, part.weight);
}

Value TapeTrainer::record_column_loss(const Part& part, Value outputs, std::int64_t column) {
  Tape& tape = tape_;
  const Value mask = tape.constant(masks()->mask(column, part.rows.rows));
  const Value targets = tape.constant({part.rows.targets, part.rows.rows, target_columns()});
  const Value masked_outputs = tape.apply(ops::Op::multiply, {}, outputs, mask);
  const Value masked_targets = tape.apply(ops::Op::multiply, {}, targets, mask);
  return tape.unevaluated_loss(catalogue::loss_of(problem()), masked_outputs, masked_targets, part.weight);
}

void TapeTrainer::profile(std::uint64_t steps, const gdbench_profile_sink& sink) {
  Profile profile;
  tape_.profile(&profile);
  for_each_profiled_step(steps, profile, [&](const Batch& batch) {
    const double in_calls = tape_.profiled_ns();
    const double start = now_ns();
    differentiate(batch);
    // What is not in a kernel is the tape's own, with about one reading of the clock per call.
    const double own = now_ns() - start - (tape_.profiled_ns() - in_calls);
    profile.add({"tape", catalogue::Phase::record, {}, of_layers({0, problem().layer_count - 1})}, own);
    update_.run_profiled(session(), profile);
  });
  tape_.profile(nullptr);
  profile.report(sink);
}

// What one does without a persistent recording.
class RerecordTrainer final : public TapeTrainer {
 public:
  using TapeTrainer::TapeTrainer;

 protected:
  void differentiate_by_column(const Part& part) override {
    for (std::int64_t column = 0; column < masks()->count(); ++column) {
      tape().begin();
      play_column_loss(part, column, record_column_loss(part, record_outputs(part.rows), column));
    }
  }
};

class ReplayTrainer final : public TapeTrainer {
 public:
  using TapeTrainer::TapeTrainer;

  void run(std::uint64_t steps) override;
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override;

 private:
  std::optional<TrainingProgram>& recorded_for(const Batch& batch) {
    return batch.rows == problem().batch_rows ? full_ : partial_;
  }
  // Makes the step as it records it.
  void record(const Batch& batch, std::optional<TrainingProgram>& recorded);

  std::optional<TrainingProgram> full_;
  std::optional<TrainingProgram> partial_;
};

void ReplayTrainer::run(std::uint64_t steps) {
  // A batch that is all the data lies where it lay when it was recorded.
  if (full_ && feed().full_batch()) {
    for_each_step(steps, [&program = full_->program()](const Batch&) { program.run(); });
    return;
  }
  for_each_step(steps, [this](const Batch& batch) {
    std::optional<TrainingProgram>& recorded = recorded_for(batch);
    if (!recorded) [[unlikely]] {
      record(batch, recorded);
      return;
    }
    recorded->take(batch);
    recorded->program().run();
  });
}

void ReplayTrainer::record(const Batch& batch, std::optional<TrainingProgram>& recorded) {
  Program program;
  tape().capture(&program);
  differentiate(batch);
  tape().capture(nullptr);
  Program update;
  add_update(update);
  update.run();
  add_update(program);
  recorded.emplace(std::move(program), feed(), batch, parts_of_batch(batch));
}

void ReplayTrainer::profile(std::uint64_t steps, const gdbench_profile_sink& sink) {
  Profile profile;
  for_each_profiled_step(steps, profile, [&](const Batch& batch) {
    std::optional<TrainingProgram>& recorded = recorded_for(batch);
    if (!recorded) {
      const double start = now_ns();
      record(batch, recorded);
      profile.add({"first step", catalogue::Phase::record, {}, whole_model(problem())}, now_ns() - start);
      return;
    }
    recorded->take(batch);
    recorded->program().run_profiled(session(), profile);
  });
  profile.report(sink);
}

const gdbench_option kOptions[] = {loader::kLoaderOption, loader::kPrefetchOption, kUpdateOption};

template <class Strategy>
constexpr StrategyDescriptor describe(const char* policy, std::uint32_t tasks, const char* description) {
  return {
      .name = "tape",
      .policy = policy,
      .description = description,
      .tasks = tasks,
      .capabilities = kTrainerCapabilities,
      .helper_threads = kTrainerHelperThreads,
      .options = kOptions,
      .create = make_strategy<Strategy>,
      .create_update = (tasks & bit_of(catalogue::Task::update)) != 0 ? make_strategy<UpdateTrainer> : nullptr,
  };
}

constexpr std::uint32_t kGradients = bit_of(catalogue::Task::gradients);
constexpr std::uint32_t kAll = bit_of(catalogue::Task::train) | bit_of(catalogue::Task::update) | kGradients;

}  // namespace

const StrategyDescriptor kDescriptor = describe<TapeTrainer>(
    "", kAll, "ops run at once and are recorded; the record is played backward, anew at every step");
const StrategyDescriptor kReplayDescriptor =
    describe<ReplayTrainer>("+replay", kAll, "a step is recorded once per batch size; its calls are replayed");
const StrategyDescriptor kRerecordDescriptor = describe<RerecordTrainer>(
    "+rerecord", kGradients, "the forward pass is run and recorded anew for each of a step's gradients");

}  // namespace gdbench::strategies::tape
