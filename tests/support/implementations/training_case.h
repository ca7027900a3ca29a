// A small training problem behind the C structs, and where it ends by the harness's reference, in double.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "gdbench/plugin.h"
#include "harness/data/dataset.h"
#include "harness/scenario/problem.h"
#include "harness/verify/reference.h"
#include "tests/support/implementations/backend_fixture.h"

namespace gdbench {

using backends::Dense;

inline gdbench_layer layer(std::int64_t inputs, std::int64_t outputs,
                           catalogue::Activation activation = catalogue::Activation::identity, bool bias = true) {
  return {inputs, outputs, static_cast<std::int32_t>(activation), bias ? 1 : 0};
}

struct TrainingCase {
  std::vector<gdbench_layer> layers;
  catalogue::LossFunction loss = {};
  catalogue::Dtype dtype = catalogue::Dtype::f64;
  std::int64_t rows = 0;
  std::int64_t batch_rows = 0;
  bool shuffled = false;
  bool drops_last = false;
  std::vector<double> learning_rates = {0.05};
  // Gradients ends where train does, up to rounding. Of update, layers are tensors, and features their gradients.
  catalogue::Task task = catalogue::Task::train;
  OptimizerCase optimizer = {catalogue::OptimizerKind::sgd, 0, false};
  std::int64_t micro_batches = 1;  // any number ends where 1 does, up to rounding
  bool scaled_weights = false;     // at first divided by the root of their layer's inputs, as wide layers need
  bool normalized = false;         // layers of several outputs, each before its activation
  double density = 1;              // of the training rows' features; below 1 row 0 and column 0 have no entry at all
};

// Of the task train: depths, activations, biases, losses, numbers of outputs, kinds of batches, schedules and parts.
std::vector<TrainingCase> training_cases();

// The same with layers that are normalised.
std::vector<TrainingCase> normalized_cases();

// Of the task gradients: depths, activations, biases, numbers of outputs, kinds of batches and parts.
std::vector<TrainingCase> gradients_cases();

// check(values) for each of them, with its number in what fails.
template <class Check>
void for_each_case(const std::vector<TrainingCase>& cases, const Check& check) {
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE("case " + std::to_string(i) + " of the task " + catalogue::name_of(cases[i].task));
    check(cases[i]);
  }
}

// Every entry within `tolerance`, which is relative for what is larger than 1.
void expect_near(const std::vector<Dense>& actual, const std::vector<Dense>& expected, double tolerance);

// Owns all arrays; not movable, because the structs point into it.
class TrainingProblem {
 public:
  explicit TrainingProblem(const TrainingCase& values);
  TrainingProblem(const TrainingProblem&) = delete;
  TrainingProblem& operator=(const TrainingProblem&) = delete;

  const gdbench_data& data() const { return data_; }
  const gdbench_problem& problem() const { return problem_; }
  const gdbench_settings& settings() const { return settings_; }
  gdbench_data& mutable_data() { return data_; }
  gdbench_problem& mutable_problem() { return problem_; }
  gdbench_settings& mutable_settings() { return settings_; }
  gdbench_optimizer& mutable_optimizer() { return optimizer_; }
  void set_options(const std::vector<gdbench_option_value>& options);

  catalogue::Dtype dtype() const { return case_.dtype; }

  // Parameters as given to set_state, in double: w0 b0 w1 ..., and of the task forward the sum of losses.
  const std::vector<Dense>& initial() const { return initial_; }
  // The parameters after `steps` updates. An input of a slope that jumps, which rounding may put on either side, is on
  // the other one with flipped ties.
  std::vector<Dense> trained(std::int64_t steps, verify::Ties ties = verify::Ties::as_computed) const;
  // The loss over all training (split 0) or validation (1) rows; behind the parameters there may be the slots.
  double loss(const std::vector<Dense>& parameters, int split) const;

  // State tensors of the problem's dtype that start as `initial`; read back after get_state.
  gdbench_state& state() { return state_; }
  // Lets the state have slots, which start as zeros; state_values and trained then end with them.
  void add_slots();
  std::vector<Dense> state_values() const;

 private:
  scenario::State start() const;
  void describe_data(bool labelled);
  void describe_problem();
  void add_tensor(const Dense& values);

  TrainingCase case_;
  scenario::Problem reference_, validation_;
  data::Dataset training_, validation_rows_;
  std::vector<Dense> initial_;
  std::vector<Dense> slots_;  // as they start
  std::vector<std::vector<std::byte>> state_bytes_;
  std::vector<gdbench_tensor> tensors_;
  std::vector<gdbench_option_value> options_;
  gdbench_data data_{};
  gdbench_problem problem_{};
  gdbench_optimizer optimizer_{};
  std::vector<std::int32_t> normalizations_;
  gdbench_settings settings_{};
  gdbench_state state_{};
};

}  // namespace gdbench
