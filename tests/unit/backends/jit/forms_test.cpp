// Each form of a step, alone, on several threads and as ranks, and random networks in every form, on every kind of
// vectors, end where the reference does.
#include "tests/unit/backends/jit/forms.h"

#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/support/few_cases.h"
#include "tests/support/implementations/local_ranks.h"
#include "tests/support/implementations/random_network.h"

namespace gdbench::strategies {
namespace {

class JitFormsTest : public JitFixture {
 protected:
  static std::unique_ptr<Strategy> start_rank(TrainingProblem& training, const JitOptions& options,
                                              const gdbench_ranks& ranks) {
    training.set_options(options);
    training.mutable_settings().ranks = &ranks;
    auto strategy = graph::kRegionDescriptor.create(
        {backends::backend_named("jit"), training.data(), training.problem(), training.settings()});
    strategy->set_state(training.state());
    return strategy;
  }

  static void check_ranks(const TrainingCase& values, std::int64_t steps, int count, const JitOptions& options = {}) {
    LocalRanks ranks(count);
    std::vector<std::unique_ptr<TrainingProblem>> trainings;
    std::vector<std::unique_ptr<Strategy>> strategies;
    for (int rank = 0; rank < count; ++rank) {
      trainings.push_back(std::make_unique<TrainingProblem>(with_dtype(values)));
      strategies.push_back(start_rank(*trainings.back(), options, ranks.rank(rank)));
    }
    ranks.for_each([&](int rank) {
      const auto at = static_cast<std::size_t>(rank);
      strategies[at]->run(1);
      strategies[at]->run(static_cast<std::uint64_t>(steps - 1));
      strategies[at]->get_state(trainings[at]->state());
    });
    const std::vector<Dense> first = trainings[0]->state_values();
    expect_as_reference(*trainings[0], first, steps);
    for (const auto& training : trainings) expect_near(training->state_values(), first, 0);
  }

