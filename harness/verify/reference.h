// The reference: forward, backward and update of a problem in any floating type, independent of every implementation;
// its products in blocks on all processors (products.h), the rest in plain loops. Formulas: see
// docs/arithmetic.md and the enums of gdbench/plugin.h.
//
// All functions exist for float, double and long double. They expect a state whose tensors have the problem's shapes
// and a dataset that belongs to the problem; neither is checked here (make_reference_trajectory does).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/data/dataset.h"
#include "harness/scenario/problem.h"
#include "harness/verify/rounding_error.h"

namespace gdbench::verify {

// Weights [rows, columns] that an optimizer moves as one matrix, and what its last update made of them; see muon.h.
struct MovedMatrix {
  std::int64_t rows = 0;  // 0 of a parameter that is moved entry by entry
  std::int64_t columns = 0;
  double norm = 0;      // the 2-norm of what was orthogonalised
  double rounding = 0;  // how far the result may be off, in 2-norm and epsilons
};

// Parameters (and slots) in the arithmetic's type T: float, double or long double; one row-major vector per parameter.
template <class T>
struct ReferenceState {
  std::int64_t step = 0;
  std::vector<std::vector<T>> parameters;
  std::vector<std::vector<T>> slots;
  // What the last update took the signs of, one vector per parameter; of lion alone.
  std::vector<std::vector<T>> directions = {};
  std::vector<MovedMatrix> matrices = {};  // one per parameter; of muon alone
  // The parameters before the last update rounded them; where it did.
  std::vector<std::vector<T>> unrounded = {};
  // Of a dtype that scales the loss, else as they are here; see gdbench_state.loss_scaling.
  T loss_scale = 1;
  std::int64_t updates_at_scale = 0;
  std::int64_t skipped = 0;
};

// That the reference makes at most where a training or a block is followed: about a nanosecond each, half a second. So
// what happens in a followed block of at most the scenario's steps was seen when the scenario's training was.
inline constexpr double kAffordableOperations = 5e8;

template <class T>
struct ReferenceGradients {
  T loss = 0;                              // of the batch, before the update
  std::vector<std::vector<T>> parameters;  // same shapes as the parameters
  // Per parameter, a bound on how much the gradient's 2-norm may differ because a ReLU's pre-activation lies so close
  // to zero that rounding in the problem's dtype decides on which side. 0 where no pre-activation is that close.
  std::vector<double> tie_allowance;
  std::vector<std::vector<double>> tie_bounds;  // the same of each entry; empty where all are 0
  // Per parameter, an estimate of how much the gradient's 2-norm may be off by rounding.
  std::vector<RoundingError> rounding;
  // Chunk's, over all chunks and of the gradients.
  double distance_to_overflow = 1;
};

// What a ReLU whose pre-activation is a tie takes as its derivative: what its sign says, or the opposite.
enum class Ties { as_computed, flipped };

template <class T>
ReferenceState<T> to_reference(const scenario::State& state);
template <class T>
scenario::State to_state(const ReferenceState<T>& state);
// As gdbench_state has it.
template <class T>
std::vector<double> loss_scaling_of(const ReferenceState<T>& state);

// Gradients of step state.step's batch, for any number of micro-batches: accumulation must give the same. For the
// task update the given ones, with a loss of 0; for forward zeros and, of the sum of losses, minus the loss.
// `parameter_errors`: what the state's own parameters may be off by, one each; empty for none.
template <class T>
ReferenceGradients<T> gradients(const scenario::Problem& problem, const data::Dataset& dataset,
                                const ReferenceState<T>& state, Ties ties = Ties::as_computed,
                                const std::vector<RoundingError>& parameter_errors = {});

// The same without the allowances for ties and rounding, in less time.
template <class T>
ReferenceGradients<T> plain_gradients(const scenario::Problem& problem, const data::Dataset& dataset,
                                      const ReferenceState<T>& state);

// The learning rate of step `step`, counted from 0.
double learning_rate(const scenario::Optimizer& optimizer, std::int64_t step);

// One update of the optimizer by gdbench_optimizer_kind's rules; adds 1 to state.step. Slots that the state does not
// have yet begin as zeros. Which parameters muon moves as matrices, the state says (take_step sees to it).
template <class T>
void update(const scenario::Optimizer& optimizer, const std::vector<std::vector<T>>& gradients,
            ReferenceState<T>& state);

// What a step does with its gradients: `update`, and to round the parameters where the problem says so; with a dtype
// that scales the loss, where a gradient is not finite, nothing but to count the step and to halve the scale. Returns
// whether it updated.
template <class T>
bool take_step(const scenario::Problem& problem, const std::vector<std::vector<T>>& gradients,
               ReferenceState<T>& state);

// `steps` steps; returns the loss of each step's batch before its update.
template <class T>
std::vector<T> train(const scenario::Problem& problem, const data::Dataset& dataset, ReferenceState<T>& state,
                     std::int64_t steps);

// Where `steps` steps from a state lead, computed in T.
template <class T>
scenario::State end_of_training(const scenario::Problem& problem, const data::Dataset& dataset,
                                const scenario::State& start, std::int64_t steps) {
  ReferenceState<T> state = to_reference<T>(start);
  train<T>(problem, dataset, state, steps);
  return to_state(state);
}

// The state with the parameters that a loss over a split is evaluated at: the same, unless the optimizer averages and
// the state has slots, which it has no longer then.
template <class T>
ReferenceState<T> at_average(const scenario::Problem& problem, ReferenceState<T> state);

// The loss over all rows of the training data; 0 for the task update.
template <class T>
T evaluate(const scenario::Problem& problem, const data::Dataset& dataset, const ReferenceState<T>& state);

// Of all products' forward passes over all rows, two per weight and row.
double evaluation_operations(const scenario::Problem& problem);

// The loss over the rows of step state.step's batch; 0 for the task update.
template <class T>
T batch_loss(const scenario::Problem& problem, const data::Dataset& dataset, const ReferenceState<T>& state);

// The loss over all rows with an estimate of its rounding error.
template <class T>
struct Evaluation {
  T loss = 0;
  RoundingError rounding;
};

template <class T>
Evaluation<T> evaluate_with_rounding(const scenario::Problem& problem, const data::Dataset& dataset,
                                     const ReferenceState<T>& state,
                                     const std::vector<RoundingError>& parameter_errors = {});

// Shares of numbers that are subnormal in the elements of a dtype, as real numbers rounded to it would be.
double subnormal_share(scenario::Dtype dtype, const std::vector<std::vector<double>>& tensors);
struct SubnormalShares {
  double activations = 0;  // of all layers, of the last rows of the batch
  double gradients = 0;    // of parameters, and of those rows what layers pass back
};
SubnormalShares subnormal_shares(const scenario::Problem& problem, const data::Dataset& dataset,
                                 const ReferenceState<double>& state);

}  // namespace gdbench::verify
