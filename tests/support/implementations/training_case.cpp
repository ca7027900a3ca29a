#include "tests/support/implementations/training_case.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace gdbench {
namespace {

using backends::activate;
using backends::activation_slope;

Dense rows_of(const Dense& from, const std::vector<std::uint32_t>& index) {
  Dense to(static_cast<std::int64_t>(index.size()), from.columns);
  for (std::int64_t i = 0; i < to.rows; ++i) {
    for (std::int64_t j = 0; j < to.columns; ++j) to.at(i, j) = from.at(index[static_cast<std::size_t>(i)], j);
  }
  return to;
}

std::vector<std::int32_t> random_labels(std::mt19937& generator, std::int64_t rows, std::int64_t classes) {
  std::uniform_int_distribution<std::int32_t> label(0, static_cast<std::int32_t>(classes) - 1);
  std::vector<std::int32_t> labels(static_cast<std::size_t>(rows));
  for (std::int32_t& value : labels) value = label(generator);
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

template <class Matrix>
auto* row_of(Matrix& matrix, std::int64_t row) {
  return matrix.values.data() + row * matrix.columns;
}

// To entries that float represents exactly.
void scale(Dense& matrix, double factor) {
  for (double& value : matrix.values) value = static_cast<double>(static_cast<float>(value * factor));
}

Dense transposed(const Dense& matrix) {
  Dense turned(matrix.columns, matrix.rows);
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    for (std::int64_t j = 0; j < matrix.columns; ++j) turned.at(j, i) = matrix.at(i, j);
  }
  return turned;
}

// to[i] += factor * from[i]
void add_multiple(double* to, double factor, const double* from, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] += factor * from[i];
}

// to += left right, where each row of `right`, which may be large, is read from one end to the other only once.
void add_product(Dense& to, const Dense& left, const Dense& right) {
  for (std::int64_t p = 0; p < left.columns; ++p) {
    for (std::int64_t i = 0; i < left.rows; ++i) {
      add_multiple(row_of(to, i), left.at(i, p), row_of(right, p), right.columns);
    }
  }
}

constexpr std::int64_t kValidationRows = 5;
constexpr std::int64_t kEpochs = 2;

}  // namespace

std::vector<TrainingCase> training_cases() {
  const std::vector<gdbench_layer> deep = {
      layer(4, 6, catalogue::Activation::relu), layer(6, 5, catalogue::Activation::sigmoid, false),
      layer(5, 3, catalogue::Activation::tanh), layer(3, 2, catalogue::Activation::sigmoid)};
  const std::vector<gdbench_layer> shallow = {layer(3, 5, catalogue::Activation::tanh), layer(5, 2)};
  const catalogue::Loss classes = catalogue::Loss::softmax_cross_entropy;
  return {
      {.layers = {layer(2, 1)}, .loss = catalogue::Loss::half_mse, .rows = 3, .batch_rows = 3},
      {.layers = {layer(2, 1, catalogue::Activation::identity, false)}, .rows = 3, .batch_rows = 3},
      {.layers = {layer(1, 1)}, .rows = 19, .batch_rows = 19},
      {.layers = {layer(33, 3)}, .rows = 29, .batch_rows = 29},
      {.layers = {layer(5, 7, catalogue::Activation::tanh), layer(7, 2)}, .rows = 11, .batch_rows = 11},
      {.layers = {layer(3, 1, catalogue::Activation::tanh), layer(1, 4, catalogue::Activation::tanh), layer(4, 1)},
       .rows = 9,
       .batch_rows = 9},
      {.layers = deep, .loss = catalogue::Loss::half_mse, .rows = 13, .batch_rows = 13},
      {.layers = deep, .loss = catalogue::Loss::binary_cross_entropy, .rows = 13, .batch_rows = 5},
      {.layers = deep, .loss = {catalogue::Loss::huber, 0.25}, .rows = 13, .batch_rows = 13},
      {.layers = {layer(6, 17, catalogue::Activation::relu), layer(17, 4)},
       .loss = classes,
       .rows = 23,
       .batch_rows = 23},
      {.layers = shallow, .rows = 10, .batch_rows = 4},
      {.layers = {layer(3, 2)}, .loss = classes, .rows = 7, .batch_rows = 3},
      {.layers = {layer(3, 1)}, .rows = 5, .batch_rows = 1},
      {.layers = shallow, .rows = 10, .batch_rows = 4, .shuffled = true, .learning_rates = {0.1, 0.05, 0.02}},
      {.layers = {layer(3, 2)}, .loss = classes, .rows = 6, .batch_rows = 6, .shuffled = true},
      {.layers = {layer(2, 3), layer(3, 1)}, .rows = 4, .batch_rows = 4, .learning_rates = {0.1, 0.05, 0.0, 0.02}},
  };
}

