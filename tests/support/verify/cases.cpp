#include "tests/support/verify/cases.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace gdbench::verify::testing {

using data::Dataset, scenario::Activation, scenario::Dtype, scenario::Loss, scenario::Problem;

namespace {

template <class T>
void store(const std::vector<double>& values, std::byte* target) {
  const std::vector<T> elements(values.begin(), values.end());
  std::copy_n(reinterpret_cast<const std::byte*>(elements.data()), elements.size() * sizeof(T), target);
}

void store(const std::vector<double>& values, Dtype dtype, std::byte* target) {
  catalogue::with_element(dtype, [&](auto zero) { store<decltype(zero)>(values, target); });
}

}  // namespace

Dataset make_dataset(const Problem& problem, const std::vector<double>& x, const std::vector<double>& targets,
                     const std::vector<std::uint32_t>& order) {
  Dataset dataset;
  dataset.dtype = catalogue::storage_of(problem.dtype);
  dataset.rows = problem.rows;
  dataset.features = problem.layers.front().inputs;
  dataset.outputs = problem.outputs();
  dataset.has_labels = takes_labels(problem.loss);
  dataset.has_order = !order.empty();
  dataset.epochs = static_cast<std::int64_t>(order.size()) / problem.rows;
  dataset.target_offset = aligned_size(x.size() * size_of(problem.dtype));
  dataset.order_offset = dataset.target_offset + aligned_size(targets.size() * 8);
  dataset.memory = SharedMemory::create("test", dataset.order_offset + order.size() * 4).value();

  std::byte* const base = dataset.memory.data();
  store(x, problem.dtype, base);
  if (dataset.has_labels) {
    store<std::int32_t>(targets, base + dataset.target_offset);
  } else {
    store(targets, problem.dtype, base + dataset.target_offset);
  }
  if (dataset.has_order) std::memcpy(base + dataset.order_offset, order.data(), order.size() * 4);
  return dataset;
}

Case make_case(const Problem& problem, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> x(static_cast<std::size_t>(problem.rows * problem.layers.front().inputs));
  for (double& value : x) value = random.uniform(-1.7, 1.7);

  const bool classes = takes_labels(problem.loss);
  std::vector<double> targets(static_cast<std::size_t>(problem.rows * (classes ? 1 : problem.outputs())));
  for (double& target : targets) {
    target = classes ? static_cast<double>(random.integer(0, problem.outputs() - 1))
             : row_of(problem.loss.kind).targets == catalogue::Targets::shares ? random.uniform(0, 1)
                                                                               : random.uniform(-2, 2);
  }

  std::vector<std::uint32_t> order;
  for (int epoch = 0; problem.batch_rows < problem.rows && epoch < 2; ++epoch) {
    std::vector<std::uint32_t> rows(static_cast<std::size_t>(problem.rows));
    std::iota(rows.begin(), rows.end(), 0U);
    for (std::size_t i = rows.size(); i > 1; --i) {
      std::swap(rows[i - 1], rows[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(i) - 1))]);
    }
    order.insert(order.end(), rows.begin(), rows.end());
  }

  Case result;
  result.problem = problem;
  result.dataset = make_dataset(problem, x, targets, order);
  for (const scenario::ParameterShape& shape : parameter_shapes(problem)) {
    const double bound = std::sqrt(1.0 / static_cast<double>(shape.inputs));
    std::vector<double>& parameter = result.start.parameters.emplace_back(static_cast<std::size_t>(shape.size()));
    const double middle = shape.part == catalogue::LayerPart::scale ? 1 : 0;
    for (double& value : parameter) {
      value = catalogue::rounded_to(problem.dtype, middle + random.uniform(-bound, bound));
    }
  }
  if (catalogue::scales_loss(problem.dtype)) result.start.loss_scaling = {problem.loss_scaling.initial, 0, 0};
  return result;
}

template <class Enum>
Enum any_of(Random& random) {
  const std::vector<Enum> values = catalogue::all_of<Enum>();
  return values[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(values.size()) - 1))];
}

