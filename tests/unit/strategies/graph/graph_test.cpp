// The graph strategy on every backend against the plain loops of training_case.h.
#include "implementations/strategies/graph/graph.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "implementations/common/failure.h"
#include "implementations/strategies/graph/passes/pipeline.h"
#include "tests/support/implementations/allocation_counter.h"
#include "tests/support/implementations/said_records.h"
#include "tests/support/implementations/training_case.h"

namespace gdbench::strategies {
namespace {

using backends::all_cases;
using backends::backend_named;
using backends::BackendCase;

class GraphTest : public testing::TestWithParam<BackendCase> {
 protected:
  // Options live as long as the test.
  std::unique_ptr<Strategy> start(TrainingProblem& training, const std::string& passes = "all",
                                  const std::string& dump = "") {
    passes_ = passes;
    dump_ = dump;
    options_ = {{"passes", passes_.c_str()}, {"dump", dump_.c_str()}};
    training.mutable_settings().option_count = static_cast<std::int64_t>(options_.size());
    training.mutable_settings().options = options_.data();
    auto strategy = graph::kDescriptor.create(
        {backend_named(GetParam().backend), training.data(), training.problem(), training.settings()});
    strategy->set_state(training.state());
    return strategy;
  }

  double tolerance() const { return GetParam().dtype == catalogue::Dtype::f32 ? 2e-4 : 1e-11; }

  void expect_trained(TrainingProblem& training, Strategy& strategy, std::int64_t steps) const {
    strategy.get_state(training.state());
    EXPECT_EQ(training.state().step, steps);
    const std::vector<Dense> actual = training.state_values();
    const std::vector<Dense> expected = training.trained(steps);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      for (std::size_t entry = 0; entry < expected[i].values.size(); ++entry) {
        ASSERT_NEAR(actual[i].values[entry], expected[i].values[entry], tolerance())
            << "parameter " << i << " entry " << entry;
      }
    }
  }

  // `steps` updates in two calls, then the losses of both splits.
  void check(TrainingCase values, std::int64_t steps, const std::string& passes = "all") {
    SCOPED_TRACE(passes);
    values.dtype = GetParam().dtype;
    TrainingProblem training(values);
    const auto strategy = start(training, passes);
    strategy->run(1);
    strategy->run(static_cast<std::uint64_t>(steps - 1));
    strategy->sync();
    expect_trained(training, *strategy, steps);
    for (const int split : {0, 1}) {
      EXPECT_NEAR(strategy->evaluate(split), training.loss(training.trained(steps), split), tolerance());
    }
    strategy->run(2);  // evaluating changed nothing
    expect_trained(training, *strategy, steps + 2);
  }

