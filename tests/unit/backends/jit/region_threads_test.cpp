// Wide layers in panels, and several threads that share a step.
#include <string>
#include <vector>

#include "implementations/common/failure.h"
#include "tests/support/implementations/jit_targets.h"
#include "tests/support/implementations/said_records.h"
#include "tests/unit/backends/jit/region_fixture.h"

namespace gdbench::strategies {
namespace {

class JitRegionThreadsTest : public JitRegionFixture {};

// Shapes for each of the ways in which a step is lowered, with batches of several blocks and of rows by their numbers.
std::vector<TrainingCase> cases_for_threads() {
  return {
      {.layers = {layer(10, 1)}, .rows = 300, .batch_rows = 300},
      {.layers = {layer(1, 1)},
       .rows = 1003,
       .batch_rows = 1003,
       .optimizer = {catalogue::OptimizerKind::adam, 0.01, false}},
      {.layers = {layer(33, 3)}, .rows = 129, .batch_rows = 129},
      {.layers = {layer(40, 1)}, .rows = 1003, .batch_rows = 1003},
      {.layers = {layer(10, 50, catalogue::Activation::relu), layer(50, 1)}, .rows = 1000, .batch_rows = 1000},
      {.layers = {layer(9, 33, catalogue::Activation::tanh), layer(33, 10)},
       .loss = catalogue::Loss::softmax_cross_entropy,
       .rows = 70,
       .batch_rows = 70,
       .optimizer = {catalogue::OptimizerKind::momentum, 0, false}},
      {.layers = {layer(9, 21, catalogue::Activation::relu), layer(21, 4)},
       .rows = 90,
       .batch_rows = 40,
       .shuffled = true},
  };
}

// Panels and blocks that are full, and what is left over of each; batches that are the same in all steps, numbered and
// loaded; more classes than registers; threads with a panel each and several.
std::vector<TrainingCase> cases_for_panels() {
  return {
      {.layers = {layer(32, 64, catalogue::Activation::relu), layer(64, 16)},
       .loss = catalogue::Loss::softmax_cross_entropy,
       .rows = 128,
       .batch_rows = 128},
      {.layers = {layer(37, 50, catalogue::Activation::gelu), layer(50, 29, catalogue::Activation::tanh), layer(29, 7)},
       .loss = catalogue::Loss::softmax_cross_entropy,
       .rows = 201,
       .batch_rows = 101,
       .shuffled = true,
       .optimizer = {catalogue::OptimizerKind::adam, 0.01, false}},
      {.layers = {layer(70, 133, catalogue::Activation::sigmoid, false), layer(133, 101)},
       .loss = catalogue::Loss::softmax_cross_entropy,
       .rows = 97,
       .batch_rows = 97,
       .optimizer = {catalogue::OptimizerKind::momentum, 0.01, false}},
      {.layers = {layer(17, 1, catalogue::Activation::silu), layer(1, 33), layer(33, 3)},
       .rows = 130,
       .batch_rows = 130},
      {.layers = {layer(40, 18, catalogue::Activation::leaky_relu), layer(18, 1)},
       .loss = catalogue::Loss::huber,
       .rows = 150,
       .batch_rows = 70,
       .shuffled = true},
  };
}

TEST_P(JitRegionThreadsTest, PanelsOfWideLayers) {
  for (const TrainingCase& values : cases_for_panels()) {
    for (const auto& [instructions, target] : backends::jit::targets_of_this_machine()) {
      SCOPED_TRACE(std::string(instructions) + ", inputs " + std::to_string(values.layers[0].inputs));
      check(values, 5, 2e-4, {{"lanes", "panels"}, {"instructions", instructions}});
    }
    check(values, 5, 2e-4, {{"lanes", "panels"}, {"loader", "gather"}});
    check(values, 5, 2e-4, {{"lanes", "panels"}}, graph::kRegionDescriptor, 3);
  }
}

// With a single column of weights the first thread of two has nothing to do in panels.
TEST_P(JitRegionThreadsTest, TakeAsLongAsTheThreadThatHasMost) {
  const auto predicted = [](const TrainingCase& values, const char* lanes, int threads) {
    TrainingProblem training(values);
    const gdbench_option_value option = {"lanes", lanes};
    training.mutable_settings().option_count = 1;
    training.mutable_settings().options = &option;
    training.mutable_settings().compute_threads = threads;
    const auto strategy = graph::kRegionDescriptor.create(
        {backends::backend_named("jit"), training.data(), training.problem(), training.settings()});
    strategy->set_state(training.state());
    const char* const name = backends::jit::name_of_prediction(*backends::jit::this_machine());
    return said_by(*strategy, 1).records.at({name, catalogue::Phase::compile}).calls;
  };
  const TrainingCase values = {
      .layers = {layer(32, 1)}, .dtype = GetParam(), .rows = 5000, .batch_rows = 5000, .learning_rates = {0.001}};
  EXPECT_GT(2 * predicted(values, "panels", 2), predicted(values, "panels", 1) / 2);
  EXPECT_GT(3 * predicted(values, "auto", 2), predicted(values, "auto", 1));
}

TEST_P(JitRegionThreadsTest, ThreadsShareTheRows) {
  for (const int threads : {2, 3}) {
    for (const TrainingCase& values : cases_for_threads()) {
      for (const char* block : {"0", "16"}) {
        SCOPED_TRACE(std::to_string(threads) + " threads, " + std::to_string(values.rows) + " rows, block_rows " +
                     block);
        check(values, 5, 2e-4, {{"block_rows", block}}, graph::kRegionDescriptor, threads);
      }
    }
  }
}

TEST_P(JitRegionThreadsTest, ThreadsAddUpInTheSameOrderEveryTime) {
  for (TrainingCase values : cases_for_threads()) {
    values.dtype = GetParam();
    values.learning_rates = {0.001};
    std::vector<std::vector<Dense>> results;
    for (int run = 0; run < 3; ++run) {
      TrainingProblem training(values);
      trained_by_jit(training, 20, {}, 2);
      results.push_back(training.state_values());
    }
    for (std::size_t run = 1; run < results.size(); ++run) {
      for (std::size_t i = 0; i < results[0].size(); ++i) EXPECT_EQ(results[run][i].values, results[0][i].values);
    }
  }
}

TEST_P(JitRegionThreadsTest, OneThreadDoesTheFewRowsThatEndAnEpoch) {
  for (const char* lanes : {"auto", "panels"}) {
    check({.layers = {layer(9, 40, catalogue::Activation::relu), layer(40, 4)},
           .loss = catalogue::Loss::softmax_cross_entropy,
           .rows = 81,
           .batch_rows = 40,
           .shuffled = true},
          7, 2e-4, {{"lanes", lanes}}, graph::kRegionDescriptor, 2);
  }
}

TEST_P(JitRegionThreadsTest, ThreadsThatNothingIsLeftForAreRefused) {
  const std::vector<std::pair<TrainingCase, const char*>> refused = {
      {{.layers = {layer(2, 1)}, .rows = 3, .batch_rows = 3}, "scalar_limit"},
      {{.layers = {layer(50, 30)}, .rows = 1, .batch_rows = 1}, "2 threads need as many rows"},
      {{.layers = {layer(50, 30)}, .rows = 90, .batch_rows = 90, .micro_batches = 3}, "batches in parts"},
  };
  for (const auto& [values, reason] : refused) {
    try {
      check(values, 2, 2e-4, {}, graph::kRegionDescriptor, 2);
      ADD_FAILURE() << "no " << reason;
    } catch (const implementations::Failure& failure) {
      EXPECT_EQ(failure.status(), GDBENCH_UNSUPPORTED);
      EXPECT_NE(std::string(failure.what()).find(reason), std::string::npos) << failure.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Dtypes, JitRegionThreadsTest, testing::Values(catalogue::Dtype::f32, catalogue::Dtype::f64),
                         [](const auto& given) { return given.param == catalogue::Dtype::f32 ? "f32" : "f64"; });

}  // namespace
}  // namespace gdbench::strategies
