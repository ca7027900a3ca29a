// Ranks whose gradients and updates are compiled, against plain loops.
#include <memory>
#include <string>
#include <vector>

#include "implementations/common/failure.h"
#include "tests/support/implementations/local_ranks.h"
#include "tests/support/implementations/said_records.h"
#include "tests/unit/backends/jit/region_fixture.h"

namespace gdbench::strategies {
namespace {

constexpr std::int64_t kRankSteps = 5;

class JitRanksTest : public JitRegionFixture {
 protected:
  static std::unique_ptr<Strategy> start(TrainingProblem& training, const JitOptions& options,
                                         const gdbench_ranks& ranks) {
    training.mutable_settings().option_count = static_cast<std::int64_t>(options.size());
    training.mutable_settings().options = options.data();
    training.mutable_settings().ranks = &ranks;
    auto strategy = graph::kRegionDescriptor.create(
        {backends::backend_named("jit"), training.data(), training.problem(), training.settings()});
    strategy->set_state(training.state());
    return strategy;
  }

  static void check_ranks(TrainingCase values, int count, const JitOptions& options = {}, int threads = 1) {
    SCOPED_TRACE(std::to_string(count) + " ranks, inputs " + std::to_string(values.layers[0].inputs) + ", batches of " +
                 std::to_string(values.batch_rows));
    if (!catalogue::is_mixed(values.dtype)) values.dtype = GetParam();
    LocalRanks ranks(count);
    std::vector<std::unique_ptr<TrainingProblem>> trainings;
    std::vector<std::unique_ptr<Strategy>> strategies;
    for (int rank = 0; rank < count; ++rank) {
      trainings.push_back(std::make_unique<TrainingProblem>(values));
      trainings.back()->mutable_settings().compute_threads = threads;
      strategies.push_back(start(*trainings.back(), options, ranks.rank(rank)));
    }
    ranks.for_each([&](int rank) {
      const auto at = static_cast<std::size_t>(rank);
      strategies[at]->run(1);
      strategies[at]->run(kRankSteps - 1);
      strategies[at]->get_state(trainings[at]->state());
    });
    const std::vector<Dense> expected = expected_of(values);
    const double tolerance = catalogue::is_mixed(values.dtype)       ? 4e-3
                             : values.dtype == catalogue::Dtype::f32 ? 2e-4
                                                                     : 1e-10;
    for (const auto& training : trainings) {
      const std::vector<Dense> actual = training->state_values();
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(actual[i].values, trainings[0]->state_values()[i].values) << "not the same bits";
        for (std::size_t entry = 0; entry < expected[i].values.size(); ++entry) {
          const double wanted = expected[i].values[entry];
          ASSERT_NEAR(actual[i].values[entry], wanted, tolerance * std::max(1.0, std::abs(wanted)))
              << "parameter " << i << " entry " << entry;
        }
      }
    }
    const double loss = trainings[0]->loss(expected, 0);
    EXPECT_NEAR(strategies[0]->evaluate(0), loss, tolerance * std::max(1.0, loss));
  }

  // By plain loops, or where those round otherwise by the region of a whole step.
  static std::vector<Dense> expected_of(const TrainingCase& values) {
    TrainingProblem training(values);
    if (!catalogue::is_mixed(values.dtype)) return training.trained(kRankSteps);
    trained_by_jit(training, kRankSteps, {}, 1);
    return training.state_values();
  }

  static TrainingCase wide() {
    return {.layers = {layer(19, 33, catalogue::Activation::tanh), layer(33, 7)},
            .loss = catalogue::Loss::softmax_cross_entropy,
            .rows = 70,
            .batch_rows = 41,
            .shuffled = true,
            .optimizer = {catalogue::OptimizerKind::adam, 0.01, false}};
  }
};

TEST_P(JitRanksTest, TrainLikePlainLoops) {
  for_each_training_case([](const TrainingCase& values) { check_ranks(values, 3); });
}

TEST_P(JitRanksTest, AddUpTheGradientsOfEveryForm) {
  const TrainingCase narrow = {.layers = {layer(10, 1)}, .rows = 300, .batch_rows = 300};
  const TrainingCase rows = {.layers = {layer(40, 1)}, .rows = 203, .batch_rows = 203};
  for (const TrainingCase& values : {narrow, rows}) check_ranks(values, 2);  // a stream, of columns and of rows
  TrainingCase same = wide();
  same.batch_rows = same.rows;
  same.shuffled = false;
  check_ranks(wide(), 2, {{"lanes", "panels"}});
  for (const char* lanes : {"rows", "columns", "panels"}) check_ranks(same, 2, {{"lanes", lanes}});
  check_ranks(same, 2, {{"passes", "none"}});
}

TEST_P(JitRanksTest, RoundOperandsToBfloat16) {
  if (GetParam() != catalogue::Dtype::f32) GTEST_SKIP();
  TrainingCase values = wide();
  values.dtype = catalogue::Dtype::bf16;
  values.optimizer = {catalogue::OptimizerKind::momentum, 0, false};
  check_ranks(values, 2);
  check_ranks(values, 2, {{"lanes", "panels"}});
}

TEST_P(JitRanksTest, UpdateByEveryOptimizer) {
  for (const OptimizerCase& optimizer : optimizer_cases()) {
    SCOPED_TRACE(catalogue::name_of(optimizer.kind));
    check_ranks({.layers = {layer(3, 5, catalogue::Activation::tanh), layer(5, 2)},
                 .rows = 5,
                 .batch_rows = 5,
                 .learning_rates = {0.05, 0.04, 0.03},
                 .optimizer = optimizer},
                2);
  }
}

TEST_P(JitRanksTest, TakeBatchesInPartsAndFromEveryLoader) {
  TrainingCase values = {
      .layers = {layer(3, 5, catalogue::Activation::tanh), layer(5, 2)}, .rows = 17, .batch_rows = 7, .shuffled = true};
  for (const char* loader : {"resident", "sample"}) check_ranks(values, 5, {{"loader", loader}});
  values.micro_batches = 2;
  check_ranks(values, 5);
}

TEST_P(JitRanksTest, ShareTheirGradientsAmongThreads) {
  // Ranks of one process would share the threads, too.
  check_ranks(wide(), 1, {}, 2);
  check_ranks({.layers = {layer(10, 50, catalogue::Activation::tanh), layer(50, 1)},
               .rows = 200,
               .batch_rows = 200,
               .scaled_weights = true},
              1, {}, 2);
}

TEST_P(JitRanksTest, SayWhatTheyDo) {
  TrainingCase values = wide();
  values.dtype = GetParam();
  TrainingProblem training(values);
  const gdbench_ranks ranks = {
      sizeof(ranks), 0,      2, nullptr, [](void*, void*, std::int64_t, std::int32_t) {
                                 return GDBENCH_OK; },
      nullptr,       nullptr};
  const auto strategy = start(training, {}, ranks);
  const Records records = said_by(*strategy, 3).records;
  EXPECT_EQ(records.at({"gradient region", catalogue::Phase::other}).calls, 3u);
  EXPECT_EQ(records.at({"all-reduce", catalogue::Phase::exchange}).calls, 3u);
  EXPECT_EQ(records.at({"update", catalogue::Phase::update}).calls, 3u);
  const JitOptions overlapped = {{"exchange", "overlapped"}};
  EXPECT_THROW(start(training, overlapped, ranks), implementations::Failure);
}

INSTANTIATE_TEST_SUITE_P(Dtypes, JitRanksTest, testing::Values(catalogue::Dtype::f32, catalogue::Dtype::f64),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

}  // namespace
}  // namespace gdbench::strategies
