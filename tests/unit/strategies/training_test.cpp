// Every strategy that trains, on every backend and with every option that changes what it runs, ends where the
// reference does.
#include <algorithm>

#include "tests/support/implementations/strategies_under_test.h"

namespace gdbench::strategies {
namespace {

struct Trainer {
  const StrategyDescriptor* descriptor;
  Options options = {};
};

const std::vector<Trainer> kWays = {
    {&hand::kDescriptor},
    {&hand::kDescriptor, {{"update", "each"}}},
    {&tape::kDescriptor},
    {&tape::kDescriptor, {{"update", "each"}}},
    {&tape::kReplayDescriptor},
    {&tape::kReplayDescriptor, {{"update", "each"}}},
    {&graph::kDescriptor},
    {&graph::kDescriptor, {{"passes", "none"}}},
    {&graph::kDescriptor, {{"passes", "-fusion"}}},
    {&graph::kDescriptor, {{"passes", "none,+fusion"}}},
    {&graph::kDescriptor, {{"passes", "-buffer-reuse,-merge-updates"}}},
};

constexpr OptimizerCase kAdam = {catalogue::OptimizerKind::adam, 0.125, true};

TrainingCase perceptron(const OptimizerCase& optimizer) {
  return {.layers = {layer(3, 5, catalogue::Activation::tanh), layer(5, 2)},
          .rows = 10,
          .batch_rows = 4,
          .shuffled = true,
          .learning_rates = {0.05, 0.04, 0.03},
          .optimizer = optimizer};
}

gdbench_layer tensor(std::int64_t rows, std::int64_t columns) {
  return layer(rows, columns, catalogue::Activation::identity, false);
}

// Of the task update: tensors of these sizes, which are no chain, whose gradients are given.
TrainingCase update_of(const std::vector<gdbench_layer>& tensors, const OptimizerCase& optimizer) {
  return {.layers = tensors,
          .rows = 1,
          .batch_rows = 1,
          .learning_rates = {0.05, 0.03, 0.04},
          .task = catalogue::Task::update,
          .optimizer = optimizer};
}

const std::vector<gdbench_layer> kTensors = {tensor(3, 5), tensor(1, 1), tensor(7, 1), tensor(4, 4), tensor(1, 33)};

class TrainingTest : public StrategiesTest {
 protected:
  static std::string text_of(const Trainer& trainer) {
    return name_of(*trainer.descriptor) + (trainer.options.empty() ? "" : trainer.options.front().value);
  }

  // `steps` updates in two calls, then the losses of both splits.
  static void check(const Trainer& trainer, const TrainingCase& values, std::int64_t steps) {
    SCOPED_TRACE(text_of(trainer));
    TrainingProblem training(with_dtype(values));
    const auto strategy = start(*trainer.descriptor, training, trainer.options);
    strategy->run(1);
    strategy->run(static_cast<std::uint64_t>(steps - 1));
    strategy->sync();
    expect_trained(training, *strategy, steps);
    training.add_slots();
    const std::vector<Dense> expected = training.trained(steps);
    for (const int split : {0, 1}) {
      const double loss = training.loss(expected, split);
      EXPECT_NEAR(strategy->evaluate(split), loss, tolerance() * std::max(1.0, loss));
    }
    strategy->run(2);  // evaluating changed nothing
    expect_trained(training, *strategy, steps + 2);
  }

  // By every way. Tapes end with the bits of hand, or of each other: a difference of their times is the strategy's,
  // which runs the same kernels on the same numbers.
  static void check_all(const TrainingCase& values) {
    for (const Trainer& trainer : kWays) check(trainer, values, 8);
    std::vector<const StrategyDescriptor*> tapes = {&tape::kDescriptor, &tape::kReplayDescriptor};
    const StrategyDescriptor* same = &hand::kDescriptor;
    if (values.task == catalogue::Task::gradients) {
      check({&tape::kRerecordDescriptor}, values, 8);
      tapes.push_back(&tape::kRerecordDescriptor);
      same = &tape::kDescriptor;
    } else if (values.micro_batches > 1) {
      return;
    }
    for (const StrategyDescriptor* descriptor : tapes) {
      expect_near(trained(*descriptor, values, 9), trained(*same, values, 9), 0);
    }
  }

