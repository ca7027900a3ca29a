#include "implementations/strategies/tape/tape_strategy.h"

#include <optional>
#include <vector>

#include "implementations/strategies/common/prepared_steps.h"
#include "implementations/strategies/tape/tape.h"

namespace gdbench::strategies::tape {
namespace {

class TapeTrainer : public Trainer {
 public:
  explicit TapeTrainer(const Setup& setup);
  void run(std::uint64_t steps) override {
    for_each_step(steps, [this](const Batch& batch) {
      differentiate(batch);
      update_.run();
    });
  }
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override {
    profile_steps(
        steps, sink, [this](const Batch& batch) { differentiate(batch); }, update_);
  }

 protected:
  // Afterwards the parameters' gradients are those of this batch.
  void differentiate(const Batch& batch);
  // Of steps that are `record` and then `end`.
  template <class Record>
  void profile_steps(std::uint64_t steps, const gdbench_profile_sink& sink, const Record& record, const Program& end);
  // For the task gradients: one recording, a backward pass per output column. The first part's gradients replace those
  // of the step before, the others' are added.
  virtual void differentiate_by_column(const Batch& part, bool first);
  Value record_outputs(const Batch& part);
  // A step does not need the loss itself; evaluate() computes it.
  Value record_loss(const Batch& part, Value outputs);
  Value record_column_loss(const Batch& part, Value outputs, std::int64_t column);
  // Runs and records the loss, `weight` times the mean.
  Value record_value(const Batch& part, double weight);
  // Between the tape's calls, and timed apart from them in a profile.
  void run_between(const Program& program);

  const std::vector<MicroBatch>& parts_of_batch(const Batch& batch) const {
    return batch.whole_rows == problem().batch_rows ? full_parts_ : partial_parts_;
  }
  Tape& tape() { return tape_; }

 private:
  struct Parameter {
    Matrix value;  // null: none
    backends::Buffer gradient;
  };
  struct Layer {
    Parameter weights;
    Parameter bias;
    Parameter scale;  // of a normalised layer, as the shift
    Parameter shift;
    ops::Attributes activation;
  };

  Value recorded(const Parameter& parameter) { return tape_.parameter(parameter.value, parameter.gradient); }
  void prepare_exchange();