std::vector<TrainingCase> gradients_cases() {
  std::vector<TrainingCase> cases = {
      {.layers = {{2, 1, GDBENCH_IDENTITY, 1}}, .rows = 3, .batch_rows = 3},
      {.layers = {{7, 9, GDBENCH_IDENTITY, 0}}, .loss = catalogue::Loss::half_mse, .rows = 6, .batch_rows = 6},
      {.layers =
           {{4, 6, GDBENCH_RELU, 1}, {6, 5, GDBENCH_SIGMOID, 0}, {5, 3, GDBENCH_TANH, 1}, {3, 2, GDBENCH_SIGMOID, 1}},
       .loss = catalogue::Loss::half_mse,
       .rows = 13,
       .batch_rows = 13},
      {.layers = {{3, 5, GDBENCH_TANH, 1}, {5, 4, GDBENCH_IDENTITY, 1}},
       .rows = 10,
       .batch_rows = 4,
       .shuffled = true,
       .learning_rates = {0.1, 0.05, 0.02}},
      {.layers = {{3, 17, GDBENCH_TANH, 1}, {17, 2, GDBENCH_TANH, 0}}, .rows = 5, .batch_rows = 1},
  };
  for (TrainingCase& values : cases) values.task = catalogue::Task::gradients;
  return cases;
}

TrainingProblem::TrainingProblem(const TrainingCase& values) : case_(values) {
  std::mt19937 generator(11);
  const std::int64_t features = case_.layers.front().inputs;
  const std::int64_t outputs = case_.layers.back().outputs;
  x_ = backends::random_matrix(generator, case_.rows, features);
  y_ = backends::random_matrix(generator, case_.rows, outputs);
  labels_ = random_labels(generator, case_.rows, outputs);
  validation_x_ = backends::random_matrix(generator, kValidationRows, features);
  validation_y_ = backends::random_matrix(generator, kValidationRows, outputs);
  validation_labels_ = random_labels(generator, kValidationRows, outputs);
  if (case_.density < 1) mask(generator, case_.density, x_);
  write(x_bytes_, x_);
  write(y_bytes_, y_);
  write(validation_x_bytes_, validation_x_);
  write(validation_y_bytes_, validation_y_);
  const bool labelled = takes_labels(case_.loss);

  data_.struct_size = sizeof(data_);
  data_.dtype = static_cast<std::int32_t>(catalogue::storage_of(case_.dtype));
  data_.rows = case_.rows;
  data_.features = features;
  data_.outputs = outputs;
  data_.x = x_bytes_.data();
  data_.y = labelled ? nullptr : y_bytes_.data();
  data_.labels = labelled ? labels_.data() : nullptr;
  data_.validation_rows = kValidationRows;
  data_.validation_x = validation_x_bytes_.data();
  data_.validation_y = labelled ? nullptr : validation_y_bytes_.data();
  data_.validation_labels = labelled ? validation_labels_.data() : nullptr;
  data_.epochs = 1;
  if (case_.shuffled) {
    data_.epochs = kEpochs;
    for (std::int64_t epoch = 0; epoch < kEpochs; ++epoch) {
      std::vector<std::uint32_t> rows(static_cast<std::size_t>(case_.rows));
      std::iota(rows.begin(), rows.end(), 0u);
      std::shuffle(rows.begin(), rows.end(), generator);
      order_.insert(order_.end(), rows.begin(), rows.end());
    }
    data_.order = order_.data();
  }

  optimizer_ = optimizer_of(case_.optimizer, case_.learning_rates);
  problem_.struct_size = sizeof(problem_);
  problem_.task = static_cast<std::int32_t>(case_.task);
  problem_.dtype = static_cast<std::int32_t>(case_.dtype);
  problem_.layer_count = static_cast<std::int64_t>(case_.layers.size());
  problem_.layers = case_.layers.data();
  problem_.loss = static_cast<std::int32_t>(case_.loss.kind);
  problem_.huber_delta = case_.loss.huber_delta;
  problem_.batch_rows = case_.batch_rows;
  problem_.micro_batches = case_.micro_batches;
  problem_.optimizer = &optimizer_;
  settings_.struct_size = sizeof(settings_);
  settings_.compute_threads = 1;

  for (const gdbench_layer& layer : case_.layers) {
    initial_.push_back(backends::random_matrix(generator, layer.inputs, layer.outputs));
    if (case_.scaled_weights) scale(initial_.back(), 1 / std::sqrt(static_cast<double>(layer.inputs)));
    if (layer.has_bias != 0) initial_.push_back(backends::random_matrix(generator, 1, layer.outputs));
  }
  state_bytes_.resize(initial_.size());
  for (std::size_t i = 0; i < initial_.size(); ++i) {
    write(state_bytes_[i], initial_[i]);
    tensors_.push_back({state_bytes_[i].data(), initial_[i].rows, initial_[i].columns});
  }
  state_.struct_size = sizeof(state_);
  state_.parameter_count = static_cast<std::int64_t>(tensors_.size());
  state_.parameters = tensors_.data();
}

