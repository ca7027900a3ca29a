#include "harness/analysis/least_work.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gdbench::analysis {

namespace {

struct LayerShape {
  double inputs = 0;
  double outputs = 0;
  bool bias = false;
  catalogue::Activation activation = catalogue::Activation::identity;
  catalogue::Normalization normalization = catalogue::Normalization::none;
};

// Empty where the report does not say them.
std::vector<LayerShape> layers_of(const report::ScenarioRecord& scenario) {
  const report::ResolvedScenario& resolved = scenario.resolved;
  auto inputs = static_cast<double>(scenario.features);
  if (resolved.model == catalogue::ModelKind::linear_regression) {
    return {{inputs, static_cast<double>(scenario.outputs), resolved.bias}};
  }
  std::vector<LayerShape> shapes;
  for (const report::LayerRecord& layer : resolved.layers) {
    shapes.push_back({inputs, static_cast<double>(layer.width), layer.bias, layer.activation, layer.normalization});
    inputs = shapes.back().outputs;
  }
  return shapes;
}

// State tensors per parameter. A report that names no optimizer counts none: the floor stays a floor.
int slots_of(const report::ScenarioRecord& scenario) {
  const std::optional<catalogue::OptimizerKind> optimizer = scenario.resolved.optimizer;
  return optimizer ? static_cast<int>(catalogue::slot_count(*optimizer)) : 0;
}

// A sum of `terms` products: one FMA, then a tree.
void add_sum(double terms, LeastWork& work) {
  ++work.chain_fmas;
  work.chain_additions += std::max(0, static_cast<int>(std::ceil(std::log2(std::max(1.0, terms)))) - 1);
}

void add_functions(const catalogue::LeastFunctions& functions, double entries, LeastWork& work) {
  work.operations += 2 * functions.multiply_adds * entries;
  work.exponentials += functions.exponentials * entries;
  work.divisions += functions.divisions * entries;
  work.roots += functions.roots * entries;
}

void add_transfer(double span_bytes, int read_only, int written, double bytes, LeastWork& work) {
  work.transfers.push_back({{static_cast<std::int64_t>(span_bytes), read_only, written}, bytes});
}

// Muon's of a matrix with sides s <= l. All that it multiplies are powers of one symmetric matrix, of which half is
// enough: the square of the matrix; in each of n steps that of S, and but for the first or the last one a factor of all
// steps so far and the next S, which are three products; in the end that factor times the matrix.
double products_of_orthogonalization(double rows, double columns) {
  const double shorter = std::min(rows, columns);
  const double longer = std::max(rows, columns);
  constexpr double kProductsOfSquares = GDBENCH_MUON_STEPS + 3 * (GDBENCH_MUON_STEPS - 1);
  return 3 * shorter * shorter * longer + kProductsOfSquares * shorter * shorter * shorter;
}

// The weights that the optimizer moves as matrices.
std::vector<LayerShape> matrices_of(const report::ScenarioRecord& scenario) {
  std::vector<LayerShape> matrices;
  if (!scenario.resolved.optimizer) return matrices;
  const std::vector<LayerShape> layers = layers_of(scenario);
  const std::int64_t count = std::ssize(layers);
  for (std::int64_t l = 0; l < count; ++l) {
    if (catalogue::moves_as_matrix(*scenario.resolved.optimizer, l, count, catalogue::LayerPart::weights)) {
      matrices.push_back(layers[static_cast<std::size_t>(l)]);
    }
  }
  return matrices;
}

// Of the parameters and what the optimizer keeps; of a matrix one slot has no use.
double state_bytes_of(const report::ScenarioRecord& scenario, catalogue::Dtype dtype) {
  double numbers = static_cast<double>(1 + slots_of(scenario)) * static_cast<double>(scenario.parameters);
  for (const LayerShape& matrix : matrices_of(scenario)) numbers -= matrix.inputs * matrix.outputs;
  return numbers * static_cast<double>(catalogue::size_of(dtype));
}

void add_update(const report::ScenarioRecord& scenario, LeastWork& work) {
  if (!scenario.resolved.optimizer) return;
  auto entries = static_cast<double>(scenario.parameters);
  for (const LayerShape& matrix : matrices_of(scenario)) {
    const double own = matrix.inputs * matrix.outputs;
    // The momentum, what is orthogonalised, its norm, the new weight.
    constexpr catalogue::LeastFunctions kOfMatrix = {4, 0, 0, 0};
    add_functions(kOfMatrix, own, work);
    work.products += products_of_orthogonalization(matrix.inputs, matrix.outputs);
    entries -= own;
  }
  add_functions(catalogue::row_of(*scenario.resolved.optimizer).least, entries, work);
}

// The task update: gradients, parameters and slots read once, parameters and slots written once; each entry's new value
// takes at least an FMA from the old one.
LeastWork work_of_update(const report::ScenarioRecord& scenario, catalogue::Dtype dtype) {
  LeastWork work;
  work.dtype = dtype;
  const double state_bytes = state_bytes_of(scenario, dtype);
  const double read_bytes =
      static_cast<double>(catalogue::size_of(dtype)) * static_cast<double>(scenario.parameters) + state_bytes;
  add_transfer(read_bytes, 1, 1 + slots_of(scenario), read_bytes + state_bytes, work);
  add_update(scenario, work);
  work.chain_fmas = 1;
  return work;
}

// Of what products multiply.
double operand_bytes(catalogue::Dtype dtype) {
  constexpr double kBytesOfBfloat16 = 2;
  return catalogue::is_mixed(dtype) ? kBytesOfBfloat16 : static_cast<double>(catalogue::size_of(dtype));
}

// The rows and targets of a batch.
void add_batch(const report::ScenarioRecord& scenario, catalogue::Loss loss, double block_steps, LeastWork& work) {
  constexpr double kLabelBytes = 4;
  const auto size = static_cast<double>(catalogue::size_of(work.dtype));
  const double target_bytes =
      catalogue::takes_labels(loss) ? kLabelBytes : size * static_cast<double>(scenario.outputs);
  const double row_bytes = operand_bytes(work.dtype) * static_cast<double>(scenario.features) + target_bytes;
  const double batch_bytes = static_cast<double>(scenario.batch_rows) * row_bytes;
  const double visited_bytes =
      std::min(static_cast<double>(scenario.rows) * row_bytes, batch_bytes * std::max(1.0, block_steps));
  const auto rounded_bytes = static_cast<double>(std::bit_floor(static_cast<std::uint64_t>(visited_bytes)));
  add_transfer(std::max(batch_bytes, rounded_bytes), 1, 0, batch_bytes, work);
}

// Follows add_batch.
void add_state(const report::ScenarioRecord& scenario, LeastWork& work) {
  const double state_bytes = state_bytes_of(scenario, work.dtype);
  // The slower of the two transfers counts: this one never does where rows are many times as long, and then its span
  // need not be measured.
  constexpr double kSlowestWrite = 0.25;  // of the bandwidth of reading
  if (2 * state_bytes > kSlowestWrite * work.transfers.back().bytes) {
    add_transfer(state_bytes, 0, 1 + slots_of(scenario), 2 * state_bytes, work);
  }
}

}  // namespace