  Tape tape_;
  Program update_;
  std::vector<Layer> layers_;
  std::vector<MicroBatch> full_parts_;
  std::vector<MicroBatch> partial_parts_;
  ops::Attributes loss_;  // alpha: the weight of the part
  bool labels_;
  std::int64_t target_columns_;
  std::vector<Value> losses_;  // by column
  // For an exchange: in place of a batch without rows and, where it overlaps, what follows a parameter's gradient.
  Program no_rows_;
  std::vector<Program> completed_;
  CallClock* clock_ = nullptr;  // of a profile
  double between_ns_ = 0;       // in all profiled calls of run_between so far
};

TapeTrainer::TapeTrainer(const Setup& setup)
    : Trainer(setup),
      tape_(session(), catalogue::dtype_of(problem())),
      full_parts_(parts_of(problem().batch_rows)),
      partial_parts_(parts_of(feed().loader().partial_rows())),
      loss_{.loss = catalogue::loss_of(problem())},
      labels_(takes_labels(loss_.loss)),
      target_columns_(target_columns()),
      losses_(masks() != nullptr ? static_cast<std::size_t>(masks()->count()) : 0) {
  for (std::int64_t l = 0; l < problem().layer_count; ++l) {
    const auto parameter = [&](LayerPart part) {
      return Parameter{parameters().value(l, part), parameters().gradient(l, part).buffer};
    };
    layers_.push_back({parameter(LayerPart::weights),
                       parameter(LayerPart::bias),
                       parameter(LayerPart::scale),
                       parameter(LayerPart::shift),
                       {.activation = catalogue::activation_of(problem().layers[l])}});
  }
  tape_.set_layers(parameters().layers());
  add_update(update_);
  parameters().follow_steps(update_);
  if (exchange() != nullptr) prepare_exchange();
}

void TapeTrainer::prepare_exchange() {
  exchange()->add_no_rows(no_rows_);
  if (!exchange()->overlaps()) return;
  // The weights' gradient comes after those of the layer's other parameters.
  catalogue::for_each_parameter(problem(), [&](std::int64_t l, LayerPart part, auto... /*shape*/) {
    Program& program = completed_.emplace_back();
    if (part == LayerPart::weights) exchange()->add_layer(program, l);
  });
}

void TapeTrainer::run_between(const Program& program) {
  if (clock_ == nullptr) return program.run();
  const double start = now_ns();
  program.run_profiled(*clock_);
  between_ns_ += now_ns() - start;
}

void TapeTrainer::differentiate(const Batch& batch) {
  const std::vector<MicroBatch>& parts = parts_of_batch(batch);
  if (parts.empty()) run_between(no_rows_);
  for (const MicroBatch& micro_batch : parts) {
    const Batch part = feed().part(batch, micro_batch);
    const bool first = micro_batch.first == 0;
    loss_.alpha = micro_batch.weight;
    if (masks() != nullptr) {
      differentiate_by_column(part, first);
      continue;
    }
    const Gradients gradients = first ? Gradients::replace : Gradients::add;
    tape_.begin();
    const Value loss = record_loss(part, record_outputs(part));
    if (completed_.empty() || &micro_batch != &parts.back()) {
      tape_.backward(loss, gradients);
    } else {
      tape_.backward(loss, gradients, [this](std::size_t parameter) { run_between(completed_[parameter]); });
    }
  }
}

void TapeTrainer::differentiate_by_column(const Batch& part, bool first) {
  tape_.begin(Mode::persistent);
  const Value outputs = record_outputs(part);
  for (std::size_t j = 0; j < losses_.size(); ++j) {
    losses_[j] = record_column_loss(part, outputs, static_cast<std::int64_t>(j));
  }
  for (std::size_t j = 0; j < losses_.size(); ++j) {
    tape_.backward(losses_[j], first && j == 0 ? Gradients::replace : Gradients::add);
  }
}

Value TapeTrainer::record_outputs(const Batch& part) {
  Value value = tape_.constant({part.x, part.rows, layers_.front().weights.value.rows});
  for (const Layer& layer : layers_) {
    value = tape_.product(value, recorded(layer.weights));
    if (layer.bias.value.buffer != nullptr) value = tape_.add_bias(recorded(layer.bias), value);
    if (layer.scale.value.buffer != nullptr) {
      value = tape_.apply(ops::Op::normalize, {}, value);
      value = tape_.apply(ops::Op::scale_columns, {}, recorded(layer.scale), value);
      value = tape_.add_bias(recorded(layer.shift), value);
    }
    if (layer.activation.activation != catalogue::Activation::identity) {
      value = tape_.activation(layer.activation, value);
    }
  }
  return value;
}

Value TapeTrainer::record_loss(const Batch& part, Value outputs) {
  const Matrix matrix{part.targets, part.rows, target_columns_};
  const Value targets = labels_ ? tape_.labels(matrix) : tape_.constant(matrix);
  return tape_.unevaluated_loss(loss_, outputs, targets);
}

Value TapeTrainer::record_value(const Batch& part, double weight) {
  loss_.alpha = weight;
  const Value outputs = record_outputs(part);
  const Matrix matrix{part.targets, part.rows, target_columns_};
  return tape_.apply(ops::Op::loss, loss_, outputs, labels_ ? tape_.labels(matrix) : tape_.constant(matrix));
}

Value TapeTrainer::record_column_loss(const Batch& part, Value outputs, std::int64_t column) {
  const Value mask = tape_.constant(masks()->mask(column, part.rows));
  const Value targets = tape_.constant({part.targets, part.rows, target_columns_});
  const Value masked_outputs = tape_.apply(ops::Op::multiply, {}, outputs, mask);
  const Value masked_targets = tape_.apply(ops::Op::multiply, {}, targets, mask);
  return tape_.unevaluated_loss(loss_, masked_outputs, masked_targets);
}

template <class Record>
void TapeTrainer::profile_steps(std::uint64_t steps, const gdbench_profile_sink& sink, const Record& record,
                                const Program& end) {
  CallClock clock(session());
  tape_.profile(&clock);
  clock_ = &clock;
  for_each_profiled_step(steps, clock, [&](const Batch& batch) {
    const double in_calls = tape_.profiled_ns() + between_ns_;
    const double start = now_ns();
    record(batch);
    // What is not in a kernel is the tape's own, with about one reading of the clock per call.
    const double own = now_ns() - start - (tape_.profiled_ns() + between_ns_ - in_calls);
    clock.add({"tape", catalogue::Phase::record, {}, of_layers({0, problem().layer_count - 1})}, own);
    end.run_profiled(clock);
  });
  tape_.profile(nullptr);
  clock_ = nullptr;
  clock.report(sink);
}

// The forward pass as a training step makes it: recorded, as nobody says that no backward pass follows.
class TapeForward final : public TapeTrainer {
 public:
  explicit TapeForward(const Setup& setup) : TapeTrainer(setup) {
    loss_sum().add(adding_, nullptr);
    loss_ = adding_.occurrences(nullptr).front();
  }

