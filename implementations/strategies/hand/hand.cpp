#include "implementations/strategies/hand/hand.h"

#include <algorithm>
#include <vector>

#include "implementations/strategies/common/forward_trainer.h"
#include "implementations/strategies/common/prepared_steps.h"

namespace gdbench::strategies::hand {

using backends::Op;
using backends::Request;

Network::Network(Session& session, const gdbench_problem& problem, const Parameters& parameters,
                 const ColumnMasks* masks, std::int64_t rows)
    : session_(session),
      parameters_(parameters),
      masks_(masks),
      forward_(session, problem, parameters, rows),
      layer_count_(problem.layer_count) {
  std::int64_t widest = 0;
  for (std::int64_t l = 0; l < layer_count_; ++l) widest = std::max(widest, forward_.layer(l).outputs);
  const std::size_t element = catalogue::size_of(catalogue::dtype_of(problem));
  const std::size_t row = static_cast<std::size_t>(widest) * element;
  const std::size_t matrix = static_cast<std::size_t>(rows) * row;
  for (backends::Buffer& delta : deltas_) delta = session.allocate(matrix);
  if (masks != nullptr) output_delta_ = session.allocate(matrix);
  for (std::int64_t l = 0; l < layer_count_ && products_ == nullptr; ++l) {
    if (forward_.is_normalized(l)) products_ = session.allocate(matrix);
  }
  if (masks != nullptr || problem.micro_batches > 1) column_sums_ = session.allocate(row);
}

Matrix Network::delta(std::int64_t l, std::int64_t rows) const {
  return {deltas_[l % 2], rows, forward_.layer(l).outputs};
}

void Network::add_activation_gradient(Program& program, std::int64_t l, const Matrix& delta) {
  if (catalogue::activation_of(forward_.layer(l)) == catalogue::Activation::identity) return;
  Request gradient = forward_.request(Op::activation_gradient);
  gradient.activation = catalogue::activation_of(forward_.layer(l));
  program.add(session_, gradient, catalogue::Phase::backward, of_layer(l),
              {forward_.derivative_argument(l, delta.rows), delta});
}

void Network::add_backward(Program& program, const Matrix& x, const Matrix& targets, double weight, bool accumulate,
                           Exchange* exchange) {
  const Matrix d = delta(layer_count_ - 1, x.rows);
  if (masks_ == nullptr) {
    add_output_delta(program, targets, weight, d);
    add_sweep(program, x, accumulate, exchange);
    return;
  }
  const Matrix whole{output_delta_, d.rows, d.columns};
  add_output_delta(program, targets, weight, whole);
  for (std::int64_t column = 0; column < masks_->count(); ++column) {
    program.add(session_, forward_.request(Op::multiply), catalogue::Phase::backward, of_layer(layer_count_ - 1),
                {whole, masks_->mask(column, x.rows), d});
    add_sweep(program, x, accumulate || column > 0, column + 1 == masks_->count() ? exchange : nullptr);
  }
}

void Network::add_output_delta(Program& program, const Matrix& targets, double weight, const Matrix& d) {
  const std::int64_t last = layer_count_ - 1;
  Request gradient = forward_.request(Op::loss_gradient);
  gradient.alpha = weight;
  program.add(session_, gradient, catalogue::Phase::backward, of_layer(last),
              {forward_.activations(last, d.rows), targets, d});
  add_activation_gradient(program, last, d);
}

void Network::add_sweep(Program& program, const Matrix& x, bool accumulate, Exchange* exchange) {
  for (std::int64_t l = layer_count_ - 1; l >= 0; --l) {
    const Matrix d = delta(l, x.rows);
    const Matrix input = l == 0 ? x : forward_.activations(l - 1, x.rows);
    if (forward_.is_normalized(l)) add_normalization_gradient(program, l, d, accumulate);
    Request weights_gradient = forward_.request(Op::product);
    weights_gradient.transpose_a = true;
    weights_gradient.beta = accumulate ? 1 : 0;
    program.add(session_, weights_gradient, catalogue::Phase::backward,
                parameters_.part_of(l, LayerPart::weights, GDBENCH_COMPUTES_GRADIENTS),
                {input, d, parameters_.gradient(l, LayerPart::weights)});
    if (forward_.layer(l).has_bias != 0) add_column_sums(program, l, LayerPart::bias, d, accumulate);
    if (exchange != nullptr) exchange->add_layer(program, l);
    if (l == 0) break;
    const Matrix previous = delta(l - 1, x.rows);
    Request input_gradient = forward_.request(Op::product);
    input_gradient.transpose_b = true;
    program.add(session_, input_gradient, catalogue::Phase::backward,
                parameters_.part_of(l, LayerPart::weights, GDBENCH_READS_PARAMETERS),
                {d, parameters_.value(l, LayerPart::weights), previous});
    add_activation_gradient(program, l - 1, previous);
  }
}

void Network::add_normalization_gradient(Program& program, std::int64_t l, const Matrix& d, bool accumulate) {
  const Matrix products{products_, d.rows, d.columns};
  const ModelPart part = parameters_.part_of(l, LayerPart::scale, GDBENCH_COMPUTES_GRADIENTS);
  add_column_sums(program, l, LayerPart::shift, d, accumulate);
  program.add(session_, forward_.request(Op::multiply), catalogue::Phase::backward, part,
              {d, forward_.normalized(l, d.rows), products});
  add_column_sums(program, l, LayerPart::scale, products, accumulate);
  program.add(session_, forward_.request(Op::scale_columns), catalogue::Phase::backward,
              parameters_.part_of(l, LayerPart::scale, GDBENCH_READS_PARAMETERS),
              {parameters_.value(l, LayerPart::scale), d, d});
  program.add(session_, forward_.request(Op::normalize_gradient), catalogue::Phase::backward, of_layer(l),
              {forward_.unnormalized(l, d.rows), d});
}

void Network::add_column_sums(Program& program, std::int64_t l, LayerPart of, const Matrix& d, bool accumulate) {
  const Matrix gradient = parameters_.gradient(l, of);
  const ModelPart part = parameters_.part_of(l, of, GDBENCH_COMPUTES_GRADIENTS);
  const Matrix sums{accumulate ? column_sums_ : gradient.buffer, gradient.rows, gradient.columns};
  program.add(session_, forward_.request(Op::column_sum), catalogue::Phase::backward, part, {d, sums});
  if (!accumulate) return;
  Request addition = forward_.request(Op::combine);
  addition.beta = 1;
  program.add(session_, addition, catalogue::Phase::backward, part, {gradient, sums, gradient});
}

namespace {

class Hand final : public Trainer {
 public:
  explicit Hand(const Setup& setup)
      : Trainer(setup),
        network_(session(), problem(), parameters(), masks(), largest_part()),
        steps_(*this, [this](const Batch& batch) { return make_step(batch); }) {}

