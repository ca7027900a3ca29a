// Trainings for each way in which a step is lowered, and what may be chosen of it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "implementations/common/failure.h"
#include "tests/support/implementations/jit_targets.h"
#include "tests/support/implementations/said_records.h"
#include "tests/support/implementations/trained_by_jit.h"

namespace gdbench::strategies {

struct Form {
  const char* name;
  TrainingCase values;
};

inline bool is_for_threads(const Form& form) { return form.values.batch_rows > 3 && form.values.micro_batches == 1; }

// What fills no vector, several, more than a block; batches that are the same in all steps, numbered and of one row.
inline std::vector<Form> forms() {
  using enum catalogue::Activation;
  const catalogue::LossFunction classes = catalogue::Loss::softmax_cross_entropy;
  const OptimizerCase adam = {catalogue::OptimizerKind::adam, 0.01, false};
  const std::vector<gdbench_layer> hidden = {layer(10, 50, relu), layer(50, 1)};
  const std::vector<gdbench_layer> narrow = {layer(9, 33, tanh), layer(33, 10)};
  const std::vector<gdbench_layer> one_input = {layer(1, 20, relu), layer(20, 3)};
  std::vector<Form> forms = {
      {"scalars", {.layers = {layer(2, 1)}, .rows = 3, .batch_rows = 3}},
      {"scalars of layers", {.layers = {layer(2, 3, sigmoid), layer(3, 1)}, .rows = 4, .batch_rows = 4}},
      {"stream", {.layers = {layer(10, 1)}, .rows = 300, .batch_rows = 300}},
      {"stream of one column", {.layers = {layer(1, 1)}, .rows = 1003, .batch_rows = 1003, .optimizer = adam}},
      {"stream of few outputs", {.layers = {layer(10, 3, sigmoid)}, .rows = 75, .batch_rows = 75}},
      {"row stream", {.layers = {layer(40, 1)}, .rows = 1003, .batch_rows = 1003}},
      {"row stream, partial",
       {.layers = {layer(33, 1, sigmoid, false)}, .rows = 131, .batch_rows = 65, .optimizer = adam}},
      {"hidden", {.layers = hidden, .rows = 300, .batch_rows = 300}},
      {"classes", {.layers = narrow, .loss = classes, .rows = 190, .batch_rows = 190}},
      {"classes, numbered", {.layers = narrow, .loss = classes, .rows = 190, .batch_rows = 70, .shuffled = true}},
      {"more classes than registers", {.layers = {layer(6, 201)}, .loss = classes, .rows = 17, .batch_rows = 17}},
      {"one input", {.layers = one_input, .rows = 90, .batch_rows = 90}},
      {"one input, numbered", {.layers = one_input, .rows = 90, .batch_rows = 30, .shuffled = true}},
      {"one row", {.layers = hidden, .rows = 7, .batch_rows = 1, .shuffled = true, .learning_rates = {0.005}}},
      {"parts",
       {.layers = {layer(5, 17, relu, false), layer(17, 6)}, .rows = 33, .batch_rows = 33, .micro_batches = 3}},
      {"one unit",
       {.layers = {layer(17, 1, silu), layer(1, 33, leaky_relu), layer(33, 19, softplus), layer(19, 3)},
        .rows = 130,
        .batch_rows = 130}},
      {"deep",
       {.layers = {layer(37, 50, gelu), layer(50, 29, tanh, false), layer(29, 7)},
        .loss = classes,
        .rows = 201,
        .batch_rows = 101,
        .shuffled = true,
        .optimizer = adam}},
      // Weights' tiles of more terms than the first cache holds of them.
      {"many terms",
       {.layers = {layer(1100, 70, relu), layer(70, 5, tanh), layer(5, 3)},
        .rows = 90,
        .batch_rows = 45,
        .shuffled = true}},
      {"row stream of whole vectors", {.layers = {layer(32, 1)}, .rows = 131, .batch_rows = 131}},
  };
  for (Form& form : forms) form.values.scaled_weights = true;
  return forms;
}

inline const std::vector<JitOptions> kLanes = {
    {}, {{"lanes", "rows"}}, {{"lanes", "columns"}}, {{"lanes", "panels"}}, {{"loader", "gather"}}};

inline std::string text_of(const JitOptions& options) {
  std::string text;
  for (const gdbench_option_value& option : options) text += std::string(" ") + option.key + "=" + option.value;
  return text;
}

inline double distance(const Dense& a, const Dense& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) sum += std::pow(a.values[i] - b.values[i], 2);
  return std::sqrt(sum);
}