void TrainingProblem::write(std::vector<std::byte>& bytes, const Dense& values) const {
  if (case_.dtype == catalogue::Dtype::f64) {
    bytes.resize(values.values.size() * sizeof(double));
    std::memcpy(bytes.data(), values.values.data(), bytes.size());
    return;
  }
  const std::vector<float> narrow(values.values.begin(), values.values.end());
  bytes.resize(narrow.size() * sizeof(float));
  std::memcpy(bytes.data(), narrow.data(), bytes.size());
}

std::vector<Dense> TrainingProblem::state_values() const {
  std::vector<Dense> values = initial_;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t entry = 0; entry < values[i].values.size(); ++entry) {
      values[i].values[entry] =
          case_.dtype == catalogue::Dtype::f64
              ? reinterpret_cast<const double*>(state_bytes_[i].data())[entry]
              : static_cast<double>(reinterpret_cast<const float*>(state_bytes_[i].data())[entry]);
    }
  }
  return values;
}

TrainingProblem::Pass TrainingProblem::pass(const std::vector<Dense>& parameters, const Dense& x, const Dense& y,
                                            const std::vector<std::int32_t>& labels, double shift) const {
  Pass pass;
  pass.activations.push_back(x);
  pass.gradients = parameters;
  std::vector<std::size_t> first;  // parameter index of each layer's weights
  std::size_t next = 0;
  for (const gdbench_layer& layer : case_.layers) {
    const Dense& input = pass.activations.back();
    Dense output(x.rows, layer.outputs);
    Dense told(x.rows, layer.outputs);
    first.push_back(next);
    const Dense& weights = parameters[next];
    for (std::int64_t i = 0; layer.has_bias != 0 && i < x.rows; ++i) {
      add_multiple(row_of(output, i), 1, parameters[next + 1].values.data(), layer.outputs);
    }
    add_product(output, input, weights);
    const catalogue::Activation activation = catalogue::activation_of(layer);
    const double moved = catalogue::row_of(activation).slope == catalogue::Slope::jumps_at_zero ? shift : 0;
    for (std::size_t entry = 0; entry < output.values.size(); ++entry) {
      const double z = output.values[entry];
      output.values[entry] = activate(activation, z);
      told.values[entry] = catalogue::reads_input(activation) ? z : activate(activation, z + moved);
    }
    next += layer.has_bias != 0 ? 2 : 1;
    pass.activations.push_back(output);
    pass.told.push_back(told);
  }

  const Dense& p = pass.activations.back();
  const auto rows = static_cast<double>(x.rows);
  Dense d(p.rows, p.columns);
  for (std::int64_t i = 0; i < p.rows; ++i) {
    if (case_.loss.kind == catalogue::Loss::softmax_cross_entropy) {
      double sum = 0;
      for (std::int64_t j = 0; j < p.columns; ++j) sum += std::exp(p.at(i, j));
      const std::int32_t label = labels[static_cast<std::size_t>(i)];
      pass.loss += (std::log(sum) - p.at(i, label)) / rows;
      for (std::int64_t j = 0; j < p.columns; ++j) {
        d.at(i, j) = (std::exp(p.at(i, j)) / sum - (j == label ? 1 : 0)) / rows;
      }
      continue;
    }
    const double entries = rows * static_cast<double>(p.columns);
    for (std::int64_t j = 0; j < p.columns; ++j) {
      pass.loss += backends::loss_term(case_.loss, p.at(i, j), y.at(i, j)) / entries;
      d.at(i, j) = backends::loss_slope(case_.loss, p.at(i, j), y.at(i, j)) / entries;
    }
  }

  for (std::size_t l = case_.layers.size(); l-- > 0;) {
    const gdbench_layer& layer = case_.layers[l];
    const Dense& input = pass.activations[l];
    Dense& weights_gradient = pass.gradients[first[l]];
    for (std::size_t g = first[l]; g < first[l] + (layer.has_bias != 0 ? 2 : 1); ++g) {
      std::fill(pass.gradients[g].values.begin(), pass.gradients[g].values.end(), 0);
    }
    for (std::size_t entry = 0; entry < d.values.size(); ++entry) {
      d.values[entry] *= activation_slope(catalogue::activation_of(layer), pass.told[l].values[entry]);
    }
    for (std::int64_t i = 0; layer.has_bias != 0 && i < d.rows; ++i) {
      add_multiple(pass.gradients[first[l] + 1].values.data(), 1, row_of(d, i), d.columns);
    }
    for (std::int64_t q = 0; q < layer.inputs; ++q) {
      for (std::int64_t i = 0; i < d.rows; ++i) {
        add_multiple(row_of(weights_gradient, q), input.at(i, q), row_of(d, i), d.columns);
      }
    }
    if (l == 0) break;
    Dense previous(input.rows, input.columns);
    add_product(previous, d, transposed(parameters[first[l]]));
    d = previous;
  }
  return pass;
}

