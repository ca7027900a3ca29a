#include "implementations/strategies/hand/hand.h"

#include <optional>
#include <vector>

#include "implementations/failure.h"
#include "implementations/strategies/batch_feed.h"
#include "implementations/strategies/hand/evaluation.h"
#include "implementations/strategies/hand/network.h"

namespace gdbench::strategies::hand {
namespace {

using implementations::Failure;

// The calls of one step on batches of one size, and where the batch's addresses go.
class TrainingStep {
 public:
  TrainingStep(const gdbench_problem& problem, Network& network, Parameters& parameters,
               const BatchFeed::Batch& batch) {
    const gdbench_layer& last = problem.layers[problem.layer_count - 1];
    const Matrix x{batch.x, batch.rows, problem.layers[0].inputs};
    const Matrix targets{batch.targets, batch.rows, problem.loss == GDBENCH_SOFTMAX_CROSS_ENTROPY ? 1 : last.outputs};
    network.add_forward(program_, x);
    network.add_backward(program_, x, targets);
    parameters.add_update(program_);
    x_places_ = program_.occurrences(batch.x);
    target_places_ = program_.occurrences(batch.targets);
  }

  void take(const BatchFeed::Batch& batch) {
    for (kernels::Buffer* place : x_places_) *place = batch.x;
    for (kernels::Buffer* place : target_places_) *place = batch.targets;
  }
  const Program& program() const { return program_; }

 private:
  Program program_;
  std::vector<kernels::Buffer*> x_places_;
  std::vector<kernels::Buffer*> target_places_;
};

class Hand final : public Strategy {
 public:
  explicit Hand(const kernels::Backend& backend) : backend_(backend) {}

  void load(const gdbench_data& data) override { data_ = &data; }
  void prepare(const gdbench_problem& problem, const gdbench_settings& settings) override;
  void set_state(const gdbench_state& state) override;
  void get_state(gdbench_state& state) override;
  void run(std::uint64_t steps) override;
  void sync() override { session_->synchronise(); }
  double evaluate(std::int32_t split) override;
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override;

 private:
  // The step's calls with its batch in place.
  TrainingStep& next_step();

  const kernels::Backend& backend_;
  const gdbench_data* data_ = nullptr;
  const gdbench_problem* problem_ = nullptr;
  // In the order of dependence: what comes later holds references to what comes before.
  std::optional<Session> session_;
  std::optional<Parameters> parameters_;
  std::optional<BatchFeed> feed_;
  std::optional<Network> network_;
  std::optional<TrainingStep> full_;
  std::optional<TrainingStep> partial_;  // the smaller last batch of an epoch
  std::optional<Evaluation> evaluations_[2];
  std::int64_t step_ = 0;
};

void Hand::prepare(const gdbench_problem& problem, const gdbench_settings& settings) {
  problem_ = &problem;
  session_.emplace(backend_, settings.compute_threads);
  parameters_.emplace(*session_, problem);
  feed_.emplace(*session_, *data_, problem.batch_rows);
  network_.emplace(*session_, problem, *parameters_, problem.batch_rows, true);
  full_.emplace(problem, *network_, *parameters_, feed_->batch(0));
  if (feed_->loader().partial_rows() == 0) return;
  partial_.emplace(problem, *network_, *parameters_, feed_->batch(feed_->loader().steps_per_epoch() - 1));
}

void Hand::set_state(const gdbench_state& state) {
  parameters_->set_state(state);
  step_ = state.step;
}

void Hand::get_state(gdbench_state& state) {
  parameters_->get_state(state);
  state.step = step_;
}

TrainingStep& Hand::next_step() {
  const BatchFeed::Batch batch = feed_->batch(step_);
  TrainingStep& step = batch.rows == problem_->batch_rows ? *full_ : *partial_;
  step.take(batch);
  return step;
}

void Hand::run(std::uint64_t steps) {
  parameters_->set_step(step_);
  if (feed_->loader().full_batch() && !parameters_->varies()) {
    const Program& program = full_->program();
    for (std::uint64_t i = 0; i < steps; ++i) program.run();
    step_ += static_cast<std::int64_t>(steps);
    return;
  }
  for (std::uint64_t i = 0; i < steps; ++i) {
    parameters_->set_step(step_);
    next_step().program().run();
    ++step_;
  }
}

void Hand::profile(std::uint64_t steps, const gdbench_profile_sink& sink) {
  Profile profile;
  for (std::uint64_t i = 0; i < steps; ++i) {
    const double start = now_ns();
    parameters_->set_step(step_);
    const TrainingStep& step = next_step();
    const std::int64_t rows = &step == &*full_ ? problem_->batch_rows : feed_->loader().partial_rows();
    profile.add("batch", GDBENCH_PHASE_DATA, now_ns() - start, {0, feed_->copied_bytes(rows)});
    step.program().run_profiled(*session_, profile);
    ++step_;
  }
  profile.report(sink);
}

double Hand::evaluate(std::int32_t split) {
  if (split != 0 && split != 1) throw Failure(GDBENCH_INVALID, "unknown split");
  std::optional<Evaluation>& evaluation = evaluations_[split];
  if (!evaluation) {
    const bool training = split == 0;
    const void* y = training ? data_->y : data_->validation_y;
    const void* labels = training ? data_->labels : data_->validation_labels;
    Evaluation::Split rows;
    rows.x = training ? data_->x : data_->validation_x;
    rows.targets = labels != nullptr ? labels : y;
    rows.rows = training ? data_->rows : data_->validation_rows;
    rows.x_row_bytes = feed_->loader().x_row_bytes();
    rows.target_row_bytes = feed_->loader().target_row_bytes();
    if (rows.rows == 0) throw Failure(GDBENCH_INVALID, "there are no validation rows");
    evaluation.emplace(*session_, *problem_, *parameters_, rows);
  }
  return evaluation->run();
}

}  // namespace

const StrategyDescriptor kDescriptor = {
    .name = "hand",
    .description = "derivatives written by hand, one kernel call after the other",
    .tasks = GDBENCH_BIT(GDBENCH_TASK_TRAIN),
    .activations = GDBENCH_BIT(GDBENCH_IDENTITY) | GDBENCH_BIT(GDBENCH_RELU) | GDBENCH_BIT(GDBENCH_TANH) |
                   GDBENCH_BIT(GDBENCH_SIGMOID),
    .losses = GDBENCH_BIT(GDBENCH_MSE) | GDBENCH_BIT(GDBENCH_HALF_MSE) | GDBENCH_BIT(GDBENCH_SOFTMAX_CROSS_ENTROPY),
    .optimizers = GDBENCH_BIT(GDBENCH_SGD) | GDBENCH_BIT(GDBENCH_MOMENTUM) | GDBENCH_BIT(GDBENCH_NESTEROV) |
                  GDBENCH_BIT(GDBENCH_ADAGRAD) | GDBENCH_BIT(GDBENCH_RMSPROP) | GDBENCH_BIT(GDBENCH_ADAM) |
                  GDBENCH_BIT(GDBENCH_ADAMW),
    .capabilities = GDBENCH_BIT(GDBENCH_CAPABILITY_SHUFFLE) | GDBENCH_BIT(GDBENCH_CAPABILITY_SCHEDULE),
    .create = [](const kernels::Backend& backend) -> std::unique_ptr<Strategy> {
      return std::make_unique<Hand>(backend);
    },
};

}  // namespace gdbench::strategies::hand