 private:
  std::string passes_;
  std::string dump_;
  std::vector<gdbench_option_value> options_;
};

TEST_P(GraphTest, TrainsLikePlainLoopsWithPassesAndWithout) {
  for_each_training_case([&](const TrainingCase& values) {
    check(values, 8);
    check(values, 8, "none");
  });
}

TEST_P(GraphTest, PerceptronsWithEachPassOffAndEachAlone) {
  const TrainingCase values = {
      .layers = {layer(4, 6, catalogue::Activation::relu), layer(6, 5, catalogue::Activation::sigmoid, false),
                 layer(5, 3, catalogue::Activation::tanh), layer(3, 2, catalogue::Activation::sigmoid)},
      .loss = catalogue::Loss::half_mse,
      .rows = 13,
      .batch_rows = 13};
  std::vector<std::string> names = {graph::kBufferReuse};
  for (const graph::Pass& pass : graph::all_passes()) names.push_back(pass.name);
  for (const std::string& name : names) {
    check(values, 3, "-" + name);
    check(values, 3, "none,+" + name);
  }
}

TEST_P(GraphTest, AGradientPerOutput) {
  for (const TrainingCase& values : gradients_cases()) {
    for (const char* passes : {"all", "none", "-fusion", "-merge-updates", "-buffer-reuse", "none,+fusion"}) {
      check(values, 8, passes);
    }
  }
}

TEST_P(GraphTest, SetStateRewinds) {
  TrainingProblem training({.layers = {layer(3, 2)}, .dtype = GetParam().dtype, .rows = 7, .batch_rows = 3});
  const auto strategy = start(training);
  strategy->run(5);
  TrainingProblem fresh({.layers = {layer(3, 2)}, .dtype = GetParam().dtype, .rows = 7, .batch_rows = 3});
  strategy->set_state(fresh.state());
  strategy->run(4);
  expect_trained(training, *strategy, 4);
}

TEST_P(GraphTest, EvaluatesMoreRowsThanAPieceHolds) {
  TrainingProblem training({.layers = {layer(2, 1)}, .dtype = GetParam().dtype, .rows = 9001, .batch_rows = 10});
  EXPECT_NEAR(start(training)->evaluate(0), training.loss(training.initial(), 0), tolerance());
}

TEST_P(GraphTest, ASteadyStepAllocatesNothing) {
  if (const std::string why = backends::why_allocations_are_not_counted(GetParam().backend); !why.empty())
    GTEST_SKIP() << why;
  const TrainingCase cases[] = {
      {.layers = {layer(2, 1)}, .dtype = GetParam().dtype, .rows = 3, .batch_rows = 3},
      {.layers = {layer(10, 50, catalogue::Activation::relu), layer(50, 1)},
       .dtype = GetParam().dtype,
       .rows = 1000,
       .batch_rows = 1000},
      {.layers = {layer(784, 128, catalogue::Activation::relu), layer(128, 10)},
       .loss = catalogue::Loss::softmax_cross_entropy,
       .dtype = GetParam().dtype,
       .rows = 80,
       .batch_rows = 32,
       .shuffled = true,
       .learning_rates = {0.01, 0.02, 0.03}},
  };
  for (const TrainingCase& values : cases) {
    for (const char* passes : {"all", "none"}) {
      TrainingProblem training(values);
      const auto strategy = start(training, passes);
      const std::uint64_t before = allocation_count();
      strategy->run(7);
      strategy->sync();
      EXPECT_EQ(allocation_count() - before, 0u);
    }
  }
  const std::uint64_t before = allocation_count();
  TrainingProblem training(cases[0]);
  start(training);
  EXPECT_GT(allocation_count(), before);  // the counter works
}

TEST_P(GraphTest, ProfilesWhatItRunsAndHowItWasCompiled) {
  TrainingProblem training({.layers = {layer(3, 5, catalogue::Activation::tanh), layer(5, 2)},
                            .dtype = GetParam().dtype,
                            .rows = 10,
                            .batch_rows = 10});
  const auto strategy = start(training, "none,+dead-code,+merge-updates");
  const Records records = said_by(*strategy, 4).records;
  expect_trained(training, *strategy, 4);
  EXPECT_EQ(records.at({"product", catalogue::Phase::forward}).calls, 8u);
  EXPECT_EQ(records.at({"product", catalogue::Phase::forward}).flops, 4 * 2 * (10 * 3 * 5 + 10 * 5 * 2));
  EXPECT_EQ(records.at({"product", catalogue::Phase::backward}).calls, 12u);
  EXPECT_EQ(records.at({"update", catalogue::Phase::update}).calls, 4u);
  EXPECT_EQ(records.count({"loss", catalogue::Phase::forward}), 0u);
  EXPECT_GT(records.at({"build", catalogue::Phase::compile}).time_ns, 0);
  EXPECT_GT(records.at({"bind", catalogue::Phase::compile}).time_ns, 0);
  EXPECT_EQ(records.at({"pass dead-code", catalogue::Phase::compile}).calls, 2u);
  EXPECT_EQ(records.at({"pass merge-updates", catalogue::Phase::compile}).calls, 4u);
  EXPECT_EQ(records.at({"pass fusion", catalogue::Phase::compile}).calls, 0u);
}

TEST_P(GraphTest, DumpsTheGraphBeforeAndAfterEachPass) {
  const auto folder = std::filesystem::temp_directory_path() /
                      ("gdbench-dump-" + std::to_string(::getpid()) + GetParam().backend + name_of(GetParam().dtype));
  TrainingProblem training({.layers = {layer(3, 2)}, .dtype = GetParam().dtype, .rows = 7, .batch_rows = 3});
  start(training, "all", folder.string());
  for (const char* file : {"step-3-rows-00-built.txt", "step-3-rows-00-built.dot", "step-3-rows-01-algebra.txt",
                           "step-1-rows-00-built.txt", "step-1-rows-plan.txt"}) {
    std::ifstream stream(folder / file);
    EXPECT_TRUE(stream.good() && stream.peek() != EOF) << file;
  }
  std::filesystem::remove_all(folder);
}

TEST_P(GraphTest, RefusesUnknownPassesAndStatesOfOtherShapes) {
  TrainingProblem training({.layers = {layer(3, 2)}, .dtype = GetParam().dtype, .rows = 7, .batch_rows = 7});
  EXPECT_THROW(start(training, "-nothing"), implementations::Failure);
  TrainingProblem other({.layers = {layer(3, 4)}, .dtype = GetParam().dtype, .rows = 7, .batch_rows = 7});
  EXPECT_THROW(start(training)->set_state(other.state()), implementations::Failure);
}

INSTANTIATE_TEST_SUITE_P(Backends, GraphTest, testing::ValuesIn(all_cases()), backends::case_name);

}  // namespace
}  // namespace gdbench::strategies