std::vector<Dense> TrainingProblem::trained(std::int64_t steps, double shift) const {
  std::vector<Dense> parameters = initial_;
  std::vector<PlainOptimizer> optimizers;
  for (const Dense& parameter : parameters) optimizers.emplace_back(optimizer_, parameter.values.size());
  const std::int64_t per_epoch = (case_.rows + case_.batch_rows - 1) / case_.batch_rows;
  for (std::int64_t step = 0; step < steps; ++step) {
    std::vector<std::uint32_t> index;
    const std::int64_t first = step % per_epoch * case_.batch_rows;
    for (std::int64_t row = first; row < std::min(first + case_.batch_rows, case_.rows); ++row) {
      const std::int64_t epoch = step / per_epoch % kEpochs;
      index.push_back(case_.shuffled ? order_[static_cast<std::size_t>(epoch * case_.rows + row)]
                                     : static_cast<std::uint32_t>(row));
    }
    std::vector<std::int32_t> labels;
    for (const std::uint32_t row : index) labels.push_back(labels_[row]);
    const Pass step_pass = pass(parameters, rows_of(x_, index), rows_of(y_, index), labels, shift);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      std::vector<double>& values = parameters[i].values;
      const std::vector<double>& gradients = step_pass.gradients[i].values;
      PlainOptimizer::Values updated(values.begin(), values.end());
      optimizers[i].update(updated, {gradients.begin(), gradients.end()}, step);
      std::transform(updated.begin(), updated.end(), values.begin(),
                     [](long double value) { return static_cast<double>(value); });
    }
  }
  return parameters;
}

double TrainingProblem::loss(const std::vector<Dense>& parameters, int split) const {
  return split == 0 ? pass(parameters, x_, y_, labels_).loss
                    : pass(parameters, validation_x_, validation_y_, validation_labels_).loss;
}

}  // namespace gdbench
