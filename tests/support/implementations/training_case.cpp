#include "tests/support/implementations/training_case.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/support/verify/cases.h"

namespace gdbench {
namespace {

constexpr std::int64_t kValidationRows = 5;
constexpr std::int64_t kEpochs = 2;

// Class indices where the loss takes labels.
std::vector<double> random_targets(std::mt19937& generator, const scenario::Problem& problem) {
  if (!takes_labels(problem.loss)) return backends::random_matrix(generator, problem.rows, problem.outputs()).values;
  std::uniform_int_distribution<std::int32_t> label(0, static_cast<std::int32_t>(problem.outputs()) - 1);
  std::vector<double> labels(static_cast<std::size_t>(problem.rows));
  for (double& value : labels) value = label(generator);
  return labels;
}

void mask(std::mt19937& generator, double density, Dense& x) {
  std::bernoulli_distribution kept(density);
  for (std::int64_t i = 0; i < x.rows; ++i) {
    for (std::int64_t j = 0; j < x.columns; ++j) {
      if (!kept(generator) || i == 0 || j == 0) x.at(i, j) = 0;
    }
  }
}

std::vector<std::uint32_t> random_order(std::mt19937& generator, std::int64_t rows) {
  std::vector<std::uint32_t> order;
  for (std::int64_t epoch = 0; epoch < kEpochs; ++epoch) {
    order.resize(order.size() + static_cast<std::size_t>(rows));
    std::iota(order.end() - rows, order.end(), 0U);
    std::shuffle(order.end() - rows, order.end(), generator);
  }
  return order;
}

scenario::Problem problem_of(const TrainingCase& values) {
  scenario::Problem problem;
  problem.task = values.task;
  problem.dtype = values.dtype;
  for (const gdbench_layer& layer : values.layers) {
    problem.layers.push_back({layer.inputs, layer.outputs, catalogue::activation_of(layer), layer.has_bias != 0});
    if (values.normalized && layer.outputs > 1) problem.layers.back().normalization = catalogue::Normalization::layer;
  }
  problem.loss = values.loss;
  problem.rows = values.rows;
  problem.batch_rows = values.batch_rows;
  problem.micro_batches = values.micro_batches;
  problem.drops_last_batch = values.drops_last;
  problem.optimizer = optimizer_of(values.optimizer, values.learning_rates);
  if (values.task == catalogue::Task::forward) problem.optimizer = {.learning_rates = {1.0}};
  return problem;
}

}  // namespace

std::vector<TrainingCase> training_cases() {
  using enum catalogue::Activation;
  using enum catalogue::Loss;
  using catalogue::OptimizerKind;
  const std::vector<gdbench_layer> deep = {layer(4, 6, relu), layer(6, 5, sigmoid, false), layer(5, 3, tanh),
                                           layer(3, 2, sigmoid)};
  const std::vector<gdbench_layer> shallow = {layer(3, 5, tanh), layer(5, 2)};
  const std::vector<gdbench_layer> others = {layer(4, 6, silu), layer(6, 5, gelu, false), layer(5, 4, gelu_tanh),
                                             layer(4, 7, softplus), layer(7, 3, leaky_relu)};
  return {
      {.layers = {layer(2, 1)}, .loss = half_mse, .rows = 3, .batch_rows = 3},
      {.layers = {layer(2, 1, identity, false)}, .rows = 3, .batch_rows = 3},
      {.layers = {layer(1, 1)}, .rows = 19, .batch_rows = 19},
      {.layers = {layer(33, 3)}, .rows = 29, .batch_rows = 29},
      {.layers = {layer(3, 1, tanh), layer(1, 4, tanh), layer(4, 1)}, .rows = 9, .batch_rows = 9},
      {.layers = deep, .loss = half_mse, .rows = 13, .batch_rows = 13},
      {.layers = deep, .loss = binary_cross_entropy, .rows = 13, .batch_rows = 5},
      {.layers = deep, .loss = {huber, 0.25}, .rows = 13, .batch_rows = 13},
      {.layers = others, .loss = softmax_cross_entropy, .rows = 14, .batch_rows = 7, .learning_rates = {0.01}},
      {.layers = {layer(6, 17, relu), layer(17, 4)}, .loss = softmax_cross_entropy, .rows = 23, .batch_rows = 23},
      {.layers = {layer(3, 2)}, .loss = softmax_cross_entropy, .rows = 7, .batch_rows = 3},
      {.layers = {layer(3, 1)}, .rows = 5, .batch_rows = 1},
      {.layers = shallow, .rows = 10, .batch_rows = 4, .shuffled = true, .learning_rates = {0.1, 0.05, 0.02}},
      {.layers = {layer(3, 2)}, .loss = softmax_cross_entropy, .rows = 6, .batch_rows = 6, .shuffled = true},
      {.layers = {layer(2, 3), layer(3, 1)}, .rows = 4, .batch_rows = 4, .learning_rates = {0.1, 0.05, 0.0, 0.02}},
      {.layers = shallow, .rows = 10, .batch_rows = 4, .drops_last = true},
      {.layers = shallow, .rows = 10, .batch_rows = 4, .shuffled = true, .drops_last = true},
      {.layers = {layer(3, 1)}, .rows = 5, .batch_rows = 3, .drops_last = true},  // one batch an epoch
      // Parts of equal and unequal rows, fewer rows than parts in the last batch.
      {.layers = shallow, .rows = 12, .batch_rows = 12, .micro_batches = 2},
      {.layers = deep, .loss = half_mse, .rows = 16, .batch_rows = 7, .micro_batches = 3},
      {.layers = {layer(4, 3)},
       .loss = softmax_cross_entropy,
       .rows = 11,
       .batch_rows = 6,
       .shuffled = true,
       .optimizer = {OptimizerKind::momentum, 0.01, false},
       .micro_batches = 5},
  };
}

std::vector<TrainingCase> normalized_cases() {
  using enum catalogue::Activation;
  const std::vector<gdbench_layer> deep = {layer(4, 6, relu), layer(6, 17, silu, false), layer(17, 3, tanh),
                                           layer(3, 2, sigmoid)};
  std::vector<TrainingCase> cases = {
      {.layers = {layer(3, 4)}, .rows = 6, .batch_rows = 6},
      {.layers = deep, .rows = 33, .batch_rows = 33},
      {.layers = {layer(5, 40, tanh), layer(40, 1)}, .rows = 37, .batch_rows = 16, .shuffled = true},
      {.layers = {layer(6, 33, gelu), layer(33, 4)},
       .loss = catalogue::Loss::softmax_cross_entropy,
       .rows = 70,
       .batch_rows = 70,
       .optimizer = {catalogue::OptimizerKind::adam, 0.01, true}},
      {.layers = deep, .rows = 16, .batch_rows = 7, .micro_batches = 3},
  };
  for (TrainingCase& values : cases) values.normalized = true;
  return cases;
}

std::vector<TrainingCase> gradients_cases() {
  using enum catalogue::Activation;
  using enum catalogue::Loss;
  const std::vector<gdbench_layer> deep = {layer(4, 6, relu), layer(6, 5, sigmoid, false), layer(5, 3, tanh),
                                           layer(3, 2, sigmoid)};
  std::vector<TrainingCase> cases = {
      {.layers = {layer(2, 1)}, .rows = 3, .batch_rows = 3},
      {.layers = {layer(7, 9, identity, false)}, .loss = half_mse, .rows = 6, .batch_rows = 6},
      {.layers = deep, .loss = half_mse, .rows = 13, .batch_rows = 13},
      {.layers = {layer(3, 5, tanh), layer(5, 4)},
       .rows = 10,
       .batch_rows = 4,
       .shuffled = true,
       .learning_rates = {0.1, 0.05, 0.02}},
      {.layers = {layer(3, 17, tanh), layer(17, 2, tanh, false)}, .rows = 5, .batch_rows = 1},
      {.layers = deep, .loss = half_mse, .rows = 17, .batch_rows = 7, .micro_batches = 3},
  };
  for (TrainingCase& values : cases) values.task = catalogue::Task::gradients;
  return cases;
}

void expect_near(const std::vector<Dense>& actual, const std::vector<Dense>& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t p = 0; p < expected.size(); ++p) {
    ASSERT_EQ(actual[p].values.size(), expected[p].values.size());
    for (std::size_t i = 0; i < expected[p].values.size(); ++i) {
      const double entry = expected[p].values[i];
      ASSERT_NEAR(actual[p].values[i], entry, tolerance * std::max(1.0, std::abs(entry)))
          << "parameter " << p << " entry " << i;
    }
  }
}

