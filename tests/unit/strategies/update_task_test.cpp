// The task update in every strategy against the rules in long double.
#include <algorithm>
#include <cmath>
#include <limits>

#include "implementations/common/failure.h"
#include "tests/support/implementations/allocation_counter.h"
#include "tests/support/implementations/strategies_under_test.h"

namespace gdbench::strategies {
namespace {

using backends::backend_named;
using backends::BackendCase;

using Sizes = std::vector<std::pair<std::int64_t, std::int64_t>>;

// Tensors, their gradients and their state behind the C structs.
template <class T>
class Tensors {
 public:
  Tensors(const Sizes& sizes, const OptimizerCase& optimizer)
      : optimizer_(optimizer_of(optimizer, kRates)), slot_count_(catalogue::slot_count(optimizer.kind)) {
    std::size_t total = 0;
    for (const auto& [rows, columns] : sizes) {
      layers_.push_back({rows, columns, GDBENCH_IDENTITY, 0});
      total += static_cast<std::size_t>(rows * columns);
    }
    gradients_.resize(total);
    blocks_.assign(1 + slot_count_, std::vector<T>(total));
    for (std::size_t i = 0; i < total; ++i) {
      gradients_[i] = static_cast<T>(static_cast<int>(i * 7 % 31) - 15) / T(8);
      blocks_[0][i] = static_cast<T>(static_cast<int>(i * 5 % 23) - 11) / T(8);
    }
    point_to_blocks();

    data_.struct_size = sizeof(data_);
    data_.dtype = sizeof(T) == sizeof(float) ? GDBENCH_F32 : GDBENCH_F64;
    data_.rows = 1;
    data_.features = static_cast<std::int64_t>(total);
    data_.x = gradients_.data();
    data_.epochs = 1;
    problem_.struct_size = sizeof(problem_);
    problem_.task = GDBENCH_TASK_UPDATE;
    problem_.dtype = data_.dtype;
    problem_.layer_count = static_cast<std::int64_t>(layers_.size());
    problem_.layers = layers_.data();
    problem_.loss = GDBENCH_MSE;
    problem_.batch_rows = 1;
    problem_.micro_batches = 1;
    problem_.optimizer = &optimizer_;
    settings_.struct_size = sizeof(settings_);
    settings_.compute_threads = 1;
  }
  Tensors(const Tensors&) = delete;
  Tensors& operator=(const Tensors&) = delete;

  std::unique_ptr<Strategy> start(const StrategyDescriptor& descriptor, const std::string& backend,
                                  const std::vector<gdbench_option_value>& options = {}) {
    settings_.option_count = static_cast<std::int64_t>(options.size());
    settings_.options = options.data();
    auto strategy = descriptor.create_update({backend_named(backend), data_, problem_, settings_});
    strategy->set_state(state_);
    return strategy;
  }

  // Values and slots after `steps` updates from where they are now.
  std::vector<PlainOptimizer::Values> updated(std::int64_t steps) const {
    PlainOptimizer plain(optimizer_, gradients_.size());
    PlainOptimizer::Values values(blocks_[0].begin(), blocks_[0].end());
    const PlainOptimizer::Values gradients(gradients_.begin(), gradients_.end());
    for (std::int64_t step = 0; step < steps; ++step) plain.update(values, gradients, step);
    std::vector<PlainOptimizer::Values> all = {values};
    all.insert(all.end(), plain.slots().begin(), plain.slots().end());
    return all;
  }

  gdbench_state& state() { return state_; }
  std::vector<T>& gradients() { return gradients_; }
  const std::vector<std::vector<T>>& blocks() const { return blocks_; }  // values, then slots

