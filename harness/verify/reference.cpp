#include "harness/verify/reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <optional>

#include "harness/verify/muon.h"
#include "harness/verify/network.h"
#include "harness/verify/norms.h"
#include "harness/verify/parameter_rounding.h"
#include "harness/verify/rounding.h"

namespace gdbench::verify {

namespace {

using data::Dataset;
using scenario::Problem;

// Rows that go through the network together: enough for products of blocks, and memory stays small for any batch.
constexpr std::int64_t kChunkRows = 256;

template <class T>
void set_zeros_like(const std::vector<std::vector<T>>& tensors, std::vector<std::vector<T>>& zeros) {
  zeros.resize(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) zeros[i].assign(tensors[i].size(), T(0));
}

// Calls visit(chunk) for one chunk after the other of `count` rows, loaded and ready for the first layer.
// rows_of(first, n, indices) sets the indices of rows first ... first + n - 1. `chunk` may be that of another step.
template <class T, class RowsOf, class Visit>
void for_each_chunk(const Dataset& dataset, std::int64_t count, std::size_t layer_count, const RowsOf& rows_of,
                    Chunk<T>& chunk, const Visit& visit) {
  chunk.distance_to_overflow = 1;
  chunk.activations.resize(layer_count + 1);
  chunk.pre_activations.resize(layer_count);
  chunk.normalized.resize(layer_count);
  chunk.upstream.resize(layer_count);
  chunk.deltas.resize(layer_count);
  chunk.wide_activations.resize(layer_count);
  chunk.wide_deltas.resize(layer_count);
  std::array<std::int64_t, kChunkRows> rows;
  for (std::int64_t first = 0; first < count; first += kChunkRows) {
    const std::int64_t chunk_rows = std::min(kChunkRows, count - first);
    rows_of(first, chunk_rows, rows.data());
    load_rows(dataset, rows.data(), chunk_rows, chunk);
    visit();
  }
}

// The rows of a step's batch, for for_each_chunk.
auto rows_of_batch(const Problem& problem, const Dataset& dataset, std::int64_t step) {
  return [&problem, &dataset, step](std::int64_t first, std::int64_t count, std::int64_t* indices) {
    dataset.rows_of(problem, step, first, count, indices);
  };
}

// X holds them one parameter after the other.
template <class T>
ReferenceGradients<T> given_gradients(const Dataset& dataset, const ReferenceState<T>& state) {
  ReferenceGradients<T> result;
  catalogue::with_element(dataset.dtype, [&](auto zero) {
    const auto* next = dataset.x<decltype(zero)>();
    for (const std::vector<T>& parameter : state.parameters) {
      result.parameters.emplace_back(next, next + parameter.size());
      next += parameter.size();
    }
  });
  result.tie_allowance.assign(state.parameters.size(), 0.0);
  result.tie_bounds.resize(state.parameters.size());
  result.rounding.resize(state.parameters.size());
  return result;
}

// `analysed`: with an estimate of its rounding error. `chunk` may be another's.
template <class T, class RowsOf>
Evaluation<T> loss_over(const Problem& problem, const Dataset& dataset, const ReferenceState<T>& state,
                        std::int64_t count, const RowsOf& rows_of, Chunk<T>& chunk, bool analysed,
                        std::vector<RoundingError> parameter_errors = {}) {
  Evaluation<T> result;
  if (problem.task == scenario::Task::update) return result;
  const std::vector<LayerView<T>> layers = layers_of(problem, state);
  parameter_errors.resize(state.parameters.size());
  std::optional<RoundingModel<T>> rounding;
  if (analysed) rounding.emplace(problem, layers, parameter_errors);
  for_each_chunk(dataset, count, layers.size(), rows_of, chunk, [&] {
    for (std::size_t index = 0; index < layers.size(); ++index) {
      forward_product(layers[index], index, chunk);
      if (analysed) rounding->add_forward(index, chunk);
      activate(layers[index], index, chunk);
    }
    result.loss += loss_of<T>(problem.loss, chunk, problem.outputs(), count, nullptr);
  });
  if (analysed) result.rounding = rounding->loss_error(static_cast<double>(result.loss));
  return result;
}

// Of the task forward: minus the loss stands for the gradient of the sum of losses, others are 0.
template <class T>
void forward_gradients(const Problem& problem, const Dataset& dataset, const ReferenceState<T>& state, bool analysed,
                       Chunk<T>& chunk, ReferenceGradients<T>& result, std::vector<RoundingError> parameter_errors) {
  const auto batch =
      loss_over<T>(problem, dataset, state, dataset.batch_size(problem, state.step),
                   rows_of_batch(problem, dataset, state.step), chunk, analysed, std::move(parameter_errors));
  result.loss = batch.loss;
  set_zeros_like(state.parameters, result.parameters);
  result.parameters.back() = {-batch.loss};
  result.distance_to_overflow = chunk.distance_to_overflow;
  if (!analysed) return;
  result.tie_allowance.assign(state.parameters.size(), 0.0);
  result.tie_bounds.assign(state.parameters.size(), {});
  result.rounding.assign(state.parameters.size(), {});
  result.rounding.back() = batch.rounding;
}

// Sets `result`, unless `analysed` without the allowances for ties and rounding. It and `chunk` may be another step's.
template <class T>
void batch_gradients(const Problem& problem, const Dataset& dataset, const ReferenceState<T>& state, Ties ties,
                     bool analysed, Chunk<T>& chunk, ReferenceGradients<T>& result,
                     std::vector<RoundingError> parameter_errors = {}) {
  if (problem.task == scenario::Task::update) {
    result = given_gradients(dataset, state);
    return;
  }
  if (problem.task == scenario::Task::forward) {
    return forward_gradients(problem, dataset, state, analysed, chunk, result, std::move(parameter_errors));
  }
  const std::vector<LayerView<T>> layers = layers_of(problem, state);
  const std::int64_t count = dataset.batch_size(problem, state.step);
  std::optional<TieFinder<T>> tie_finder;
  std::optional<RoundingModel<T>> rounding;
  if (analysed) {
    parameter_errors.resize(state.parameters.size());
    tie_finder.emplace(problem, layers, parameter_errors);
    rounding.emplace(problem, layers, parameter_errors);
    result.tie_allowance.assign(state.parameters.size(), 0.0);
    result.tie_bounds.assign(state.parameters.size(), {});
  }
  result.loss = 0;
  set_zeros_like(state.parameters, result.parameters);
  for_each_chunk(dataset, count, layers.size(), rows_of_batch(problem, dataset, state.step), chunk, [&] {
    for (std::size_t index = 0; index < layers.size(); ++index) {
      forward_product(layers[index], index, chunk);
      if (analysed) rounding->add_forward(index, chunk);
      if (analysed) tie_finder->find(index, chunk);
      activate(layers[index], index, chunk);
    }
    result.loss += loss_of(problem.loss, chunk, problem.outputs(), count, &chunk.upstream.back());
    backward(layers, ties, chunk, result.parameters);
    if (analysed) rounding->add_backward(chunk);
    if (analysed) tie_finder->add_bounds(chunk, result.tie_bounds);
  });
  for (const LayerView<T>& layer : layers) {
    narrow_gradient_result(layer, result.parameters[layer.weights_index], chunk);
    if (layer.bias != nullptr) narrow_gradient_result(layer, result.parameters[layer.bias_index], chunk);
  }
  result.distance_to_overflow = chunk.distance_to_overflow;
  for (std::size_t p = 0; p < result.tie_bounds.size(); ++p) {
    const std::vector<double>& bounds = result.tie_bounds[p];
    result.tie_allowance[p] = std::sqrt(sum_of_squares(bounds.data(), static_cast<std::int64_t>(bounds.size())));
  }
  if (analysed) result.rounding = rounding->gradient_errors(result.parameters);
}

}  // namespace

template <class T>
ReferenceState<T> to_reference(const scenario::State& state) {
  ReferenceState<T> result;
  result.step = state.step;
  for (const std::vector<double>& tensor : state.parameters)
    result.parameters.emplace_back(tensor.begin(), tensor.end());
  for (const std::vector<double>& tensor : state.slots) result.slots.emplace_back(tensor.begin(), tensor.end());
  if (state.loss_scaling.empty()) return result;
  result.loss_scale = static_cast<T>(state.loss_scaling[0]);
  result.updates_at_scale = static_cast<std::int64_t>(state.loss_scaling[1]);
  result.skipped = static_cast<std::int64_t>(state.loss_scaling[2]);
  return result;
}

template <class T>
scenario::State to_state(const ReferenceState<T>& state) {
  scenario::State result;
  result.step = state.step;
  for (const std::vector<T>& tensor : state.parameters) result.parameters.emplace_back(tensor.begin(), tensor.end());
  for (const std::vector<T>& tensor : state.slots) result.slots.emplace_back(tensor.begin(), tensor.end());
  result.loss_scaling = loss_scaling_of(state);
  return result;
}

template <class T>
std::vector<double> loss_scaling_of(const ReferenceState<T>& state) {
  return {static_cast<double>(state.loss_scale), static_cast<double>(state.updates_at_scale),
          static_cast<double>(state.skipped)};
}

template <class T>
ReferenceGradients<T> gradients(const Problem& problem, const Dataset& dataset, const ReferenceState<T>& state,
                                Ties ties, const std::vector<RoundingError>& parameter_errors) {
  Chunk<T> chunk;
  ReferenceGradients<T> result;
  batch_gradients(problem, dataset, state, ties, true, chunk, result, parameter_errors);
  return result;
}

template <class T>
ReferenceGradients<T> plain_gradients(const Problem& problem, const Dataset& dataset, const ReferenceState<T>& state) {
  Chunk<T> chunk;
  ReferenceGradients<T> result;
  batch_gradients(problem, dataset, state, Ties::as_computed, false, chunk, result);
  return result;
}

double learning_rate(const scenario::Optimizer& optimizer, std::int64_t step) {
  const std::int64_t last = static_cast<std::int64_t>(optimizer.learning_rates.size()) - 1;
  return optimizer.learning_rates[static_cast<std::size_t>(std::min(step, last))];
}

// The rule of torch.amp.GradScaler with its factors 2 and 1/2 (PyTorch 2); "Mixed Precision Training" (Micikevicius et
// al., ICLR 2018), section 3.2, describes it.
template <class T>
bool take_step(const Problem& problem, const std::vector<std::vector<T>>& gradients, ReferenceState<T>& state) {
  const bool scales = catalogue::scales_loss(problem.dtype);
  if (scales && !all_finite(gradients)) {
    ++state.step;
    ++state.skipped;
    state.updates_at_scale = 0;
    state.loss_scale /= 2;
    return false;
  }
  if (state.matrices.empty()) state.matrices = moved_matrices(problem);
  update(problem.optimizer, gradients, state);
  round_parameters(problem, state);
  if (scales && ++state.updates_at_scale == problem.loss_scaling.growth_interval) {
    state.updates_at_scale = 0;
    state.loss_scale *= 2;
  }
  return true;
}

template <class T>
std::vector<T> train(const Problem& problem, const Dataset& dataset, ReferenceState<T>& state, std::int64_t steps) {
  std::vector<T> losses;
  Chunk<T> chunk;
  ReferenceGradients<T> batch;
  for (std::int64_t step = 0; step < steps; ++step) {
    batch_gradients(problem, dataset, state, Ties::as_computed, false, chunk, batch);
    losses.push_back(batch.loss);
    take_step(problem, batch.parameters, state);
  }
  return losses;
}

double evaluation_operations(const Problem& problem) {
  double weights = 0;
  for (const scenario::Layer& layer : problem.layers) weights += static_cast<double>(layer.inputs * layer.outputs);
  return 2 * weights * static_cast<double>(problem.rows);
}

template <class T>
ReferenceState<T> at_average(const Problem& problem, ReferenceState<T> state) {
  if (!catalogue::averages(problem.optimizer.kind) || state.slots.empty()) return state;
  const T share = static_cast<T>(1 - 1 / problem.optimizer.momentum);
  for (std::size_t p = 0; p < state.parameters.size(); ++p) {
    for (std::size_t i = 0; i < state.parameters[p].size(); ++i) state.parameters[p][i] += share * state.slots[p][i];
  }
  state.slots.clear();
  return state;
}

template <class T>
Evaluation<T> evaluate_with_rounding(const Problem& problem, const Dataset& dataset, const ReferenceState<T>& state,
                                     const std::vector<RoundingError>& parameter_errors) {
  const auto every_row = [](std::int64_t first, std::int64_t count, std::int64_t* indices) {
    std::iota(indices, indices + count, first);
  };
  if (catalogue::averages(problem.optimizer.kind) && !state.slots.empty()) {
    return evaluate_with_rounding(problem, dataset, at_average(problem, state), parameter_errors);
  }
  Chunk<T> chunk;
  return loss_over<T>(problem, dataset, state, dataset.rows, every_row, chunk, true, parameter_errors);
}

template <class T>
T batch_loss(const Problem& problem, const Dataset& dataset, const ReferenceState<T>& state) {
  const std::int64_t count = dataset.batch_size(problem, state.step);
  Chunk<T> chunk;
  return loss_over<T>(problem, dataset, state, count, rows_of_batch(problem, dataset, state.step), chunk, false).loss;
}

template <class T>
T evaluate(const Problem& problem, const Dataset& dataset, const ReferenceState<T>& state) {
  return evaluate_with_rounding(problem, dataset, state).loss;
}

double subnormal_share(scenario::Dtype dtype, const std::vector<std::vector<double>>& tensors) {
  std::size_t all = 0;
  std::ptrdiff_t subnormal = 0;
  catalogue::with_element(dtype, [&](auto zero) {
    using Element = decltype(zero);
    for (const std::vector<double>& tensor : tensors) {
      all += tensor.size();
      subnormal += std::ranges::count_if(
          tensor, [](double value) { return std::fpclassify(static_cast<Element>(value)) == FP_SUBNORMAL; });
    }
  });
  return all == 0 ? 0 : static_cast<double>(subnormal) / static_cast<double>(all);
}

SubnormalShares subnormal_shares(const Problem& problem, const Dataset& dataset, const ReferenceState<double>& state) {
  Chunk<double> chunk;
  ReferenceGradients<double> result;
  batch_gradients(problem, dataset, state, Ties::as_computed, false, chunk, result);
  if (!chunk.activations.empty()) chunk.activations.erase(chunk.activations.begin());  // X
  std::vector<std::vector<double>>& gradients = result.parameters;
  std::ranges::move(chunk.deltas, std::back_inserter(gradients));
  return {subnormal_share(problem.dtype, chunk.activations), subnormal_share(problem.dtype, gradients)};
}

#define GDBENCH_INSTANTIATE(T)                                                                              \
  template ReferenceState<T> to_reference(const scenario::State&);                                          \
  template scenario::State to_state(const ReferenceState<T>&);                                              \
  template std::vector<double> loss_scaling_of(const ReferenceState<T>&);                                   \
  template ReferenceGradients<T> gradients(const Problem&, const Dataset&, const ReferenceState<T>&, Ties,  \
                                           const std::vector<RoundingError>&);                              \
  template ReferenceGradients<T> plain_gradients(const Problem&, const Dataset&, const ReferenceState<T>&); \
  template bool take_step(const Problem&, const std::vector<std::vector<T>>&, ReferenceState<T>&);          \
  template std::vector<T> train(const Problem&, const Dataset&, ReferenceState<T>&, std::int64_t);          \
  template Evaluation<T> evaluate_with_rounding(const Problem&, const Dataset&, const ReferenceState<T>&,   \
                                                const std::vector<RoundingError>&);                         \
  template ReferenceState<T> at_average(const Problem&, ReferenceState<T>);                                 \
  template T evaluate(const Problem&, const Dataset&, const ReferenceState<T>&);                            \
  template T batch_loss(const Problem&, const Dataset&, const ReferenceState<T>&);

GDBENCH_INSTANTIATE(float)
GDBENCH_INSTANTIATE(double)
GDBENCH_INSTANTIATE(long double)
#undef GDBENCH_INSTANTIATE

}  // namespace gdbench::verify
