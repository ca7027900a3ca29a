// Strategies that train one model as several ranks, against the same strategy that trains alone.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/implementations/local_ranks.h"
#include "tests/support/implementations/processors.h"
#include "tests/support/implementations/strategies_under_test.h"

namespace gdbench::strategies {
namespace {

constexpr const StrategyDescriptor* kRanked[] = {&hand::kDescriptor, &tape::kDescriptor, &graph::kDescriptor};
constexpr gdbench_option_value kOverlapped = {"exchange", "overlapped"};
constexpr std::uint64_t kSteps = 9;

std::vector<gdbench_layer> deep() {
  return {layer(3, 5, catalogue::Activation::tanh), layer(5, 4, catalogue::Activation::sigmoid, false), layer(4, 2)};
}

// Batches that the ranks divide unevenly, smaller last ones, fewer rows than ranks in some steps or in all of them;
// rules with slots.
std::vector<TrainingCase> rank_cases() {
  return {
      {.layers = deep(), .rows = 13, .batch_rows = 13},
      {.layers = deep(),
       .rows = 17,
       .batch_rows = 7,
       .shuffled = true,
       .learning_rates = {0.1, 0.05, 0.02},
       .optimizer = {catalogue::OptimizerKind::adam, 0.125, true}},
      {.layers = deep(), .loss = catalogue::Loss::half_mse, .rows = 17, .batch_rows = 7, .micro_batches = 2},
      {.layers = {layer(2, 1)}, .rows = 5, .batch_rows = 2},
      {.layers = {layer(4, 3)},
       .loss = catalogue::Loss::softmax_cross_entropy,
       .rows = 11,
       .batch_rows = 10,
       .micro_batches = 3},
  };
}

class RanksTest : public StrategiesTest {
 protected:
  void SetUp() override {
    if (backends::is_device(GetParam().backend)) GTEST_SKIP() << "ranks keep gradients in the host's memory";
  }

  // A rank's training, or that of one that is alone.
  struct Training {
    TrainingProblem problem;
    float loss_scaling[3] = {1 << 20, 0, 0};  // too large for binary16 at first
    std::int32_t core = any_processor();
    std::unique_ptr<Strategy> strategy;

    Training(const StrategyDescriptor& descriptor, const TrainingCase& values, const Options& options,
             const gdbench_ranks* ranks)
        : problem(values) {
      problem.mutable_settings().ranks = ranks;
      problem.mutable_settings().helper_core_count = 1;
      problem.mutable_settings().helper_cores = &core;
      if (values.dtype == catalogue::Dtype::f16) {
        problem.mutable_problem().scale_growth_interval = 4;
        problem.state().loss_scaling = loss_scaling;
      }
      strategy = start(descriptor, problem, options);
    }

    void run() {
      strategy->run(1);
      strategy->run(kSteps - 1);
      strategy->sync();
      strategy->get_state(problem.state());
      EXPECT_EQ(problem.state().step, static_cast<std::int64_t>(kSteps));
    }
  };

  // A training for each rank.
  static std::vector<std::unique_ptr<Training>> start_ranks(LocalRanks& ranks, const StrategyDescriptor& descriptor,
                                                            const TrainingCase& values, const Options& options) {
    std::vector<std::unique_ptr<Training>> trainings;
    for (int rank = 0; rank < ranks.count(); ++rank) {
      trainings.push_back(std::make_unique<Training>(descriptor, with_dtype(values), options, &ranks.rank(rank)));
    }
    return trainings;
  }