 private:
  void point_to_blocks() {
    for (std::vector<T>& block : blocks_) {
      T* next = block.data();
      for (const gdbench_layer& layer : layers_) {
        tensors_.push_back({next, layer.inputs, layer.outputs});
        next += layer.inputs * layer.outputs;
      }
    }
    state_.struct_size = sizeof(state_);
    state_.parameter_count = static_cast<std::int64_t>(layers_.size());
    state_.parameters = tensors_.data();
    state_.slot_count = static_cast<std::int64_t>(slot_count_);
    state_.slots = tensors_.data() + layers_.size();
  }

  inline static const std::vector<double> kRates = {0.05, 0.03, 0.04};
  gdbench_optimizer optimizer_;
  std::size_t slot_count_;
  std::vector<gdbench_layer> layers_;
  std::vector<T> gradients_;
  std::vector<std::vector<T>> blocks_;
  std::vector<gdbench_tensor> tensors_;
  gdbench_data data_{};
  gdbench_problem problem_{};
  gdbench_settings settings_{};
  gdbench_state state_{};
};

const Sizes kSizes = {{3, 5}, {1, 1}, {7, 1}, {4, 4}, {1, 33}};

class UpdateTaskTest : public StrategiesTest {
 protected:
  template <class T>
  void check(const StrategyDescriptor& descriptor, const Sizes& sizes, const OptimizerCase& optimizer,
             std::int64_t steps, const std::vector<gdbench_option_value>& options = {}) const {
    SCOPED_TRACE(name_of(descriptor) + " kind " + catalogue::name_of(optimizer.kind));
    Tensors<T> tensors(sizes, optimizer);
    const std::vector<PlainOptimizer::Values> expected = tensors.updated(steps);
    const auto strategy = tensors.start(descriptor, GetParam().backend, options);
    std::fill(tensors.gradients().begin(), tensors.gradients().end(), T(0));  // they were copied
    strategy->run(static_cast<std::uint64_t>(steps / 2));
    strategy->run(static_cast<std::uint64_t>(steps - steps / 2));
    strategy->sync();
    strategy->get_state(tensors.state());
    EXPECT_EQ(tensors.state().step, steps);
    const double tolerance = 64 * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (std::size_t block = 0; block < expected.size(); ++block) {
      for (std::size_t i = 0; i < expected[block].size(); ++i) {
        const auto value = static_cast<double>(tensors.blocks()[block][i]);
        const auto exact = static_cast<double>(expected[block][i]);
        // What is added up in `steps` steps: sums of gradients of 2 and of their squares.
        ASSERT_NEAR(value, exact, tolerance * (2 + std::abs(exact))) << block << " " << i;
      }
    }
  }
  void check_dtype(const StrategyDescriptor& descriptor, const Sizes& sizes, const OptimizerCase& optimizer,
                   std::int64_t steps, const std::vector<gdbench_option_value>& options = {}) const {
    if (GetParam().dtype == catalogue::Dtype::f32) check<float>(descriptor, sizes, optimizer, steps, options);
    if (GetParam().dtype == catalogue::Dtype::f64) check<double>(descriptor, sizes, optimizer, steps, options);
  }
};

TEST_P(UpdateTaskTest, FollowsTheRuleInEveryStrategy) {
  for (const StrategyDescriptor* descriptor : kTrainers) {
    for (const OptimizerCase& optimizer : optimizer_cases()) check_dtype(*descriptor, kSizes, optimizer, 37);
    check_dtype(*descriptor, {{5, 9}}, {catalogue::OptimizerKind::adam, 0, false}, 5);  // a tensor alone
  }
}

TEST_P(UpdateTaskTest, ACallForEachTensorDoesTheSame) {
  for (const StrategyDescriptor* descriptor : kTrainers) {
    const bool graph = descriptor == &graph::kDescriptor;
    const gdbench_option_value each =
        graph ? gdbench_option_value{"passes", "-merge-updates"} : gdbench_option_value{"update", "each"};
    for (const OptimizerCase& optimizer : optimizer_cases()) check_dtype(*descriptor, kSizes, optimizer, 5, {each});
    Tensors<float> tensors(kSizes, {catalogue::OptimizerKind::adam, 0, false});
    const auto strategy = tensors.start(*descriptor, GetParam().backend, {each});
    EXPECT_EQ(profiled(*strategy, 3).at({"update", catalogue::Phase::update}).calls, 3u * kSizes.size());
    const auto merged = tensors.start(*descriptor, GetParam().backend);
    EXPECT_EQ(profiled(*merged, 3).at({"update", catalogue::Phase::update}).calls, 3u);
  }
}

// As the catalogue counts: gradients are read, parameters and slots read and written.
TEST_P(UpdateTaskTest, ItsCostIsThatOfTheRule) {
  for (const catalogue::OptimizerKind kind : catalogue::all_of<catalogue::OptimizerKind>()) {
    for (const double decay : {0.0, 0.5}) {
      Tensors<float> tensors({{5, 9}}, {kind, decay, false});
      const auto strategy = tensors.start(hand::kDescriptor, GetParam().backend);
      const gdbench_profile_record update = profiled(*strategy, 2).at({"update", catalogue::Phase::update});
      EXPECT_EQ(update.flops, 2 * 45 * catalogue::operations_of(kind, decay != 0, false));
      const double arrays = 3 + 2 * static_cast<double>(catalogue::slot_count(kind));
      EXPECT_EQ(update.bytes, 2 * (45 * arrays * sizeof(float) + sizeof(backends::UpdateScalars)));
    }
  }
}

TEST_P(UpdateTaskTest, ManyTensors) {
  Sizes sizes(500, {64, 1});
  sizes.resize(505, {512, 512});
  for (const StrategyDescriptor* descriptor : kTrainers)
    check_dtype(*descriptor, sizes, {catalogue::OptimizerKind::momentum, 0, false}, 2);
}

TEST_P(UpdateTaskTest, TenMillionParametersInOneTensor) {
  if (GetParam().dtype == catalogue::Dtype::f64) GTEST_SKIP() << "as f32";
  Tensors<float> tensors({{10'000'000, 1}}, {catalogue::OptimizerKind::sgd, 0, false});
  for (const StrategyDescriptor* descriptor : {&hand::kDescriptor, &graph::kDescriptor}) {
    const auto strategy = tensors.start(*descriptor, GetParam().backend);
    const float before = tensors.blocks()[0].back();
    strategy->run(1);
    strategy->get_state(tensors.state());
    EXPECT_FLOAT_EQ(tensors.blocks()[0].back(), before - 0.05F * tensors.gradients().back());
    tensors.state().step = 0;
  }
}

TEST_P(UpdateTaskTest, HasNoLoss) {
  Tensors<float> tensors(kSizes, {catalogue::OptimizerKind::sgd, 0, false});
  for (const StrategyDescriptor* descriptor : kTrainers) {
    const auto strategy = tensors.start(*descriptor, GetParam().backend);
    try {
      strategy->evaluate(0);
      ADD_FAILURE() << name_of(*descriptor);
    } catch (const implementations::Failure& failure) {
      EXPECT_EQ(failure.status(), GDBENCH_UNSUPPORTED);
    }
  }
}

TEST_P(UpdateTaskTest, AStepAllocatesNothing) {
  if (!allocations_are_counted()) GTEST_SKIP() << "a sanitizer owns malloc";
  if (backends::is_device(GetParam().backend)) GTEST_SKIP() << "a device's runtime allocates as it likes";
  Tensors<float> tensors(kSizes, {catalogue::OptimizerKind::adam, 0.125, true});
  for (const StrategyDescriptor* descriptor : kTrainers) {
    const auto strategy = tensors.start(*descriptor, GetParam().backend);
    const std::uint64_t before = allocation_count();
    strategy->run(40);
    EXPECT_EQ(allocation_count(), before) << name_of(*descriptor);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, UpdateTaskTest, testing::ValuesIn(backends::all_cases()), backends::case_name);

}  // namespace
}  // namespace gdbench::strategies