  // Parameters and slots by gradients that are given, after `steps` updates in two calls.
  static void check_update(const Trainer& trainer, const TrainingCase& values, std::int64_t steps) {
    SCOPED_TRACE(text_of(trainer) + " " + catalogue::name_of(values.optimizer.kind));
    TrainingProblem training(with_dtype(values));
    training.add_slots();
    const auto strategy = start(*trainer.descriptor, training, trainer.options);
    const std::vector<Dense> expected = training.trained(steps);
    auto* gradients = static_cast<std::byte*>(const_cast<void*>(training.data().x));
    std::fill_n(gradients, 8, std::byte{0});  // they were copied
    strategy->run(static_cast<std::uint64_t>(steps / 2));
    strategy->run(static_cast<std::uint64_t>(steps - steps / 2));
    strategy->sync();
    strategy->get_state(training.state());
    EXPECT_EQ(training.state().step, steps);
    expect_near(training.state_values(), expected, 128 * epsilon_of(GetParam().dtype));
    EXPECT_THROW(strategy->evaluate(0), implementations::Failure) << "there is no loss";
  }
};

TEST_P(TrainingTest, EndsWhereTheReferenceDoes) { for_each_case(training_cases(), check_all); }

TEST_P(TrainingTest, OfNormalizedLayers) {
  if (backends::is_device(GetParam().backend)) GTEST_SKIP() << "devices do not offer it";
  for_each_case(normalized_cases(), check_all);
}

TEST_P(TrainingTest, ByAGradientPerOutput) { for_each_case(gradients_cases(), check_all); }

// The sum of losses is among what is compared.
TEST_P(TrainingTest, OfTheForwardPassAlone) {
  std::vector<TrainingCase> cases = training_cases();
  if (!backends::is_device(GetParam().backend)) std::ranges::copy(normalized_cases(), std::back_inserter(cases));
  for (TrainingCase& values : cases) values.task = catalogue::Task::forward;
  for_each_case(cases, [](const TrainingCase& values) {
    for (const Trainer& trainer : kWays) {
      if (trainer.descriptor->create_forward != nullptr) check(trainer, values, 8);
    }
  });
}

TEST_P(TrainingTest, ByEveryOptimizer) {
  for (const OptimizerCase& optimizer : optimizer_cases()) {
    SCOPED_TRACE(catalogue::name_of(optimizer.kind));
    for (const Trainer& trainer : kWays) check(trainer, perceptron(optimizer), 18);
  }
}

// Matrices, a wide one and a tall one, between parameters that others than muon would move likewise.
TEST_P(TrainingTest, ByMuon) {
  if (backends::is_device(GetParam().backend)) GTEST_SKIP() << "devices do not offer it";
  TrainingCase values = perceptron({catalogue::OptimizerKind::muon, 0.125, false});
  values.layers = {layer(3, 4, catalogue::Activation::tanh), layer(4, 7, catalogue::Activation::tanh),
                   layer(7, 5, catalogue::Activation::tanh), layer(5, 2)};
  check_all(values);
}

TEST_P(TrainingTest, ByGradientsThatAreGiven) {
  std::vector<gdbench_layer> many(500, tensor(64, 1));
  many.push_back(tensor(512, 512));
  for (const Trainer& trainer : kWays) {
    for (const OptimizerCase& optimizer : entrywise_cases()) check_update(trainer, update_of(kTensors, optimizer), 37);
    check_update(trainer, update_of({tensor(5, 9)}, kAdam), 5);  // a tensor alone
  }
  for (const StrategyDescriptor* descriptor : kTrainers) {
    check_update({descriptor}, update_of(many, {catalogue::OptimizerKind::momentum, 0, false}), 2);
  }
}

TEST_P(TrainingTest, OnSparseFeatures) {
  const std::vector<gdbench_layer> layers = {layer(30, 8, catalogue::Activation::tanh), layer(8, 3)};
  const std::vector<TrainingCase> cases = {
      {.layers = layers, .rows = 40, .batch_rows = 40},
      {.layers = {layer(12, 1)}, .loss = catalogue::Loss::half_mse, .rows = 90, .batch_rows = 90},
      {.layers = layers, .rows = 40, .batch_rows = 12},
      {.layers = layers,
       .loss = catalogue::Loss::softmax_cross_entropy,
       .rows = 40,
       .batch_rows = 12,
       .shuffled = true,
       .learning_rates = {0.1, 0.05}},
      {.layers = layers, .rows = 40, .batch_rows = 12, .task = catalogue::Task::gradients},
      {.layers = layers, .rows = 40, .batch_rows = 12, .task = catalogue::Task::forward},
  };
  const bool sparse = (backend().flags & backends::kSparse) != 0;
  for (const StrategyDescriptor* descriptor : {&hand::kDescriptor, &graph::kDescriptor}) {
    const Trainer trainer{descriptor, {{"features", "csr"}}};
    for (TrainingCase values : cases) {
      for (const double density : {0.4, 0.05}) {
        values.density = density;
        if (sparse) check(trainer, values, 9);
      }
    }
    if (sparse || backends::is_device(GetParam().backend)) continue;
    EXPECT_EQ(refusal(*descriptor, cases[0], trainer.options),
              "the backend " + GetParam().backend + " has no products of csr features");
  }
}

TEST_P(TrainingTest, SetStateRewindsTheStepAndTheSlots) {
  for (const StrategyDescriptor* descriptor : kTrainers) {
    SCOPED_TRACE(name_of(*descriptor));
    const TrainingCase values = with_dtype(perceptron(kAdam));
    TrainingProblem training(values);
    const auto strategy = start(*descriptor, training);
    strategy->run(5);
    const TrainingProblem other(with_dtype({.layers = {layer(3, 4)}, .rows = 7, .batch_rows = 7}));
    EXPECT_THROW(strategy->set_state(const_cast<TrainingProblem&>(other).state()), implementations::Failure);
    TrainingProblem fresh(values);
    strategy->set_state(fresh.state());  // without slots: they become zero
    strategy->run(18);
    expect_trained(training, *strategy, 18);
  }
}

TEST_P(TrainingTest, EvaluatesMoreRowsThanAPieceHolds) {
  TrainingProblem training(with_dtype({.layers = {layer(2, 1)}, .rows = 9001, .batch_rows = 10}));
  const double expected = training.loss(training.initial(), 0);
  for (const StrategyDescriptor* descriptor : kTrainers) {
    EXPECT_NEAR(start(*descriptor, training)->evaluate(0), expected, tolerance()) << name_of(*descriptor);
  }
}

// Where a library allocates by itself, not more than hand with the same calls.
TEST_P(TrainingTest, ASteadyStepAllocatesNothing) {
  if (!allocations_are_counted()) GTEST_SKIP() << "a sanitizer owns malloc";
  if (backends::is_device(GetParam().backend)) GTEST_SKIP() << "a device's runtime allocates as it likes";
  std::vector<TrainingCase> cases = gradients_cases();
  // Operands beyond what Eigen would pack on the stack; a smaller last batch; shuffled; a schedule.
  cases.push_back({.layers = {layer(784, 128, catalogue::Activation::relu), layer(128, 10)},
                   .loss = catalogue::Loss::softmax_cross_entropy,
                   .rows = 80,
                   .batch_rows = 32,
                   .shuffled = true,
                   .learning_rates = {0.01, 0.02, 0.03},
                   .optimizer = kAdam});
  for (const TrainingCase& values : training_cases()) cases.push_back(values);
  for (const TrainingCase& values : normalized_cases()) cases.push_back(values);
  const auto counted = [](const Trainer& trainer, const TrainingCase& values, std::uint64_t warm_up) {
    TrainingProblem training(with_dtype(values));
    const auto strategy = start(*trainer.descriptor, training, trainer.options);
    strategy->run(warm_up);
    return allocations(*strategy, 20);
  };
  const bool allocates = !backends::why_allocations_are_not_counted(GetParam().backend).empty();
  for_each_case(cases, [&](const TrainingCase& values) {
    for (const StrategyDescriptor* descriptor : {&tape::kDescriptor, &tape::kReplayDescriptor}) {
      if (allocates && (values.task == catalogue::Task::gradients || values.micro_batches > 1)) continue;
      EXPECT_EQ(counted({descriptor}, values, 8), allocates ? counted({&hand::kDescriptor}, values, 8) : 0);
    }
    if (allocates) return;
    if (values.task == catalogue::Task::gradients) {
      EXPECT_EQ(counted({&tape::kRerecordDescriptor}, values, 8), 0U);
    }
    // The others from the first step on; a tape allocates when it records.
    for (const Trainer& trainer : {kWays[0], kWays[6], kWays[7]}) EXPECT_EQ(counted(trainer, values, 0), 0U);
    if ((backend().flags & backends::kSparse) == 0 || values.micro_batches > 1) return;
    for (const StrategyDescriptor* descriptor : {&hand::kDescriptor, &graph::kDescriptor}) {
      EXPECT_EQ(counted({descriptor, {{"features", "csr"}}}, values, 0), 0U);
    }
  });
  for (const StrategyDescriptor* descriptor : kTrainers) {
    EXPECT_EQ(counted({descriptor}, update_of(kTensors, kAdam), 0), 0U) << name_of(*descriptor);
  }
  // The counter works, also for what the kernel library allocates.
  TrainingProblem training(with_dtype(cases[0]));
  const std::uint64_t before = allocation_count();
  start(hand::kDescriptor, training);
  EXPECT_GT(allocation_count(), before);
}

INSTANTIATE_TEST_SUITE_P(Backends, TrainingTest, testing::ValuesIn(backends::all_cases()), backends::case_name);

}  // namespace
}  // namespace gdbench::strategies