  void run(std::uint64_t steps) override { steps_.run(steps); }
  void profile(std::uint64_t steps, const gdbench_profile_sink& sink) override { steps_.profile(steps, sink); }

 private:
  TrainingProgram make_step(const Batch& batch);

  Network network_;
  PreparedSteps steps_;
};

TrainingProgram Hand::make_step(const Batch& batch) {
  Program program;
  const std::vector<MicroBatch> parts = parts_of(batch.whole_rows);
  if (parts.empty()) exchange()->add_no_rows(program);
  for (const MicroBatch& part : parts) {
    const Batch rows = feed().part(batch, part);
    const Matrix x = rows.x_matrix(problem().layers[0].inputs);
    const bool last = &part == &parts.back();
    network_.add_forward(program, x);
    network_.add_backward(program, x, {rows.targets, rows.rows, target_columns()}, part.weight, part.first > 0,
                          last ? exchange() : nullptr);
  }
  add_update(program);
  return {std::move(program), feed(), batch, parts};
}

const gdbench_option kOptions[] = {loader::kLoaderOption, loader::kPrefetchOption, kUpdateOption, kFeaturesOption};

}  // namespace

const StrategyDescriptor kDescriptor = {
    .name = "hand",
    .description = "derivatives written by hand, one kernel call after the other",
    .tasks = bit_of(catalogue::Task::train) | bit_of(catalogue::Task::update) | bit_of(catalogue::Task::gradients) |
             bit_of(catalogue::Task::forward),
    .capabilities = kTrainerCapabilities | kNormalizations,
    .helper_threads = kTrainerHelperThreads,
    .options = kOptions,
    .create = make_strategy<Hand>,
    .create_update = make_strategy<UpdateTrainer>,
    .create_forward = make_strategy<ForwardTrainer>,
};

}  // namespace gdbench::strategies::hand