// Sums in another order put few numbers on the other side of a middle between two bfloat16; an operand that was not
// rounded, or a term that is missing, changes all of them by some 2^-9 or more. Where these changes have many signs,
// less of them is left in a parameter.
inline void expect_rounded_alike(const TrainingProblem& training, const std::vector<Dense>& actual,
                                 const std::vector<Dense>& expected) {
  for (std::size_t p = 0; p < training.initial().size(); ++p) {
    const double moved = distance(expected[p], training.initial()[p]);
    EXPECT_LT(distance(actual[p], expected[p]), 1.5e-3 * moved) << "parameter " << p;
  }
}

inline void expect_as_reference(const TrainingProblem& training, const std::vector<Dense>& actual, std::int64_t steps) {
  const std::vector<Dense> expected = training.trained(steps);
  EXPECT_LT(training.loss(expected, 0), 1e3) << "what diverges has no digits to compare";
  if (catalogue::is_mixed(training.dtype())) return expect_rounded_alike(training, actual, expected);
  expect_near(actual, expected, training.dtype() == catalogue::Dtype::f32 ? 2e-4 : 1e-10);
}

// By the type of numbers.
class JitFixture : public testing::TestWithParam<catalogue::Dtype> {
 protected:
  static TrainingCase with_dtype(TrainingCase values) {
    values.dtype = GetParam();
    return values;
  }

  // Compiling takes a tenth of a second or more: the dtypes of a suite share out its cases, of which each takes a
  // third.
  static bool takes(std::size_t turn) {
    const std::array dtypes = {catalogue::Dtype::f32, catalogue::Dtype::f64, catalogue::Dtype::bf16};
    return dtypes[turn % dtypes.size()] == GetParam();
  }

  // It ends where the reference does.
  static void check(const TrainingCase& values, std::int64_t steps, const JitOptions& options = {}, int threads = 1,
                    const StrategyDescriptor& descriptor = graph::kRegionDescriptor) {
    TrainingProblem training(with_dtype(values));
    if (catalogue::averages(values.optimizer.kind)) training.add_slots();  // its loss reads them
    const double loss = trained_by_jit(training, steps, options, threads, descriptor);
    expect_as_reference(training, training.state_values(), steps);
    const double expected = training.loss(training.state_values(), 0);
    EXPECT_NEAR(loss, expected, (GetParam() == catalogue::Dtype::f64 ? 1e-10 : 2e-4) * std::max(1.0, expected));
  }

  // Why it does not train, which is that something is unsupported; empty where it does.
  static std::string refusal(const TrainingCase& values, int threads,
                             const StrategyDescriptor& descriptor = graph::kRegionDescriptor,
                             const JitOptions& options = {}) {
    TrainingProblem training(with_dtype(values));
    try {
      trained_by_jit(training, 2, options, threads, descriptor);
    } catch (const implementations::Failure& failure) {
      EXPECT_EQ(failure.status(), GDBENCH_UNSUPPORTED);
      return failure.what();
    }
    return "";
  }

  // What a compiled training says of itself.
  static Records records_of(const TrainingCase& values, const JitOptions& options, int threads = 1) {
    TrainingProblem training(with_dtype(values));
    training.set_options(options);
    training.mutable_settings().compute_threads = threads;
    const auto strategy = graph::kRegionDescriptor.create(
        {backends::backend_named("jit"), training.data(), training.problem(), training.settings()});
    strategy->set_state(training.state());
    return said_by(*strategy, 1).records;
  }
};

inline std::string name_of_dtype(const testing::TestParamInfo<catalogue::Dtype>& tested) {
  return catalogue::name_of(tested.param);
}

}  // namespace gdbench::strategies