  void run(std::uint64_t steps) override {
    for_each_step(steps, [this](const Batch& batch) { add_losses(batch); });
  }
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override {
    profile_steps(steps, sink, [this](const Batch& batch) { add_losses(batch); }, {});
  }

 private:
  void add_losses(const Batch& batch) {
    for (const MicroBatch& part : parts_of_batch(batch)) {
      tape().begin();
      *loss_ = tape().matrix(record_value(feed().part(batch, part), part.weight)).buffer;
      run_between(adding_);
    }
  }

  Program adding_;
  backends::Buffer* loss_;  // what adding_ adds
};

// What one does without a persistent recording.
class RerecordTrainer final : public TapeTrainer {
 public:
  using TapeTrainer::TapeTrainer;

 protected:
  void differentiate_by_column(const Batch& part, bool first) override {
    for (std::int64_t column = 0; column < masks()->count(); ++column) {
      tape().begin();
      tape().backward(record_column_loss(part, record_outputs(part), column),
                      first && column == 0 ? Gradients::replace : Gradients::add);
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
    return batch.whole_rows == problem().batch_rows ? full_ : partial_;
  }
  // Makes the step as it records it.
  void record(const Batch& batch, std::optional<TrainingProgram>& recorded);

  std::optional<TrainingProgram> full_;
  std::optional<TrainingProgram> partial_;
};

void ReplayTrainer::run(std::uint64_t steps) {
  if (full_ && feed().full_batch()) return repeat(steps, full_->program());
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
  recorded->follow_steps(parameters());
}

void ReplayTrainer::profile(std::uint64_t steps, const gdbench_profile_sink& sink) {
  CallClock clock(session());
  for_each_profiled_step(steps, clock, [&](const Batch& batch) {
    std::optional<TrainingProgram>& recorded = recorded_for(batch);
    if (!recorded) {
      const double start = now_ns();
      record(batch, recorded);
      clock.add({"first step", catalogue::Phase::record, {}, whole_model(problem())}, now_ns() - start);
      return;
    }
    recorded->take(batch);
    recorded->program().run_profiled(clock);
  });
  clock.report(sink);
}

const gdbench_option kOptions[] = {loader::kLoaderOption, loader::kPrefetchOption, kUpdateOption};

template <class Strategy>
constexpr StrategyDescriptor describe(const char* policy, std::uint32_t tasks, const char* description) {
  return {
      .name = "tape",
      .policy = policy,
      .description = description,
      .tasks = tasks,
      .capabilities = kTrainerCapabilities | kNormalizations,
      .helper_threads = kTrainerHelperThreads,
      .options = kOptions,
      .create = make_strategy<Strategy>,
      .create_update = (tasks & bit_of(catalogue::Task::update)) != 0 ? make_strategy<UpdateTrainer> : nullptr,
      .create_forward = (tasks & bit_of(catalogue::Task::forward)) != 0 ? make_strategy<TapeForward> : nullptr,
  };
}

constexpr std::uint32_t kGradients = bit_of(catalogue::Task::gradients);
constexpr std::uint32_t kAll = bit_of(catalogue::Task::train) | bit_of(catalogue::Task::update) | kGradients;

}  // namespace

const StrategyDescriptor kDescriptor = describe<TapeTrainer>(
    "", kAll | bit_of(catalogue::Task::forward),
    "each step runs and records its ops anew and plays them backward; kernels are kept by op and shapes");
const StrategyDescriptor kReplayDescriptor =
    describe<ReplayTrainer>("+replay", kAll, "a step is recorded once per batch size; its calls are replayed");
const StrategyDescriptor kRerecordDescriptor = describe<RerecordTrainer>(
    "+rerecord", kGradients, "the forward pass is run and recorded anew for each of a step's gradients");

}  // namespace gdbench::strategies::tape