  // Trains as so many ranks and alone.
  static void expect_same(const StrategyDescriptor& descriptor, const TrainingCase& values, int count,
                          const Options& options = {}) {
    SCOPED_TRACE(name_of(descriptor) + " of " + std::to_string(count) + " on batches of " +
                 std::to_string(values.batch_rows) + ", " + catalogue::name_of(values.optimizer.kind));
    Training alone(descriptor, with_dtype(values), options, nullptr);
    alone.run();
    LocalRanks ranks(count);
    const auto trainings = start_ranks(ranks, descriptor, values, options);
    ranks.for_each([&](int rank) { trainings[static_cast<std::size_t>(rank)]->run(); });
    const std::vector<Dense> first = trainings[0]->problem.state_values();
    expect_near(first, alone.problem.state_values(), most_difference());
    for (const auto& training : trainings) {
      expect_near(training->problem.state_values(), first, 0);
      for (int i = 0; i < 3; ++i) EXPECT_EQ(training->loss_scaling[i], alone.loss_scaling[i]);
      EXPECT_NEAR(training->strategy->evaluate(0), alone.strategy->evaluate(0), most_difference());
    }
  }

  // What does not depend on the backend is tried in full on one of them.
  static bool is_thorough() { return GetParam().backend == "eigen"; }

  // Those that have the dtype.
  static std::vector<const StrategyDescriptor*> ranked() {
    std::vector<const StrategyDescriptor*> descriptors(std::begin(kRanked), std::end(kRanked));
    std::erase_if(descriptors, [](const StrategyDescriptor* descriptor) {
      return (descriptor->dtypes & bit_of(GetParam().dtype)) == 0;
    });
    return descriptors;
  }