TrainingProblem::TrainingProblem(const TrainingCase& values) : case_(values), reference_(problem_of(values)) {
  std::mt19937 generator(11);
  std::int64_t features = case_.layers.front().inputs;
  if (case_.task == catalogue::Task::update) {
    features = 0;
    for (const gdbench_layer& layer : case_.layers) features += layer.inputs * layer.outputs;
  }
  Dense x = backends::random_matrix(generator, case_.rows, features);
  if (case_.density < 1) mask(generator, case_.density, x);
  const std::vector<double> targets = random_targets(generator, reference_);
  validation_ = reference_;
  validation_.rows = validation_.batch_rows = kValidationRows;
  const Dense other_x = backends::random_matrix(generator, kValidationRows, features);
  validation_rows_ =
      verify::testing::make_dataset(validation_, other_x.values, random_targets(generator, validation_), {});
  training_ = verify::testing::make_dataset(
      reference_, x.values, targets,
      case_.shuffled ? random_order(generator, case_.rows) : std::vector<std::uint32_t>());
  training_.features = features;
  for (const scenario::ParameterShape& shape : state_shapes(reference_)) {
    initial_.push_back(backends::random_matrix(generator, shape.rows, shape.columns));
    if (shape.part == catalogue::LayerPart::scale) {
      for (double& value : initial_.back().values) value = 1 + value / 4;
    }
    if (!case_.scaled_weights || shape.part != catalogue::LayerPart::weights) continue;
    const double root = std::sqrt(static_cast<double>(shape.inputs));
    for (double& value : initial_.back().values) value = static_cast<double>(static_cast<float>(value / root));
  }
  describe_data(takes_labels(case_.loss));
  describe_problem();
  for (const Dense& parameter : initial_) add_tensor(parameter);
}