std::optional<LeastWork> least_work(const report::ScenarioRecord& scenario, double block_steps) {
  const report::ResolvedScenario& resolved = scenario.resolved;
  // Features that are 0 may be skipped: then the formulas' work is not the least.
  if (resolved.density || !resolved.dtype || resolved.task == catalogue::Task::floor) return std::nullopt;
  if (resolved.task == catalogue::Task::update) return work_of_update(scenario, *resolved.dtype);
  const std::vector<LayerShape> layers = layers_of(scenario);
  if (!resolved.loss || layers.empty()) return std::nullopt;
  const bool by_output = resolved.task == catalogue::Task::gradients;
  LeastWork work;
  work.dtype = *resolved.dtype;
  const auto batch = static_cast<double>(scenario.batch_rows);
  if (resolved.task == catalogue::Task::forward) {
    for (const LayerShape& layer : layers) work.products += 2 * batch * layer.inputs * layer.outputs;
    add_batch(scenario, *resolved.loss, block_steps, work);
    return work;
  }
  const double columns = by_output ? layers.back().outputs : 1;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const LayerShape& layer = layers[l];
    const bool last = l + 1 == layers.size();
    // Forward; backward the gradient of W and, unless the layer's input is X, of that input.
    const double backward = (l == 0 ? 1 : 2) * (last ? 1 : columns);
    work.products += (1 + backward) * 2 * batch * layer.inputs * layer.outputs;
    add_functions(catalogue::row_of(layer.activation).least, batch * layer.outputs, work);
    add_functions(catalogue::row_of(layer.normalization).least, batch * layer.outputs, work);
    add_sum(layer.inputs + (layer.bias ? 1 : 0), work);
    // Of a row's squares, and of its gradients.
    for (int i = 0; layer.normalization != catalogue::Normalization::none && i < 2; ++i) add_sum(layer.outputs, work);
    if (l > 0) add_sum(last && by_output ? 1 : layer.outputs, work);
  }
  add_sum(batch * (layers.size() > 1 ? columns : 1) + 1, work);
  add_functions(catalogue::row_of(*resolved.loss).least, batch * layers.back().outputs, work);
  add_update(scenario, work);
  add_batch(scenario, *resolved.loss, block_steps, work);
  add_state(scenario, work);
  return work;
}

std::optional<LeastWork> least_work(const report::Report& report, const report::Cell& cell) {
  const report::ScenarioRecord* scenario = report.find_scenario(cell.scenario);
  if (scenario == nullptr) return std::nullopt;
  return least_work(*scenario, cell.block ? static_cast<double>(cell.block->steps + cell.block->warm_up_steps) : 1);
}

}  // namespace gdbench::analysis