  static double most_difference() {
    if (catalogue::is_mixed(GetParam().dtype)) return 4e-3;
    return GetParam().dtype == catalogue::Dtype::f32 ? 5e-6 : 1e-13;
  }
};

TEST_P(RanksTest, EndWhereOneTrainingEnds) {
  std::vector<TrainingCase> cases = rank_cases();
  if (!catalogue::is_mixed(GetParam().dtype)) {
    for (const std::size_t normalized : {0U, 4U}) cases.push_back(normalized_cases()[normalized]);
  }
  for (const TrainingCase& values : cases) {
    for (const StrategyDescriptor* descriptor : ranked()) {
      for (const int count : is_thorough() ? std::vector{1, 2, 3, 5} : std::vector{3}) {
        expect_same(*descriptor, values, count);
      }
      expect_same(*descriptor, values, 5, {kOverlapped});
      if (descriptor == &hand::kDescriptor) expect_same(*descriptor, values, 3, {kOverlapped, {"update", "each"}});
    }
  }
}

// What the ranks of a loader read is for loader_test.
TEST_P(RanksTest, LoadTheirRowsAhead) {
  if (!is_thorough()) GTEST_SKIP();
  for (const StrategyDescriptor* descriptor : ranked()) {
    expect_same(*descriptor, rank_cases()[1], 3, {{"loader", "sample"}, {"prefetch", "2"}});
    expect_same(*descriptor, rank_cases()[2], 3, {{"loader", "gather"}});
  }
}

TEST_P(RanksTest, TakeTheirRowsOfSparseFeatures) {
  if ((backends::backend_named(GetParam().backend).flags & backends::kSparse) == 0) GTEST_SKIP();
  for (TrainingCase values : {rank_cases()[0], rank_cases()[1], rank_cases()[3]}) {
    values.density = 0.5;
    for (const StrategyDescriptor* descriptor : ranked()) {
      if (descriptor == &tape::kDescriptor) continue;
      for (const int count : {2, 5}) expect_same(*descriptor, values, count, {{"features", "csr"}});
    }
  }
}

TEST_P(RanksTest, ExchangeOnceInAStepOrByLayersAndSaySo) {
  struct Ran {
    Records records;
    std::vector<std::string> calls;
  };
  const auto ran = [](const StrategyDescriptor& descriptor, const Options& options) {
    LocalRanks ranks(3);  // of which the last one has no rows
    // Of as many entries as leave no gaps where tensors are aligned.
    const TrainingCase values = {.layers = {layer(8, 8, catalogue::Activation::tanh, false),
                                            layer(8, 8, catalogue::Activation::sigmoid, false), layer(8, 2)},
                                 .rows = 4,
                                 .batch_rows = 2,
                                 .micro_batches = 2};
    const auto trainings = start_ranks(ranks, descriptor, values, options);
    std::vector<Records> records(3);
    ranks.for_each([&](int rank) {
      const auto at = static_cast<std::size_t>(rank);
      trainings[at]->strategy->run(1);
      records[at] = profiled(*trainings[at]->strategy, 3);
    });
    const Ran first = {records[0], ranks.take_calls(0)};
    EXPECT_EQ(ranks.take_calls(1), first.calls);
    EXPECT_EQ(ranks.take_calls(2), first.calls);
    return first;
  };
  using enum catalogue::Phase;
  const double bytes = 2.0 * (64 + 64 + 18) * static_cast<double>(catalogue::size_of(GetParam().dtype));
  for (const StrategyDescriptor* descriptor : ranked()) {
    SCOPED_TRACE(name_of(*descriptor));
    const Ran flat = ran(*descriptor, {});
    EXPECT_EQ(flat.calls.size(), 4u);
    EXPECT_EQ(flat.records.at({"all-reduce", exchange}).calls, 3u);
    EXPECT_EQ(flat.records.at({"all-reduce", exchange}).bytes, 3 * bytes);
    const char* const op = GetParam().dtype == catalogue::Dtype::f16 ? "unscale" : "update";
    EXPECT_EQ(flat.records.at({op, update}).calls, 3u);
    // From the last layer to the first.
    const Ran overlapped = ran(*descriptor, {kOverlapped});
    ASSERT_EQ(overlapped.calls.size(), 4u * 4);
    for (std::size_t step = 0; step < 4; ++step) {
      const std::vector<std::string> calls(overlapped.calls.begin() + static_cast<std::ptrdiff_t>(4 * step),
                                           overlapped.calls.begin() + static_cast<std::ptrdiff_t>(4 * step + 4));
      EXPECT_EQ(calls, (std::vector<std::string>{"begin 18", "begin 64", "begin 64", "finish"}));
    }
    EXPECT_EQ(overlapped.records.at({"begin all-reduce", exchange}).calls, 3u * 3);
    EXPECT_EQ(overlapped.records.at({"finish all-reduces", exchange}).bytes, 3 * bytes);
  }
}

TEST_P(RanksTest, AFailedExchangeIsReported) {
  gdbench_ranks ranks = {
      sizeof(ranks), 0,      2, nullptr, [](void*, void*, std::int64_t, std::int32_t) { return GDBENCH_FAILED; },
      nullptr,       nullptr};
  for (const StrategyDescriptor* descriptor : ranked()) {
    Training training(*descriptor, with_dtype(rank_cases()[0]), {}, &ranks);
    EXPECT_THROW(training.strategy->run(1), implementations::Failure) << name_of(*descriptor);
  }
}

TEST_P(RanksTest, ASteadyStepAllocatesNothing) {
  if (const std::string why = backends::why_allocations_are_not_counted(GetParam().backend); !why.empty())
    GTEST_SKIP() << why;
  const auto nothing = [](void*, void*, std::int64_t, std::int32_t) { return GDBENCH_OK; };
  const gdbench_ranks ranks = {sizeof(ranks), 1, 5, nullptr, nothing, nothing, [](void*) { return GDBENCH_OK; }};
  for (const StrategyDescriptor* descriptor : ranked()) {
    for (const TrainingCase& values : rank_cases()) {
      for (const Options& options : {Options{}, Options{kOverlapped}}) {
        Training training(*descriptor, with_dtype(values), options, &ranks);
        training.strategy->run(8);
        EXPECT_EQ(allocations(*training.strategy, 20), 0U) << name_of(*descriptor);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, RanksTest, testing::ValuesIn(backends::all_cases()), backends::case_name);
INSTANTIATE_TEST_SUITE_P(Mixed, RanksTest, testing::ValuesIn(backends::mixed_cases()), backends::case_name);

}  // namespace
}  // namespace gdbench::strategies