  static std::int64_t steps() { return catalogue::is_mixed(GetParam()) ? 2 : 5; }
};

TEST_P(JitFormsTest, TrainLikeTheReferenceByEachChoice) {
  std::vector<JitOptions> choices = kLanes;
  for (const char* passes :
       {"none", "-product-epilogues", "-update-epilogues", "-sum-epilogues", "-row-blocks,-layout",
        "-unrolling,-padding", "-unit-products", "-scale-folding", "-scalarisation", "-scalarisation,-streaming"}) {
    choices.push_back({{"passes", passes}});
  }
  for (const char* passes : {"-product-epilogues", "-update-epilogues", "-prefetch,-cache-blocks"}) {
    choices.push_back({{"lanes", "panels"}, {"passes", passes}});
  }
  for (const char* rows : {"16", "5"}) choices.push_back({{"lanes", "rows"}, {"block_rows", rows}});
  for (const char* rows : {"16", "7", "1"}) choices.push_back({{"lanes", "columns"}, {"block_rows", rows}});
  choices.push_back({{"scalar_limit", "3000"}});
  choices.push_back({{"lanes", "panels"}, {"cache", "64"}});
  choices.push_back({{"lanes", "columns"}, {"block_rows", "0"}, {"passes", "-row-blocks"}});
  choices.push_back({{"lanes", "columns"}, {"loader", "gather"}});
  choices.push_back({{"lanes", "panels"}, {"loader", "gather"}});
  for (const char* instructions : backends::jit::instructions_of_this_machine()) {
    for (JitOptions options : kLanes) {
      options.push_back({"instructions", instructions});
      choices.push_back(options);
    }
  }
  // A fifth of the pairs: each choice with some forms, each form with some choices.
  constexpr std::size_t kStride = 5;
  std::size_t first = 0;
  for (const Form& form : forms()) {
    std::size_t turn = first;
    first += 7;
    for (const JitOptions& options : choices) {
      const std::size_t pair = turn++;
      if (pair % kStride != 0 || !takes(pair / kStride)) continue;
      SCOPED_TRACE(form.name + text_of(options));
      check(form.values, steps(), options);
    }
  }
}

TEST_P(JitFormsTest, ThreadsShareTheRows) {
  std::vector<JitOptions> choices = kLanes;
  choices.push_back({{"block_rows", "16"}});
  for (const char* instructions : backends::jit::instructions_of_this_machine()) {
    if (std::string(instructions) == "amx") choices.push_back({{"lanes", "panels"}, {"instructions", instructions}});
  }
  std::size_t turn = 0;
  for (const Form& form : forms()) {
    if (!is_for_threads(form)) continue;
    ++turn;
    for (JitOptions options : choices) {
      if (!takes(turn++)) continue;
      options.push_back({"scalar_limit", "0"});
      const int threads = 2 + static_cast<int>(turn % 2);
      SCOPED_TRACE(form.name + text_of(options) + " on " + std::to_string(threads));
      check(form.values, steps(), options, threads);
    }
  }
  // More threads than processors, and than there are parts of columns to share.
  if (catalogue::is_mixed(GetParam())) check(forms()[9].values, steps(), choices.back(), 16);
  // One thread does the few rows that end an epoch.
  TrainingCase values = forms()[9].values;
  values.rows = 81;
  values.batch_rows = 40;
  for (const JitOptions& options : kLanes) check(values, 7, options, 2);
}

TEST_P(JitFormsTest, RanksAddUpTheirGradients) {
  std::size_t turn = 0;
  for (const Form& form : forms()) {
    SCOPED_TRACE(form.name);
    for (const char* lanes : {"auto", "panels", "columns", "rows"}) {
      if (takes(turn++)) check_ranks(form.values, steps(), 2 + static_cast<int>(turn / 4 % 2), {{"lanes", lanes}});
    }
  }
  TrainingCase shuffled = forms()[9].values;
  check_ranks(shuffled, steps(), 5, {{"loader", "sample"}});
  check_ranks(shuffled, steps(), 2, {{"passes", "none"}});
  shuffled.micro_batches = 2;
  check_ranks(shuffled, steps(), 2);
  // Ranks of one process would share the threads, too.
  TrainingProblem training(with_dtype(forms()[8].values));
  const gdbench_ranks alone = {sizeof(alone), 0, 1, nullptr, nullptr, nullptr, nullptr};
  training.mutable_settings().ranks = &alone;
  trained_by_jit(training, steps(), {}, 2);
  expect_as_reference(training, training.state_values(), steps());
}

TEST_P(JitFormsTest, EveryOptimizerWithEveryDecay) {
  std::size_t number = 0;
  for (const OptimizerCase& optimizer : entrywise_cases()) {
    const std::size_t turn = number + number / 3;  // of the up to three kinds of decay
    ++number;
    // Gradients rounded to a few bits, some of which are near 0, do not tell their signs.
    if (catalogue::is_mixed(GetParam()) && optimizer.kind == catalogue::OptimizerKind::lion) continue;
    SCOPED_TRACE(name_of(optimizer.kind));
    TrainingCase scalars = forms()[0].values;
    TrainingCase classes = forms()[8].values;
    scalars.optimizer = classes.optimizer = optimizer;
    check(scalars, steps());
    if (takes(turn)) check(classes, steps());
    if (takes(turn + 1)) check(classes, steps(), {{"lanes", "panels"}});
    if (takes(turn + 2)) check_ranks(scalars, steps(), 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Dtypes, JitFormsTest,
                         testing::Values(catalogue::Dtype::f32, catalogue::Dtype::f64, catalogue::Dtype::bf16),
                         name_of_dtype);

// With a single column of weights the first thread of two has nothing to do in panels.
TEST_P(JitFormsTest, TakeAsLongAsTheThreadThatHasMost) {
  const auto predicted = [](const char* lanes, int threads) {
    const TrainingCase values = {.layers = {layer(32, 1)}, .rows = 5000, .batch_rows = 5000};
    const char* const name = backends::jit::name_of_prediction(*backends::jit::this_machine());
    return records_of(values, {{"lanes", lanes}}, threads).at({name, catalogue::Phase::compile}).calls;
  };
  EXPECT_GT(2 * predicted("panels", 2), predicted("panels", 1) / 2);
  EXPECT_GT(3 * predicted("auto", 2), predicted("auto", 1));
}

TEST_P(JitFormsTest, ThreadsThatNothingIsLeftForAreRefused) {
  const std::vector<std::pair<TrainingCase, const char*>> refused = {
      {{.layers = {layer(2, 1)}, .rows = 3, .batch_rows = 3}, "scalar_limit"},
      {{.layers = {layer(50, 30)}, .rows = 1, .batch_rows = 1}, "2 threads need as many rows"},
      {{.layers = {layer(50, 30)}, .rows = 90, .batch_rows = 90, .micro_batches = 3}, "batches in parts"},
  };
  for (const auto& [values, reason] : refused) {
    EXPECT_NE(refusal(values, 2).find(reason), std::string::npos) << refusal(values, 2) << "\nlacks: " << reason;
  }
}

TEST_P(JitFormsTest, NegativeNumbersAreRefused) {
  for (const char* key : {"block_rows", "scalar_limit", "cache"}) {
    const std::string reason = refusal(forms()[7].values, 1, graph::kRegionDescriptor, {{key, "-5"}});
    EXPECT_NE(reason.find(std::string(key) + ": found -5, expected 0 or more"), std::string::npos) << reason;
  }
}

TEST_P(JitFormsTest, RanksSayWhatTheyDo) {
  TrainingProblem training(with_dtype(forms()[8].values));
  const auto nothing = [](void*, void*, std::int64_t, std::int32_t) { return GDBENCH_OK; };
  const gdbench_ranks ranks = {sizeof(ranks), 0, 2, nullptr, nothing, nullptr, nullptr};
  const auto strategy = start_rank(training, {}, ranks);
  const Records records = said_by(*strategy, 3).records;
  EXPECT_EQ(records.at({"gradient region", catalogue::Phase::other}).calls, 3u);
  EXPECT_EQ(records.at({"all-reduce", catalogue::Phase::exchange}).calls, 3u);
  EXPECT_EQ(records.at({"update", catalogue::Phase::update}).calls, 3u);
  const JitOptions overlapped = {{"exchange", "overlapped"}};
  EXPECT_THROW(start_rank(training, overlapped, ranks), implementations::Failure);
}

// Shards run side by side.
constexpr int kShards = 10;
constexpr int kNetworksOfShard = 20;
constexpr int kTrained = kFewCases ? 4 : kNetworksOfShard;

// Both types of numbers in turn; one network in ten is wide, of each type.
RandomNetwork network_of(unsigned long seed, int number) {
  std::seed_seq sequence{seed, static_cast<unsigned long>(number)};
  std::mt19937_64 generator(sequence);
  NetworkBounds bounds;
  bounds.dtype = number % 2 == 0 ? catalogue::Dtype::f32 : catalogue::Dtype::f64;
  bounds.wide = number / 2 % 10 == 0;
  if (bounds.wide) bounds.most_work *= 10;
  return random_network([&](std::size_t count) { return generator() % count; }, bounds,
                        backends::jit::instructions_of_this_machine());
}

class JitRandomNetworksTest : public testing::TestWithParam<int> {};

// GDBENCH_SEED takes another seed than 1.
TEST_P(JitRandomNetworksTest, TrainLikeTheReference) {
  const char* text = std::getenv("GDBENCH_SEED");
  const unsigned long seed = text == nullptr ? 1 : std::strtoul(text, nullptr, 10);
  const int first = GetParam() * kNetworksOfShard;
  for (int number = first; number < first + kTrained; ++number) {
    const RandomNetwork network = network_of(seed, number);
    // Beforehand, for a crash; CTest shows it where the test fails.
    std::cout << "GDBENCH_SEED=" << seed << ", network " << number << ": " << text_of(network) << std::endl;
    const Comparison compared = compared_with_reference(network);
    EXPECT_FALSE(compared.diverges) << "nothing to compare";
    EXPECT_EQ(compared.difference, "");
  }
}

INSTANTIATE_TEST_SUITE_P(Shards, JitRandomNetworksTest, testing::Range(0, kShards));

}  // namespace
}  // namespace gdbench::strategies