Case random_case(std::uint64_t seed, Dtype dtype) {
  Random random(seed);
  Problem problem;
  problem.dtype = dtype;
  problem.loss = any_of<Loss>(random);
  problem.loss.huber_delta = random.uniform(0.2, 2);
  problem.rows = random.integer(1, 40);
  problem.batch_rows = random.integer(1, problem.rows);
  problem.optimizer.learning_rates = {std::exp(random.uniform(std::log(1e-3), std::log(0.3)))};
  const std::int64_t layers = random.integer(1, 3);
  std::int64_t inputs = random.integer(1, 30);
  for (std::int64_t index = 0; index < layers; ++index) {
    const bool last = index + 1 == layers;
    const std::int64_t least = last && takes_labels(problem.loss) ? 2 : 1;
    const std::int64_t outputs = random.integer(least, last ? 5 : 30);
    const Activation activation = last ? Activation::identity : any_of<Activation>(random);
    problem.layers.push_back({inputs, outputs, activation, random.integer(0, 3) > 0});
    // Of two outputs only the sign of their difference would be left.
    const bool drawn = (seed / 11 + static_cast<std::uint64_t>(index)) % 4 == 0;
    const bool normalizes = drawn && outputs > 2 && !catalogue::is_mixed(dtype);
    if (normalizes) problem.layers.back().normalization = scenario::Normalization::layer;
    inputs = outputs;
  }
  return make_case(problem, seed + 1);
}

Case random_optimizer_case(std::uint64_t seed, Dtype dtype) {
  Case result = random_case(seed, dtype);
  Random random(seed + 2);
  scenario::Optimizer& optimizer = result.problem.optimizer;
  // Muon has cases of its own (muon_test.cpp).
  optimizer.kind = static_cast<scenario::OptimizerKind>(random.integer(0, GDBENCH_MUON));
  if (optimizer.kind == scenario::OptimizerKind::muon) {
    optimizer.kind =
        catalogue::scales_loss(dtype) ? scenario::OptimizerKind::sgd : scenario::OptimizerKind::schedule_free_sgd;
  }
  // Rates at which entries move by parts of their size, for any size of the gradient; but radam's first
  // ones are no quotients, and the next ones are small.
  const auto& keys = catalogue::row_of(optimizer.kind).keys;
  const bool adaptive = std::any_of(keys.begin(), keys.end(), [](const catalogue::OptimizerKey& key) {
    return &key.constant == &catalogue::kEpsilon;
  });
  const double slowed = optimizer.kind == scenario::OptimizerKind::radam ? 20 : 1;
  const double largest = adaptive ? 0.02 : 0.05;
  optimizer.learning_rates = {slowed * std::exp(random.uniform(std::log(1e-3), std::log(largest)))};
  optimizer.momentum = random.uniform(0.5, 0.95);
  optimizer.epsilon = std::exp(random.uniform(std::log(1e-10), std::log(1e-3)));
  if (random.integer(0, 1) == 1) optimizer.weight_decay = random.uniform(0.001, 0.1);
  optimizer.decoupled_weight_decay = catalogue::row_of(optimizer.kind).always_decoupled || random.integer(0, 1) == 1;
  if (random.integer(0, 1) == 1) optimizer.epsilon_place = catalogue::row_of(optimizer.kind).other_place;
  return result;
}

std::string describe(const Problem& problem) {
  std::string text = std::string(name_of(problem.dtype)) + " " + name_of(problem.loss.kind) + " rows " +
                     std::to_string(problem.rows) + " batch " + std::to_string(problem.batch_rows) + " rate " +
                     std::to_string(problem.optimizer.learning_rates.front()) + " " + name_of(problem.optimizer.kind) +
                     " widths " + std::to_string(problem.layers.front().inputs);
  for (const scenario::Layer& layer : problem.layers) {
    text += "-" + std::to_string(layer.outputs) + " " + name_of(layer.activation) + (layer.bias ? " bias" : "") +
            (layer.normalization == scenario::Normalization::layer ? " layer norm" : "");
  }
  return text;
}

Problem make_problem(const std::vector<std::int64_t>& widths, Activation hidden, bool bias, Loss loss,
                     std::int64_t rows, std::int64_t batch_rows, Dtype dtype, double learning_rate) {
  Problem problem;
  problem.dtype = dtype;
  problem.loss = loss;
  problem.rows = rows;
  problem.batch_rows = batch_rows;
  problem.optimizer.learning_rates = {learning_rate};
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    const bool last = i + 2 == widths.size();
    problem.layers.push_back({widths[i], widths[i + 1], last ? Activation::identity : hidden, bias});
  }
  return problem;
}

}  // namespace gdbench::verify::testing
