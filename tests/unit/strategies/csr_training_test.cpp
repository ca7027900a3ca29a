// Strategies that take their features in compressed sparse rows, against the plain loops of training_case.h.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "implementations/common/failure.h"
#include "implementations/strategies/graph/graph.h"
#include "implementations/strategies/hand/hand.h"
#include "tests/support/implementations/allocation_counter.h"
#include "tests/support/implementations/said_records.h"
#include "tests/support/implementations/training_case.h"

namespace gdbench::strategies {
namespace {

using backends::all_cases;
using backends::backend_named;
using backends::BackendCase;

const gdbench_option_value kCsr = {"features", "csr"};

std::unique_ptr<Strategy> start(const StrategyDescriptor& descriptor, const std::string& backend,
                                TrainingProblem& training) {
  training.mutable_settings().options = &kCsr;
  training.mutable_settings().option_count = 1;
  auto strategy = descriptor.create({backend_named(backend), training.data(), training.problem(), training.settings()});
  strategy->set_state(training.state());
  return strategy;
}

struct Case {
  const StrategyDescriptor* strategy;
  BackendCase backend;
};
void PrintTo(const Case& tested, std::ostream* out) {
  *out << tested.strategy->name << " ";
  PrintTo(tested.backend, out);
}

class CsrTraining : public testing::TestWithParam<Case> {
 protected:
  const StrategyDescriptor& descriptor() const { return *GetParam().strategy; }
  const BackendCase& backend() const { return GetParam().backend; }
  double tolerance() const { return backend().dtype == catalogue::Dtype::f32 ? 2e-4 : 1e-11; }

  void check(TrainingCase values, std::uint64_t steps) const {
    values.dtype = backend().dtype;
    for (const double density : {0.4, 0.05}) {
      SCOPED_TRACE(density);
      values.density = density;
      TrainingProblem training(values);
      const auto strategy = start(descriptor(), backend().backend, training);
      strategy->run(1);
      strategy->run(steps - 1);
      strategy->sync();
      strategy->get_state(training.state());
      const std::vector<Dense> actual = training.state_values();
      const std::vector<Dense> expected = training.trained(static_cast<std::int64_t>(steps));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        for (std::size_t entry = 0; entry < expected[i].values.size(); ++entry) {
          ASSERT_NEAR(actual[i].values[entry], expected[i].values[entry], tolerance())
              << "parameter " << i << " entry " << entry;
        }
      }
      for (const int split : {0, 1}) {
        EXPECT_NEAR(strategy->evaluate(split), training.loss(expected, split), tolerance());
      }
    }
  }
};

constexpr gdbench_layer kHidden = {30, 8, GDBENCH_TANH, 1};
constexpr gdbench_layer kOutput = {8, 2, GDBENCH_IDENTITY, 1};

TEST_P(CsrTraining, FullBatches) {
  check({.layers = {kHidden, kOutput}, .rows = 40, .batch_rows = 40}, 6);
  check({.layers = {{12, 1, GDBENCH_IDENTITY, 0}}, .loss = catalogue::Loss::half_mse, .rows = 90, .batch_rows = 90}, 6);
}

TEST_P(CsrTraining, SlicesWithASmallerLastOne) {
  check({.layers = {kHidden, kOutput}, .rows = 40, .batch_rows = 12}, 9);
}

TEST_P(CsrTraining, ShuffledBatches) {
  check({.layers = {{30, 8, GDBENCH_RELU, 1}, {8, 3, GDBENCH_IDENTITY, 1}},
         .loss = catalogue::Loss::softmax_cross_entropy,
         .rows = 40,
         .batch_rows = 12,
         .shuffled = true,
         .learning_rates = {0.1, 0.05}},
        13);
}

TEST_P(CsrTraining, AGradientPerOutput) {
  check({.layers = {kHidden, kOutput}, .rows = 40, .batch_rows = 12, .task = catalogue::Task::gradients}, 5);
}

TEST_P(CsrTraining, ASteadyStepAllocatesNothing) {
  if (!allocations_are_counted()) GTEST_SKIP() << "a sanitizer owns malloc";
  for (const bool shuffled : {false, true}) {
    TrainingProblem training({.layers = {{300, 64, GDBENCH_RELU, 1}, {64, 1, GDBENCH_IDENTITY, 1}},
                              .dtype = backend().dtype,
                              .rows = 100,
                              .batch_rows = shuffled ? 32 : 100,
                              .shuffled = shuffled,
                              .density = 0.1});
    const auto strategy = start(descriptor(), backend().backend, training);
    const std::uint64_t before = allocation_count();
    strategy->run(7);
    EXPECT_EQ(allocation_count() - before, 0u);
  }
}

TEST_P(CsrTraining, CostsFollowTheEntries) {
  TrainingCase values{.layers = {kHidden, kOutput}, .dtype = backend().dtype, .rows = 40, .batch_rows = 40};
  values.density = 0.2;
  TrainingProblem training(values);
  const auto strategy = start(descriptor(), backend().backend, training);
  const double flops = said_by(*strategy, 1).records.at({"product", catalogue::Phase::forward}).flops;
  const double entries = (flops - 2 * 40 * 8 * 2) / (2 * 8);
  EXPECT_GT(entries, 0.1 * 40 * 30);
  EXPECT_LT(entries, 0.3 * 40 * 30);
}

std::vector<Case> sparse_cases() {
  std::vector<Case> cases;
  for (const BackendCase& backend : all_cases()) {
    if ((backend_named(backend.backend).flags & backends::kSparse) == 0) continue;
    for (const StrategyDescriptor* strategy : {&hand::kDescriptor, &graph::kDescriptor}) {
      cases.emplace_back(strategy, backend);
    }
  }
  return cases;
}

std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  const auto& [strategy, backend] = info.param;
  return std::string(strategy->name) + "_" + backend.backend +
         (backend.dtype == catalogue::Dtype::f32 ? "_f32" : "_f64");
}

INSTANTIATE_TEST_SUITE_P(Strategies, CsrTraining, testing::ValuesIn(sparse_cases()), name_of_case);

TEST(CsrFeatures, AreUnsupportedByBackendsWithoutSparseProducts) {
  for (const StrategyDescriptor* strategy : {&hand::kDescriptor, &graph::kDescriptor}) {
    TrainingProblem training({.layers = {kHidden, kOutput}, .rows = 40, .batch_rows = 40});
    try {
      start(*strategy, "naive", training);
      FAIL() << "naive took csr features";
    } catch (const implementations::Failure& failure) {
      EXPECT_EQ(failure.status(), GDBENCH_UNSUPPORTED);
      EXPECT_STREQ(failure.what(), "the backend naive has no products of csr features");
    }
  }
}

}  // namespace
}  // namespace gdbench::strategies