void TrainingProblem::describe_data(bool labelled) {
  data_.struct_size = sizeof(data_);
  data_.dtype = static_cast<std::int32_t>(training_.dtype);
  data_.rows = training_.rows;
  data_.features = training_.features;
  data_.outputs = training_.outputs;
  data_.x = training_.x<std::byte>();
  data_.y = labelled || data_.outputs == 0 ? nullptr : training_.y<std::byte>();
  data_.labels = labelled ? training_.labels() : nullptr;
  data_.validation_rows = kValidationRows;
  data_.validation_x = validation_rows_.x<std::byte>();
  data_.validation_y = labelled ? nullptr : validation_rows_.y<std::byte>();
  data_.validation_labels = labelled ? validation_rows_.labels() : nullptr;
  data_.epochs = training_.has_order ? kEpochs : 1;
  data_.order = training_.order();
}

void TrainingProblem::describe_problem() {
  optimizer_ = abi_of(reference_.optimizer);
  problem_.struct_size = sizeof(problem_);
  problem_.task = static_cast<std::int32_t>(case_.task);
  problem_.dtype = static_cast<std::int32_t>(case_.dtype);
  problem_.layer_count = static_cast<std::int64_t>(case_.layers.size());
  problem_.layers = case_.layers.data();
  for (const scenario::Layer& layer : reference_.layers) {
    normalizations_.push_back(static_cast<std::int32_t>(layer.normalization));
  }
  problem_.normalizations = case_.normalized ? normalizations_.data() : nullptr;
  problem_.loss = static_cast<std::int32_t>(case_.loss.kind);
  problem_.huber_delta = case_.loss.huber_delta;
  problem_.batch_rows = case_.batch_rows;
  problem_.micro_batches = case_.micro_batches;
  problem_.drops_last_batch = case_.drops_last ? 1 : 0;
  problem_.optimizer = &optimizer_;
  settings_ = backends::settings_for(1);
}

void TrainingProblem::add_tensor(const Dense& values) {
  state_bytes_.push_back(backends::bytes_of(values, case_.dtype));
  tensors_.push_back({state_bytes_.back().data(), values.rows, values.columns});
  state_.struct_size = sizeof(state_);
  state_.parameter_count = std::ssize(initial_);
  state_.parameters = tensors_.data();
  state_.slot_count = std::ssize(slots_) / std::ssize(initial_);
  state_.slots = tensors_.data() + initial_.size();
}

void TrainingProblem::add_slots() {
  for (std::size_t slot = 0; slot < catalogue::slot_count(reference_.optimizer.kind); ++slot) {
    for (const Dense& values : initial_) slots_.emplace_back(values.rows, values.columns);
  }
  for (const Dense& values : slots_) add_tensor(values);
}

void TrainingProblem::set_options(const std::vector<gdbench_option_value>& options) {
  options_ = options;
  settings_.option_count = static_cast<std::int64_t>(options_.size());
  settings_.options = options_.data();
}

scenario::State TrainingProblem::start() const {
  scenario::State state;
  for (const Dense& values : initial_) state.parameters.push_back(values.values);
  return state;
}

std::vector<Dense> TrainingProblem::trained(std::int64_t steps, verify::Ties ties) const {
  auto state = verify::to_reference<double>(start());
  for (std::int64_t step = 0; step < steps; ++step) {
    const auto gradients = ties == verify::Ties::as_computed ? verify::plain_gradients(reference_, training_, state)
                                                             : verify::gradients(reference_, training_, state, ties);
    verify::take_step(reference_, gradients.parameters, state);
  }
  std::vector<Dense> end = initial_;
  end.insert(end.end(), slots_.begin(), slots_.end());
  for (std::size_t i = 0; i < end.size(); ++i) {
    const bool is_slot = i >= initial_.size();
    end[i].values = is_slot ? state.slots[i - initial_.size()] : state.parameters[i];
  }
  return end;
}

double TrainingProblem::loss(const std::vector<Dense>& parameters, int split) const {
  verify::ReferenceState<double> state;
  for (const Dense& values : parameters) {
    auto& tensors = state.parameters.size() < initial_.size() ? state.parameters : state.slots;
    tensors.push_back(values.values);
  }
  return split == 0 ? verify::evaluate(reference_, training_, state)
                    : verify::evaluate(validation_, validation_rows_, state);
}

std::vector<Dense> TrainingProblem::state_values() const {
  std::vector<Dense> values = initial_;
  values.insert(values.end(), slots_.begin(), slots_.end());
  for (std::size_t i = 0; i < values.size(); ++i) backends::read_bytes(state_bytes_[i], case_.dtype, values[i]);
  return values;
}

}  // namespace gdbench
