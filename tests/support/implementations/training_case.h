// A small training problem behind the C structs, and the same training as plain loops in double.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "gdbench/plugin.h"
#include "tests/support/implementations/backend_fixture.h"
#include "tests/support/implementations/plain_optimizer.h"

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
  std::vector<double> learning_rates = {0.05};
  catalogue::Task task = catalogue::Task::train;  // gradients ends where train does, but for rounding
  OptimizerCase optimizer = {catalogue::OptimizerKind::sgd, 0, false};
  std::int64_t micro_batches = 1;  // any number ends where 1 does, but for rounding
  bool scaled_weights = false;     // at first divided by the root of their layer's inputs, as wide layers need
  double density = 1;              // of the training rows' features; below 1 row 0 and column 0 have no entry at all
};

// Of the task train: depths, activations, biases, losses, numbers of outputs, kinds of batches and schedules.
std::vector<TrainingCase> training_cases();

// check(values) for each of them, with its number in what fails.
template <class Check>
void for_each_training_case(const Check& check) {
  const std::vector<TrainingCase> cases = training_cases();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE("training case " + std::to_string(i));
    check(cases[i]);
  }
}

// Of the task gradients: depths, activations, biases, numbers of outputs and kinds of batches.
std::vector<TrainingCase> gradients_cases();

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

  // Parameters as given to set_state, in double: w0 b0 w1 ...
  const std::vector<Dense>& initial() const { return initial_; }
  // The parameters after `steps` updates, by plain loops. Slopes that jump at 0 are those of inputs larger by `shift`:
  // what they make of an input that rounding may put on either side, two shifts tell.
  std::vector<Dense> trained(std::int64_t steps, double shift = 0) const;
  // The loss over all training (split 0) or validation (1) rows.
  double loss(const std::vector<Dense>& parameters, int split) const;

  // State tensors of the problem's dtype that start as `initial`; read back after get_state.
  gdbench_state& state() { return state_; }
  std::vector<Dense> state_values() const;

 private:
  struct Pass {
    std::vector<Dense> activations;  // of each layer, the input first
    std::vector<Dense> told;         // of each layer, what its slope is told from
    std::vector<Dense> gradients;    // like parameters
    double loss = 0;
  };
  Pass pass(const std::vector<Dense>& parameters, const Dense& x, const Dense& y,
            const std::vector<std::int32_t>& labels, double shift = 0) const;
  void write(std::vector<std::byte>& bytes, const Dense& values) const;

  TrainingCase case_;
  Dense x_, y_, validation_x_, validation_y_;
  std::vector<std::int32_t> labels_, validation_labels_;
  std::vector<std::uint32_t> order_;
  std::vector<Dense> initial_;
  std::vector<std::byte> x_bytes_, y_bytes_, validation_x_bytes_, validation_y_bytes_;
  std::vector<std::vector<std::byte>> state_bytes_;
  std::vector<gdbench_tensor> tensors_;
  gdbench_data data_{};
  gdbench_problem problem_{};
  gdbench_optimizer optimizer_{};
  gdbench_settings settings_{};
  gdbench_state state_{};
};

}  // namespace gdbench
